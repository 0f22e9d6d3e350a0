import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readSigningKey, signMessage, verifyMessage } from '../../src/wire/signature.ts';

function makePair(): { key: KeyObject; verifyKey: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const pkcs8 = privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64');
  const verifyKey = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('hex');
  return { key: readSigningKey(pkcs8), verifyKey };
}

const { key, verifyKey } = makePair();

describe('a signed message', () => {
  it('is accepted, whatever it says, as text and as bytes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.nat(), (body, seconds) => {
        const signature = signMessage(key, String(seconds), body);
        expect(signature).toMatch(/^[0-9a-f]{128}$/);
        expect(verifyMessage(verifyKey, signature, String(seconds), Buffer.from(body))).toBe(true);
      }),
      { numRuns: 25 },
    );
  });

  it('matches RFC 8032, 7.1, test 3', () => {
    const seed = 'c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7';
    const pkcs8 = Buffer.from(`302e020100300506032b657004220420${seed}`, 'hex').toString('base64');
    const signature =
      '6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a';
    const message = Uint8Array.of(0xaf, 0x82);
    expect(signMessage(readSigningKey(pkcs8), '', message)).toBe(signature);
    const publicKey = 'fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025';
    expect(verifyMessage(publicKey, signature, '', message)).toBe(true);
    expect(verifyMessage(publicKey.toUpperCase(), signature.toUpperCase(), '', message)).toBe(true);
  });

  it('is rejected with another body, timestamp or key', () => {
    const signature = signMessage(key, '1', 'body');
    expect(verifyMessage(verifyKey, signature, '1', 'bodY')).toBe(false);
    expect(verifyMessage(verifyKey, signature, '2', 'body')).toBe(false);
    expect(verifyMessage(makePair().verifyKey, signature, '1', 'body')).toBe(false);
  });

  it.each([
    ['nothing', ''],
    ['no hex', 'z'.repeat(128)],
    ['too short', 'a'.repeat(126)],
    ['too long', 'a'.repeat(130)],
    ['a line more', `${'a'.repeat(128)}\n`],
  ])('is refused without harm when the signature is %s', (_, signature) => {
    expect(verifyMessage(verifyKey, signature, '1', 'body')).toBe(false);
  });

  it.each(['', 'ff', 'f'.repeat(64), 'no key', `${verifyKey}00`])('is rejected without harm by the key %j', wrong => {
    expect(verifyMessage(wrong, signMessage(key, '1', 'body'), '1', 'body')).toBe(false);
  });
});
