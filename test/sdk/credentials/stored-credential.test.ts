import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { refreshInMs } from '../../../src/sdk/credentials/refresh.ts';
import {
  credentialOf,
  decodeCredential,
  encodeCredential,
  type StoredCredential,
} from '../../../src/sdk/credentials/stored-credential.ts';

const text = fc.string({ minLength: 1 });
const token = fc.stringMatching(/^[!-~]+$/);
const instant = fc.nat(4_000_000_000_000);
const credentials: fc.Arbitrary<StoredCredential> = fc
  .record(
    {
      generation: fc.nat(),
      applicationId: fc.constant('1'),
      accessToken: token,
      refreshToken: text,
      scopes: fc.string(),
      userId: text,
      receivedAtMs: instant,
      expiresAtMs: instant,
      attempt: fc.record({ key: text, sinceMs: instant }),
    },
    { requiredKeys: ['generation', 'applicationId', 'accessToken', 'scopes', 'receivedAtMs', 'expiresAtMs'] },
  )
  .map(record => ({ ...record }));

describe('a stored credential', () => {
  it('is only read by its own application, as it was written', () => {
    fc.assert(
      fc.property(credentials, credential => {
        expect(decodeCredential(encodeCredential(credential), '1')).toEqual(credential);
        expect(decodeCredential(encodeCredential(credential), '2')).toBeUndefined();
      }),
    );
  });

  it('is ignored when it is damaged, and never throws', () => {
    fc.assert(fc.property(fc.string(), damaged => decodeCredential(damaged, '1') === undefined));
    fc.assert(fc.property(fc.json(), damaged => decodeCredential(damaged, '1') === undefined));
    const sound = { generation: 1, applicationId: '1', accessToken: 'a', scopes: '', receivedAtMs: 0, expiresAtMs: 1 };
    expect(decodeCredential(JSON.stringify({ format: 1, ...sound }), '1')).toEqual(sound);
    for (const field of Object.keys(sound)) {
      expect(decodeCredential(JSON.stringify({ format: 1, ...sound, [field]: null }), '1')).toBeUndefined();
    }
    expect(decodeCredential(JSON.stringify({ format: 1, ...sound, refreshToken: '' }), '1')).toBeUndefined();
    expect(decodeCredential(JSON.stringify({ format: 1, ...sound, attempt: { key: '' } }), '1')).toEqual(sound);
  });

  it('keeps the fields that a refresh omits, and drops the attempt', () => {
    const before: StoredCredential = {
      generation: 3,
      applicationId: '1',
      accessToken: 'a',
      refreshToken: 'r',
      scopes: 'openid',
      userId: '9',
      receivedAtMs: 0,
      expiresAtMs: 1,
      attempt: { key: 'k', sinceMs: 0 },
    };
    expect(credentialOf({ accessToken: 'b', scopes: '', expiresAtMs: 9 }, before, 5)).toEqual({
      generation: 4,
      applicationId: '1',
      accessToken: 'b',
      refreshToken: 'r',
      scopes: 'openid',
      userId: '9',
      receivedAtMs: 5,
      expiresAtMs: 9,
    });
  });

  it('is damaged when no header can hold its access token', () => {
    const credential: StoredCredential = {
      generation: 1,
      applicationId: '1',
      accessToken: 'a',
      scopes: '',
      receivedAtMs: 0,
      expiresAtMs: 1,
    };
    expect(decodeCredential(encodeCredential(credential), '1')).toEqual(credential);
    expect(decodeCredential(encodeCredential({ ...credential, accessToken: 'a\nb' }), '1')).toBeUndefined();
  });

  it('is due before its expiry, and at least five seconds after the last refresh', () => {
    const chance = fc.uint8Array({ minLength: 4, maxLength: 4 });
    fc.assert(
      fc.property(instant, fc.integer({ min: 0, max: 604_800_000 }), chance, (receivedAtMs, lifeMs, bytes) => {
        const credential: StoredCredential = {
          generation: 1,
          applicationId: '1',
          accessToken: 'a',
          refreshToken: 'r',
          scopes: '',
          receivedAtMs,
          expiresAtMs: receivedAtMs + lifeMs,
        };
        const dueAfterMs = refreshInMs(credential, receivedAtMs, { bytes: () => bytes });
        expect(dueAfterMs).toBeGreaterThanOrEqual(Math.max(5_000, lifeMs * 0.85 - 1));
        expect(dueAfterMs).toBeLessThanOrEqual(Math.max(5_000, lifeMs * 0.9 + 1));
      }),
    );
  });
});
