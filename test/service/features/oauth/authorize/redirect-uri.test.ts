import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  formActionSource,
  isCustomSchemeRedirect,
  isNativeRedirect,
  isRegisteredRedirect,
  redirectWith,
} from '../../../../../src/service/features/oauth/authorize/redirect-uri.ts';

const registered = [
  'http://127.0.0.1/callback',
  'http://127.0.0.1:3000/fixed',
  'http://[::1]/callback',
  'http://localhost:8080/callback',
  'discord-100:/authorize/callback',
  'https://game.example/callback',
  'https://game.example:8443/deep?from=game',
];

describe('a registered redirect', () => {
  it.each([
    ...registered,
    'http://127.0.0.1:1/callback',
    'http://127.0.0.1:42149/callback',
    'http://127.0.0.1:65535/callback',
    'http://127.0.0.1/fixed',
    'http://127.0.0.1:4321/fixed',
    'http://[::1]:4321/callback',
  ])('is matched by %s', uri => {
    expect(isRegisteredRedirect(uri, registered)).toBe(true);
  });

  it.each([
    ['a longer path', 'https://game.example/callback/more'],
    ['a longer host', 'https://game.example.evil.example/callback'],
    ['a shorter path', 'https://game.example/'],
    ['a trailing slash', 'https://game.example/callback/'],
    ['a double slash', 'https://game.example//callback'],
    ['a path that leads back', 'https://game.example/x/../callback'],
    ['an encoded path', 'https://game.example/%63allback'],
    ['a query', 'https://game.example/callback?x=1'],
    ['another query', 'https://game.example:8443/deep?from=evil'],
    ['a fragment', 'https://game.example/callback#x'],
    ['an empty fragment', 'https://game.example/callback#'],
    ['a user before the host', 'https://game.example@evil.example/callback'],
    ['a user of the host', 'https://evil@game.example/callback'],
    ['a port', 'https://game.example:444/callback'],
    ['the default port', 'https://game.example:443/callback'],
    ['another case of the host', 'https://GAME.example/callback'],
    ['another case of the path', 'https://game.example/Callback'],
    ['another case of the scheme', 'HTTPS://game.example/callback'],
    ['a plain scheme', 'http://game.example/callback'],
    ['blanks around it', ' https://game.example/callback'],
    ['a line break', 'https://game.example/callback\n'],
    ['a subdomain', 'https://www.game.example/callback'],
    ['a final dot', 'https://game.example./callback'],
    ['backslashes', 'https:\\\\game.example\\callback'],
    ['another case of a custom scheme', 'Discord-100:/authorize/callback'],
    ['two slashes after a custom scheme', 'discord-100://authorize/callback'],
    ['another custom scheme', 'discord-1000:/authorize/callback'],
    ['a port on localhost', 'http://localhost:8081/callback'],
    ['localhost for its address', 'http://localhost/callback'],
    ['another loopback address', 'http://127.0.0.2/callback'],
    ['the address in another spelling', 'http://127.1/callback'],
    ['loopback by https', 'https://127.0.0.1:4321/callback'],
    ['loopback with a user', 'http://127.0.0.1:4321@evil.example/callback'],
    ['loopback with a longer host', 'http://127.0.0.1.evil.example/callback'],
    ['loopback with another path', 'http://127.0.0.1:4321/other'],
    ['loopback with a query', 'http://127.0.0.1:4321/callback?x=1'],
    ['loopback with a fragment', 'http://127.0.0.1:4321/callback#x'],
    ['port 0', 'http://127.0.0.1:0/callback'],
    ['a port past the last', 'http://127.0.0.1:65536/callback'],
    ['a port with a leading zero', 'http://127.0.0.1:0080/callback'],
    ['a port without digits', 'http://127.0.0.1:/callback'],
    ['nothing', ''],
  ])('is not matched by one with %s', (_, uri) => {
    expect(isRegisteredRedirect(uri, registered)).toBe(false);
  });

  it('is matched by nothing when there is none', () => {
    expect(isRegisteredRedirect('http://127.0.0.1/callback', [])).toBe(false);
  });

  it('off loopback is matched by nothing that differs in a character', () => {
    const exact = registered.filter(uri => !/^http:\/\/(127|\[)/.test(uri));
    const place = fc.nat({ max: 60 });
    fc.assert(
      fc.property(
        fc.constantFrom(...exact),
        place,
        fc.nat({ max: 1 }),
        fc.string({ maxLength: 2 }),
        (uri, at, cut, put) => {
          const other = uri.slice(0, at) + put + uri.slice(at + cut);
          expect(isRegisteredRedirect(other, registered)).toBe(registered.includes(other));
        },
      ),
    );
  });
});

describe('an answer by redirect', () => {
  it('keeps the address as registered and gives every parameter back as it was', () => {
    fc.assert(
      fc.property(fc.constantFrom(...registered), fc.string({ unit: 'binary' }), (uri, state) => {
        const redirect = redirectWith(uri, { code: 'c', state });
        expect(redirect.startsWith(uri)).toBe(true);
        expect(new URL(redirect).searchParams.get('state')).toBe(state.toWellFormed());
      }),
    );
  });

  it('leaves out what has no value', () => {
    expect(redirectWith('x:/y', { code: 'c', state: null, guild_id: undefined })).toBe('x:/y?code=c');
  });
});

it.each([
  ['discord-100:/authorize/callback', true, 'discord-100:'],
  ['http://127.0.0.1:42149/callback', false, 'http://127.0.0.1:42149'],
  ['http://[::1]:42149/callback', false, 'http:'],
  ['https://game.example/callback', false, 'https://game.example'],
  ['https-game:/authorize/callback', true, 'https-game:'],
  ['https://game.example;sandbox/callback', false, 'https:'],
])('%s leads into a program: %s; a form may lead there by %s', (uri, custom, source) => {
  expect(isCustomSchemeRedirect(uri)).toBe(custom);
  expect(formActionSource(uri)).toBe(source);
});

describe('a redirect into a program on the user’s machine', () => {
  it.each([
    'discord-100:/authorize/callback',
    'http://127.0.0.1/callback',
    'http://127.8.7.6:5000/callback',
    'http://127.1/callback',
    'http://0x7f000001/callback',
    'http://2130706433/callback',
    'http://0.0.0.0:5000/callback',
    'http://[::1]:5000/callback',
    'http://[0:0:0:0:0:0:0:1]/callback',
    'http://[::ffff:127.0.0.1]/callback',
    'http://[::]/callback',
    'http://localhost:5000',
    'http://LOCALHOST/callback',
    'http://localhost./callback',
    'http://game.localhost:5000/callback',
    'https://localhost:5000/callback',
    'http://user@localhost/callback',
  ])('is %s', uri => {
    expect(isNativeRedirect(uri)).toBe(true);
  });

  it.each([
    'https://game.example/callback',
    'https://localhost.example/callback',
    'https://notlocalhost/callback',
    'https://127.0.0.1.example/callback',
    'http://128.0.0.1/callback',
    'http://[::2]/callback',
    'https://localhost@game.example/callback',
    'https://game.example/?http://127.0.0.1/',
  ])('is not %s', uri => {
    expect(isNativeRedirect(uri)).toBe(false);
  });
});
