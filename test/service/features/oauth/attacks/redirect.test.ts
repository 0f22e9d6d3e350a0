import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { game, openService, type TestService } from '../support.ts';

let service: TestService;
beforeAll(async () => {
  service = await openService();
});
afterAll(() => service.close());

describe('a redirect that is not quite the registered one', () => {
  const attacked = { ...game, id: '300', bot_token: null };
  const redirects = [
    'https://game.example/callback',
    'http://127.0.0.1/callback',
    'http://[::1]/callback',
    'https://game.example:8443/deep/callback?from=us',
  ];
  beforeAll(() => service.addFixtures({ applications: [{ ...attacked, redirect_uris: redirects }] }));

  it.each([
    ['a longer path', 'https://game.example/callback/evil'],
    ['a longer name', 'https://game.example/callbackevil'],
    ['a shorter path', 'https://game.example/'],
    ['a slash at its end', 'https://game.example/callback/'],
    ['a query', 'https://game.example/callback?next=https://evil.example'],
    ['an empty query', 'https://game.example/callback?'],
    ['a fragment', 'https://game.example/callback#evil'],
    ['an empty fragment', 'https://game.example/callback#'],
    ['user information', 'https://game.example@evil.example/callback'],
    ['user information of its own', 'https://user:word@game.example/callback'],
    ['user information on the loopback address', 'http://127.0.0.1:1@evil.example/callback'],
    ['an @ in place of the port', 'http://127.0.0.1:@evil.example/callback'],
    ['another case of the host', 'https://GAME.example/callback'],
    ['another case of the scheme', 'HTTPS://game.example/callback'],
    ['another case of the path', 'https://game.example/Callback'],
    ['the default port', 'https://game.example:443/callback'],
    ['another port', 'https://game.example:444/callback'],
    ['another port than one named', 'https://game.example:8444/deep/callback?from=us'],
    ['a double slash', 'https://game.example//callback'],
    ['a double slash in front', '//game.example/callback'],
    ['a third slash', 'https:///game.example/callback'],
    ['backslashes', 'https:\\\\game.example\\callback'],
    ['a backslash before the host of another', 'https://evil.example\\@game.example/callback'],
    ['an encoded slash', 'https://game.example%2fcallback'],
    ['an encoded letter', 'https://game.example/%63allback'],
    ['an encoded dot', 'https://game%2eexample/callback'],
    ['a path up and down', 'https://game.example/x/../callback'],
    ['an encoded path up', 'https://game.example/callback/%2e%2e/evil'],
    ['a dot behind the host', 'https://game.example./callback'],
    ['a host below', 'https://evil.game.example/callback'],
    ['a host beside', 'https://game.example.evil.example/callback'],
    ['a host before', 'https://evilgame.example/callback'],
    ['letters that look alike', 'https://gаme.example/callback'],
    ['a blank', 'https://game.example/callback '],
    ['a line break', 'https://game.example/callback\n'],
    ['a line break that would be a header', 'https://game.example/callback\r\nset-cookie: a=b'],
    ['a zero byte', 'https://game.example/callback\0'],
    ['a tab in the scheme', 'ht\ttps://game.example/callback'],
    ['no encryption', 'http://game.example/callback'],
    ['another scheme', 'javascript://game.example/callback'],
    ['the name of the loopback address', 'http://localhost/callback'],
    ['a name that ends like it', 'http://127.0.0.1.evil.example/callback'],
    ['another loopback address', 'http://127.0.0.2/callback'],
    ['the loopback address in short', 'http://127.1/callback'],
    ['the loopback address as a number', 'http://2130706433/callback'],
    ['the loopback address in hexadecimal', 'http://0x7f.0.0.1/callback'],
    ['all addresses', 'http://0.0.0.0/callback'],
    ['the loopback address with encryption', 'https://127.0.0.1/callback'],
    ['the long form of the IPv6 loopback address', 'http://[0:0:0:0:0:0:0:1]/callback'],
    ['the IPv4 address inside an IPv6 one', 'http://[::ffff:127.0.0.1]/callback'],
    ['a zone on the IPv6 loopback address', 'http://[::1%25eth0]/callback'],
    ['a port with a leading zero', 'http://127.0.0.1:080/callback'],
    ['port zero', 'http://127.0.0.1:0/callback'],
    ['a port beyond the last', 'http://127.0.0.1:65536/callback'],
    ['a port that is none', 'http://127.0.0.1:8o/callback'],
    ['another path on the loopback address', 'http://127.0.0.1:4321/evil'],
    ['a query on the loopback address', 'http://127.0.0.1:4321/callback?a=b'],
  ])('%s: nothing is redirected', async (_, redirect_uri) => {
    const url = service.authorizeUrl({ client_id: attacked.id, redirect_uri });
    const response = await fetch(url, { redirect: 'manual' });
    expect(response.status).toBe(400);
    expect(response.headers.get('location')).toBeNull();
    await expect(service.decide(url)).rejects.toMatchObject({ status: 400, message: 'Invalid OAuth2 redirect_uri' });
  });

  it.each([
    ...redirects,
    'http://127.0.0.1:4321/callback',
    'http://127.0.0.1:65535/callback',
    'http://[::1]:4321/callback',
  ])('%s is a registered one', async redirect_uri => {
    const end = await service.decide(service.authorizeUrl({ client_id: attacked.id, redirect_uri }));
    expect(end).toMatch(/[?&]code=/);
    expect(end.startsWith(redirect_uri)).toBe(true);
  });
});
