import { expect, it } from 'vitest';
import { SecretMask } from '../../src/wire/secret-mask.ts';

const fields = (count: number, secretOf: (n: number) => string) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`t${n}_token`, secretOf(n)]));

/** Processor time of masking a text after learning from a value. */
function maskMs(value: unknown, text: string): number {
  const mask = new SecretMask();
  const before = process.cpuUsage();
  mask.learn(value);
  mask.mask(text);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

it('replaces a secret wherever it stands, in each form, by the same placeholder', () => {
  const mask = new SecretMask();
  const secret = 'a "quoted" sécret&';
  mask.learn({ access_token: secret, code: 'abc', client_secret: 'abcdef' });
  expect(
    mask.mask({
      access_token: secret,
      note: `have ${secret}, ${encodeURIComponent(secret)}, ${JSON.stringify(secret)} and abcdefg, not abcde`,
      url: `https://host/?${new URLSearchParams({ x: secret })}`,
    }),
  ).toEqual({
    access_token: 'masked-1',
    note: 'have masked-1, masked-1, "masked-1" and masked-3g, not abcde',
    url: 'https://host/?x=masked-1',
  });
});

it('prefers the longest of the secrets that begin alike', () => {
  const mask = new SecretMask();
  mask.learn({ a_token: 'secret-1', b_token: 'secret-1-and-more' });
  expect(mask.mask('secret-1-and-more, secret-1-and-less')).toBe('masked-2, masked-1-and-less');
});

it('leaves nothing of secrets that begin alike, however many there are', () => {
  const mask = new SecretMask();
  const secretOf = (n: number) => `eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9.${'x'.repeat(n)}${n}`;
  const secrets = fields(100, secretOf);
  mask.learn(secrets);
  expect(mask.mask(secrets)).toEqual(fields(100, n => `masked-${n + 1}`));
  expect(mask.mask(`It is ${secretOf(7)}.`)).not.toContain('eyJ');
  expect(mask.mask(`It is ${secretOf(99)}`)).toBe('It is masked-100');
});

it('takes time in proportion to the text, whatever the secrets are', () => {
  const length = 64 * 1024;
  const distinct = fields(20_000, n => `${n}-${(n * 7919) % 99_991}-secret`);
  const nested = fields(8, n => `${'a'.repeat(4000 + n)}b`);
  const alike = fields(2000, n => `${'a'.repeat(24)}${n}`);
  maskMs(distinct, Object.values(distinct).join(' '));
  expect(maskMs(distinct, Object.values(distinct).join(' ').slice(0, length))).toBeLessThan(500);
  expect(maskMs(nested, `${'a'.repeat(30)}c`.repeat(length / 31))).toBeLessThan(500);
  expect(maskMs(nested, 'a'.repeat(length))).toBeLessThan(500);
  expect(maskMs(alike, 'a'.repeat(length))).toBeLessThan(500);
});
