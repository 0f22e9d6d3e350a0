import { describe, expect, it } from 'vitest';
import { AuthorizationArgs } from '../../src/sdk/auth/authorization-args.ts';
import { Client } from '../../src/sdk/client.ts';
import type { SocketEvents } from '../../src/wire/clock/ports.ts';
import { VirtualClock } from '../../src/wire/clock/virtual-clock.ts';
import { startLoopbackServer } from '../support/http/loopback-server.ts';

const baseUrl = 'https://game.example';

const codeOf = (call: () => unknown): unknown => {
  try {
    call();
  } catch (error) {
    return (error as { code?: unknown }).code;
  }
  return undefined;
};

describe('Client', () => {
  it('rejects invalid addresses and ids before any I/O', () => {
    expect(codeOf(() => new Client({ baseUrl: 'http://game.example' }))).toBe('insecure_address');
    expect(codeOf(() => new Client({ baseUrl: 'https://game.example/api/v9' }))).toBe('invalid_base_url');
    expect(codeOf(() => new Client({ baseUrl, applicationId: 'x' }))).toBe('invalid_snowflake');
    expect(codeOf(() => new Client({ baseUrl, deadlineMs: Number.NaN }))).toBe('invalid_deadline');
  });

  it('takes its application id as text or bigint, at first or later', () => {
    const client = new Client({ baseUrl, applicationId: 5n });
    expect(client.applicationId).toBe('5');
    client.setApplicationId('6');
    expect(client.applicationId).toBe('6');
    expect(codeOf(() => client.setApplicationId(-1n))).toBe('invalid_snowflake');
    expect(client.applicationId).toBe('6');
  });

  it('requests tokens only with an application id', async () => {
    const client = new Client({ baseUrl });
    for (const call of [client.refreshToken('r'), client.revokeToken('t')]) {
      await expect(call).rejects.toMatchObject({ name: 'ArgumentError', code: 'missing_application_id' });
    }
  });

  it('rejects a way to behave offline that it does not know', () => {
    expect(codeOf(() => new Client({ baseUrl, whenOffline: 'x' as 'fail' }))).toBe('invalid_argument');
    expect(codeOf(() => new Client({ baseUrl, whenOffline: 'queue' }))).toBeUndefined();
  });

  it('rejects arguments that are missing or of another type', async () => {
    const client = new Client({ baseUrl, applicationId: '1' });
    const missing = undefined as never;
    const grant = { code: 'c', redirectUri: 'http://127.0.0.1/callback', verifier: 'v'.repeat(43) };
    const calls = [
      () => client.getToken(missing),
      () => client.getToken(null as never),
      () => client.getTokenFromProvisionalMerge(missing, { type: 'OIDC', token: 't' }),
      () => client.getTokenFromProvisionalMerge(grant, missing),
      () => client.getTokenFromDeviceProvisionalMerge({}, missing),
      () => client.getTokenFromDevice(null as never),
      () => client.getProvisionalToken(missing),
      () => client.unmergeIntoProvisionalAccount(missing),
      () => client.authorize(null as never),
      () => client.getUserGuilds(null as never),
      () => client.getUserGuilds({ whenOffline: 'x' as 'fail' }),
    ];
    for (const call of calls) {
      await expect(call()).rejects.toMatchObject({ name: 'ArgumentError', code: 'invalid_argument' });
    }
    for (const place of [undefined, null, '', 5, 'user']) {
      expect(codeOf(() => client.commands$(place as never))).toBe('invalid_argument');
    }
    for (const text of [undefined, null, 5, {}]) {
      expect(codeOf(() => client.friends.search(text as never))).toBe('invalid_argument');
    }
    expect(codeOf(() => client.setApplicationId(Symbol('1') as never))).toBe('invalid_snowflake');
  });

  it('rejects a token that a header cannot hold, and keeps the previous one', async () => {
    const client = new Client({ baseUrl, fetch: () => expect.unreachable() });
    for (const token of ['a\nb', '€', 'a b', 'Bearer a']) {
      const refused = {
        name: 'ArgumentError',
        code: 'invalid_credential',
        message: expect.not.stringContaining(token),
      };
      expect(() => client.updateToken(token)).toThrow(expect.objectContaining(refused));
      await expect(client.fetchCurrentUser({ accessToken: token })).rejects.toMatchObject(refused);
    }
    expect(client.isAuthenticated).toBe(false);
  });

  it('is disconnected and knows no lobby at first', () => {
    const client = new Client({ baseUrl });
    expect(client.status).toEqual({ status: 'disconnected' });
    expect(client.lobbies.snapshot).toEqual([]);
    expect(client.lobby('5')).toBeUndefined();
    expect(client.handleRedirect('discord-1:/authorize/callback?code=c')).toBe(false);
  });

  it('ends an authorization under way when it is closed', async () => {
    const client = new Client({ baseUrl, applicationId: '1', openBrowser: () => {} });
    const grant = client.authorize(new AuthorizationArgs());
    grant.catch(() => {});
    await client.close();
    await expect(grant).rejects.toMatchObject({ code: 'aborted' });
    await expect(client.authorize(new AuthorizationArgs())).rejects.toMatchObject({ code: 'closed' });
  });

  it('ends an authorization by name', async () => {
    const client = new Client({ baseUrl, applicationId: '1', openBrowser: () => {} });
    const grant = client.authorize(new AuthorizationArgs());
    const ended = expect(grant).rejects.toMatchObject({ name: 'TransportError', code: 'aborted' });
    client.abortAuthorize();
    client.abortAuthorize();
    await ended;
    await client.close();
  });

  const external = { type: 'OIDC', token: 'proof' } as const;
  const grant = { code: 'c', redirectUri: 'http://127.0.0.1/callback', verifier: 'v'.repeat(43) };
  const accountCalls: readonly [name: string, call: (client: Client) => Promise<unknown>][] = [
    ['getToken', client => client.getToken(grant)],
    ['refreshToken', client => client.refreshToken('r')],
    ['revokeToken', client => client.revokeToken('t')],
    ['getTokenFromProvisionalMerge', client => client.getTokenFromProvisionalMerge(grant, external)],
    ['getTokenFromDevice', client => client.getTokenFromDevice()],
    ['getProvisionalToken', client => client.getProvisionalToken(external)],
    ['unmergeIntoProvisionalAccount', client => client.unmergeIntoProvisionalAccount(external)],
    ['updateProvisionalAccountDisplayName', client => client.updateProvisionalAccountDisplayName('Ada')],
    ['exchangeChildToken', client => client.exchangeChildToken('t', '2')],
    ['fetchCurrentUser', client => client.fetchCurrentUser()],
  ];

  it.each(accountCalls)('ends %s by its own deadline when the service does not answer', async (_, call) => {
    const clock = new VirtualClock(0);
    const asked = Promise.withResolvers<void>();
    const fetch = () => {
      asked.resolve();
      return new Promise<never>(() => {});
    };
    const client = new Client({ baseUrl, applicationId: '1', deadlineMs: 200, clock, fetch });
    client.updateToken('t');
    const ended = expect(call(client)).rejects.toMatchObject({ name: 'TransportError', code: 'deadline_exceeded' });
    await asked.promise;
    await clock.advance(200);
    await client.close();
    await ended;
  });

  it.each(accountCalls)('aborts %s in progress when it is closed', async (_, call) => {
    const asked = Promise.withResolvers<void>();
    const server = await startLoopbackServer(() => asked.resolve());
    const client = new Client({ baseUrl: server.baseUrl, applicationId: '1' });
    client.updateToken('t');
    const ended = expect(call(client)).rejects.toMatchObject({ name: 'TransportError', code: 'aborted' });
    await asked.promise;
    await client.close();
    await ended;
    await server.close();
  });

  it('sends no request for a token that it was closed before', async () => {
    const sent: string[] = [];
    const fetch = async (url: string) => {
      sent.push(url);
      return Response.json({});
    };
    const client = new Client({ baseUrl, applicationId: '1', fetch });
    const ended = expect(client.refreshToken('r')).rejects.toMatchObject({ name: 'TransportError', code: 'aborted' });
    await client.close();
    await ended;
    expect(sent).toEqual([]);
  });

  it('takes a token as text or with its end, says whether there is one, and forgets it for undefined', () => {
    const client = new Client({ baseUrl });
    expect(client.isAuthenticated).toBe(false);
    client.updateToken('t');
    expect(client.isAuthenticated).toBe(true);
    client.updateToken(undefined);
    expect(client.isAuthenticated).toBe(false);
    client.updateToken({ accessToken: 't', expiresAtMs: 1 });
    expect(client.isAuthenticated).toBe(true);
    expect(codeOf(() => client.updateToken(''))).toBe('missing_access_token');
    expect(codeOf(() => client.updateToken({ accessToken: 't', expiresAtMs: Number.NaN }))).toBe('invalid_expiry');
    expect(client.isAuthenticated).toBe(true);
  });

  it('ignores an ID token that it cannot read', () => {
    const client = new Client({ baseUrl });
    for (const idToken of ['', 'x', 'a.b.c', `a.${btoa('null')}.c`, `a.${btoa('{"sub":7}')}.c`]) {
      client.updateToken({ accessToken: 't', idToken });
    }
    expect(client.isAuthenticated).toBe(true);
  });

  it('uses the fetch and the sockets of its host', async () => {
    const fetched: string[] = [];
    const opened = Promise.withResolvers<{ url: string; events: SocketEvents }>();
    const client = new Client({
      baseUrl: 'https://game.example/api',
      fetch: async url => {
        fetched.push(url);
        return Response.json({ url: 'wss://gateway.game.example' });
      },
      socket: (url, events) => {
        opened.resolve({ url, events });
        return { send: () => {}, close: code => queueMicrotask(() => events.closed(code ?? 1005, '')) };
      },
    });
    client.updateToken('t');
    const connecting = client.connect();
    const { url, events } = await opened.promise;
    expect(fetched).toEqual(['https://game.example/api/v10/gateway']);
    expect(url).toBe('wss://gateway.game.example/?v=10&encoding=json');
    events.opened();
    events.received('{"op":10,"d":{"heartbeat_interval":40000}}');
    events.received('{"op":0,"t":"READY","s":1,"d":{"session_id":"s","user":{"id":"9"}}}');
    await connecting;
    expect(client.status).toEqual({ status: 'ready', userId: '9' });
    await client.close();
  });
});
