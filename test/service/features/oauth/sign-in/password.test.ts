import { describe, expect, it } from 'vitest';
import {
  hashPassword,
  matchesPassword,
  signInNameOf,
} from '../../../../../src/service/features/oauth/sign-in/password.ts';
import { systemEntropy } from '../../../../../src/wire/clock/ports.ts';

const password = 'correct horse battery';
const kept = await hashPassword(password, systemEntropy);

/** Time that processors spent on it: what else the machine has to do counts for nothing. */
async function cpuMsOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

describe('a password', () => {
  it('is kept as scrypt with its figures, salted, and nowhere in clear', async () => {
    expect(kept).toMatch(/^scrypt\$16384\$8\$5\$[\w-]{22}\$[\w-]{43}$/);
    expect(kept).not.toContain('correct');
    expect(await hashPassword(password, systemEntropy)).not.toBe(kept);
  });

  it('is recognized, and no other', async () => {
    expect(await matchesPassword(password, kept)).toBe(true);
    for (const other of ['', 'correct horse batterY', `${password} `]) {
      expect(await matchesPassword(other, kept)).toBe(false);
    }
  });

  it('is the same however its letters are composed', async () => {
    const composed = await hashPassword('caf\u00e9 \ufb01ne', systemEntropy);
    expect(await matchesPassword('cafe\u0301 fine', composed)).toBe(true);
  });

  it('hashed with other figures is recognized still', async () => {
    // Of RFC 7914, section 12.
    const figures = 'scrypt$1024$8$16';
    const salt = Buffer.from('NaCl').toString('base64url');
    const key = Buffer.from(
      'fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b3731622eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640',
      'hex',
    ).toString('base64url');
    expect(await matchesPassword('password', `${figures}$${salt}$${key}`)).toBe(true);
    expect(await matchesPassword('passwort', `${figures}$${salt}$${key}`)).toBe(false);
  });

  it('of an unknown user never matches, after the same work', async () => {
    expect(await matchesPassword(password, undefined)).toBe(false);
    const [real, decoy] = [
      await cpuMsOf(() => matchesPassword('x', kept)),
      await cpuMsOf(() => matchesPassword('x', undefined)),
    ];
    expect(decoy).toBeGreaterThan(real / 4);
    expect(real).toBeGreaterThan(decoy / 4);
  });
});

describe('the name to sign in with', () => {
  it.each([
    ['Ada', 'ada'],
    [' ada ', 'ada'],
    ['ＡＤＡ', 'ada'],
  ])('of %j is %j', (username, name) => {
    expect(signInNameOf(username)).toBe(name);
  });
});
