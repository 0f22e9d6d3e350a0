import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { validateRedirect } from '../../../src/sdk/auth/redirect-validation.ts';

const expected = {
  redirectUri: 'discord-1:/authorize/callback',
  state: 'the-state',
  issuer: 'https://auth.example',
};
const at = (query: string, base = expected.redirectUri) => validateRedirect(`${base}?${query}`, expected);
const foreign = { kind: 'foreign' };

describe('validateRedirect', () => {
  it('accepts a code with the right state, and the right issuer or none', () => {
    expect(at('code=c&state=the-state')).toEqual({ kind: 'granted', code: 'c' });
    expect(at('code=c&state=the-state&iss=https%3A%2F%2Fauth.example')).toEqual({ kind: 'granted', code: 'c' });
  });

  it('accepts the scheme in any case, and unknown parameters', () => {
    expect(at('code=c&state=the-state&guild_id=5', 'Discord-1:/authorize/callback')).toMatchObject({ code: 'c' });
  });

  it('returns an error with the right state and its description', () => {
    const verdict = at('error=access_denied&error_description=The+player+said+no&state=the-state');
    expect(verdict).toMatchObject({
      kind: 'rejected',
      error: { code: 'access_denied', message: 'The player said no' },
    });
  });

  it.each([
    ['no state', 'code=c'],
    ['another state', 'code=c&state=the-stat'],
    ['a longer state', 'code=c&state=the-state-'],
    ['an empty state', 'code=c&state='],
    ['an error without the state', 'error=access_denied'],
    ['no code', 'state=the-state'],
    ['an empty code', 'code=&state=the-state'],
    ['a second code', 'code=c&code=d&state=the-state'],
    ['a second state', 'code=c&state=the-state&state=x'],
    ['nothing', ''],
  ])('takes %s for foreign', (_, query) => {
    expect(at(query)).toEqual(foreign);
  });

  it.each(['https://evil.example', 'http://127.0.0.1:8910', ''])(
    'uses no answer of the issuer %j, and names both',
    issuer => {
      const iss = encodeURIComponent(issuer);
      const rejected = {
        kind: 'rejected',
        error: {
          code: 'wrong_issuer',
          message: expect.stringContaining(
            `${issuer || 'a service without a name'}, but baseUrl is https://auth.example`,
          ),
        },
      };
      expect(at(`code=c&state=the-state&iss=${iss}`)).toMatchObject(rejected);
      expect(at(`error=access_denied&state=the-state&iss=${iss}`)).toMatchObject(rejected);
      // A redirect without the right state ends nothing.
      expect(at(`code=c&state=x&iss=${iss}`)).toEqual(foreign);
    },
  );

  it('accepts the names of this machine for one another, on the same port', () => {
    const local = { ...expected, issuer: 'http://localhost:8910' };
    const from = (iss: string) =>
      validateRedirect(`${expected.redirectUri}?code=c&state=the-state&iss=${iss}`, local).kind;
    for (const iss of ['http://localhost:8910', 'http://127.0.0.1:8910', 'http://[::1]:8910']) {
      expect(from(iss)).toBe('granted');
    }
    for (const iss of [
      'http://127.0.0.1:8911',
      'https://127.0.0.1:8910',
      'http://127.0.0.1:8910/x',
      'http://a@127.0.0.1:8910',
    ]) {
      expect(from(iss)).toBe('rejected');
    }
  });

  it.each([
    'discord-2:/authorize/callback',
    'discord-1://authorize/callback',
    'discord-1:/authorize/callback/',
    'discord-1:/authorize',
    'https://discord-1/authorize/callback',
    'http://127.0.0.1:80/callback',
  ])('takes %s for foreign, whatever it carries', address => {
    expect(at('code=c&state=the-state', address)).toEqual(foreign);
  });

  it('checks the port of a loopback redirect', () => {
    const loopback = { ...expected, redirectUri: 'http://127.0.0.1:4000/callback' };
    expect(validateRedirect('http://127.0.0.1:4000/callback?code=c&state=the-state', loopback).kind).toBe('granted');
    expect(validateRedirect('http://127.0.0.1:4001/callback?code=c&state=the-state', loopback)).toEqual(foreign);
  });

  it('truncates the error’s texts and reduces them to printable ASCII', () => {
    const verdict = at(`error=x%0a%1b&error_description=${'%00'.repeat(1000)}&state=the-state`);
    expect(verdict).toMatchObject({
      kind: 'rejected',
      error: { code: 'oauth_error', error: 'x  ', message: ' '.repeat(300) },
    });
  });

  it('never throws, and never accepts an address without the state', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.webQueryParameters()), text => {
        expect(validateRedirect(text, expected)).toEqual(foreign);
        expect(at(text)).toEqual(foreign);
      }),
    );
  });
});
