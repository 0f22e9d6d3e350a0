import { filter, firstValueFrom } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Lobby } from '../../src/model/lobby.ts';
import { AuthorizationArgs } from '../../src/sdk/auth/authorization-args.ts';
import { Client } from '../../src/sdk/client.ts';
import type { ClientOptions } from '../../src/sdk/client-options.ts';
import type { LobbyState } from '../../src/sdk/lobby/snapshot.ts';
import { type Service, startService } from '../../src/service/service.ts';
import { browserOf, decide, gone, seen, signIn } from '../support/browser/player.ts';
import { isDeeplyFrozen } from '../support/runs/frozen.ts';
import { callApi, starfall } from '../support/service/starfall.ts';

const [application] = starfall.applications;
const [ada, grace] = starfall.users;

let service: Service;
let clients: Client[];

beforeEach(async () => {
  service = await startService({ fixtures: starfall });
  clients = [];
});

afterEach(async () => {
  await Promise.all(clients.map(client => client.close()));
  await service.close();
});

function clientOf(user: { readonly id: string }, options: Partial<ClientOptions> = {}): Client {
  const client = new Client({
    applicationId: application.id,
    baseUrl: service.webBase,
    openBrowser: browserOf(service, user.id),
    ...options,
  });
  clients.push(client);
  return client;
}

async function connected(user: { readonly id: string }): Promise<Client> {
  const client = clientOf(user);
  await signIn(client);
  await client.connect();
  return client;
}

async function createLobby(body: unknown): Promise<Lobby> {
  const answer = await callApi(service, 'POST', '/lobbies', body);
  expect(answer.status).toBe(201);
  return answer.body as Lobby;
}

describe('signing in to the service', () => {
  it('gives tokens with the scopes asked for, and an ID token with the nonce', async () => {
    const tokens = await signIn(clientOf(ada), new AuthorizationArgs().setNonce('n-0S6_WzA2Mj'));
    expect(tokens).toMatchObject({ tokenType: 'Bearer', expiresInSeconds: 604_800 });
    expect(tokens.scopes.split(' ').sort()).toEqual(['openid', 'sdk.social_layer']);
    const [, payload = ''] = tokens.idToken?.split('.') ?? [];
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
    expect(claims).toMatchObject({ iss: service.webBase, aud: application.id, sub: ada.id, nonce: 'n-0S6_WzA2Mj' });
  });

  it('works with another name of this machine as baseUrl, and so does everything after it', async () => {
    const client = clientOf(ada, { baseUrl: service.webBase.replace('127.0.0.1', 'localhost') });
    const tokens = await signIn(client, new AuthorizationArgs().setNonce('n-0S6_WzA2Mj'));
    expect(tokens.idToken).toBeDefined();
    await client.connect();
    expect((await client.refreshToken(String(tokens.refreshToken))).accessToken).toBeDefined();
  });

  it.each([undefined, '100000000000000002'])(
    'gives tokens of the application of the arguments to a client whose own is %s',
    async applicationId => {
      const client = clientOf(ada, { applicationId });
      const args = new AuthorizationArgs().setClientId(BigInt(application.id));
      const { idToken = '' } = await signIn(client, args);
      const claims = JSON.parse(Buffer.from(idToken.split('.')[1] ?? '', 'base64url').toString());
      expect(claims).toMatchObject({ aud: application.id, sub: ada.id });
    },
  );

  it('rejects a grant whose client id is no id before anything is sent, so that the code still works', async () => {
    const client = clientOf(ada);
    const { challenge, verifier } = client.createAuthorizationCodeVerifier();
    const grant = await client.authorize(new AuthorizationArgs().setCodeChallenge(challenge));
    const wrong = client.getToken({ ...grant, clientId: 'x', verifier });
    await expect(wrong).rejects.toMatchObject({ name: 'ArgumentError', code: 'invalid_snowflake' });
    expect(await client.getToken({ ...grant, verifier })).toMatchObject({ tokenType: 'Bearer' });
  });

  it('exchanges a code without the nonce of its arguments, and rejects another nonce', async () => {
    const client = clientOf(ada);
    const { challenge, verifier } = client.createAuthorizationCodeVerifier();
    const args = new AuthorizationArgs().setCodeChallenge(challenge).setNonce('n');
    const { code, redirectUri } = await client.authorize(args);
    expect(await client.getToken({ code, redirectUri, verifier })).toMatchObject({ idToken: expect.any(String) });
    const grant = await client.authorize(args);
    await expect(client.getToken({ ...grant, nonce: 'm', verifier })).rejects.toMatchObject({
      code: 'invalid_id_token',
    });
  });

  it('takes the answer by custom scheme, from any process that hands the address in', async () => {
    const client: Client = clientOf(ada, {
      openBrowser: async url => {
        expect(client.handleRedirect(await decide(service, url, ada.id))).toBe(true);
      },
    });
    const { challenge, verifier } = client.createAuthorizationCodeVerifier();
    const args = new AuthorizationArgs().setCodeChallenge(challenge);
    const grant = await client.authorize(args, { redirect: 'custom-scheme' });
    expect(grant.redirectUri).toBe(`discord-${application.id}:/authorize/callback`);
    expect(await client.getToken({ ...grant, verifier })).toMatchObject({ tokenType: 'Bearer' });
  });

  it('rejects with access_denied when the player declines', async () => {
    const client = clientOf(ada, {
      openBrowser: async url => {
        await fetch(await decide(service, url, ada.id, 'deny'));
      },
    });
    await expect(signIn(client)).rejects.toMatchObject({ name: 'OAuthError', code: 'access_denied' });
  });

  it('rejects with invalid_grant for another verifier, and for a code used twice', async () => {
    const client = clientOf(ada);
    const { challenge, verifier } = client.createAuthorizationCodeVerifier();
    const other = client.createAuthorizationCodeVerifier();
    const args = new AuthorizationArgs().setCodeChallenge(challenge);
    const stolen = await client.authorize(args);
    await expect(client.getToken({ ...stolen, verifier: other.verifier })).rejects.toMatchObject({
      name: 'OAuthError',
      code: 'invalid_grant',
    });
    const grant = await client.authorize(args);
    await client.getToken({ ...grant, verifier });
    await expect(client.getToken({ ...grant, verifier })).rejects.toMatchObject({ code: 'invalid_grant' });
  });

  it('gives a new pair for a refresh token, once', async () => {
    const client = clientOf(ada);
    const first = await signIn(client);
    const second = await client.refreshToken(first.refreshToken ?? '');
    expect(second.accessToken).not.toBe(first.accessToken);
    expect(second.refreshToken).not.toBe(first.refreshToken);
    await expect(client.refreshToken(first.refreshToken ?? '')).rejects.toMatchObject({ code: 'invalid_grant' });
  });

  it('logs no tokens, codes or secrets', async () => {
    const lines: string[] = [];
    const log = (fields: object, message: string) => lines.push(JSON.stringify({ ...fields, message }));
    let page = '';
    const client = clientOf(ada, {
      logger: { debug: log, info: log, warn: log, error: log },
      openBrowser: async url => {
        page = url;
        await browserOf(service, ada.id)(url);
      },
    });
    const { challenge, verifier } = client.createAuthorizationCodeVerifier();
    const grant = await client.authorize(new AuthorizationArgs().setCodeChallenge(challenge));
    const { accessToken, refreshToken = '' } = await client.getToken({ ...grant, verifier });
    client.updateToken(accessToken);
    await client.connect();
    await client.disconnect();
    const state = new URL(page).searchParams.get('state') ?? '';
    expect(lines.length).toBeGreaterThan(0);
    for (const secret of [grant.code, verifier, accessToken, refreshToken, state]) {
      expect(secret).not.toBe('');
      expect(lines.join()).not.toContain(secret);
    }
  });

  it('rejects a connection with a revoked token, close code 4004, and does not try again', async () => {
    const client = clientOf(ada);
    const { accessToken } = await signIn(client);
    await client.revokeToken(accessToken);
    await client.revokeToken(accessToken);
    await expect(client.connect()).rejects.toMatchObject({ name: 'GatewayError', closeCode: 4004, recoverable: false });
    expect(client.status).toMatchObject({ status: 'disconnected', closeCode: 4004 });
  });
});

describe('lobbies of the service, watched live', () => {
  it('goes from disconnected over connecting and connected to ready', async () => {
    const client = clientOf(ada);
    const statuses: string[] = [];
    client.status$.subscribe(({ status }) => statuses.push(status));
    await signIn(client);
    await client.connect();
    expect(client.status).toEqual({ status: 'ready', userId: ada.id });
    await client.disconnect();
    expect(statuses).toEqual(['disconnected', 'connecting', 'connected', 'ready', 'disconnecting', 'disconnected']);
  });

  it('has the lobbies the player is in as soon as connect() resolves', async () => {
    const lobby = await createLobby({ metadata: { map: 'harbour' }, members: [{ id: ada.id }] });
    await createLobby({ members: [{ id: grace.id }] });
    const client = await connected(ada);
    expect(client.lobbies.snapshot).toMatchObject([
      { id: lobby.id, applicationId: application.id, metadata: { map: 'harbour' }, members: [{ id: ada.id }] },
    ]);
  });

  it('sees a lobby appear, change and disappear as the game server changes it', async () => {
    const client = await connected(ada);
    const { id } = await createLobby({ metadata: { map: 'harbour' }, members: [{ id: ada.id }] });
    expect(await seen(client, id)).toMatchObject({ metadata: { map: 'harbour' }, members: [{ id: ada.id }] });

    await callApi(service, 'PATCH', `/lobbies/${id}`, { metadata: { map: 'lighthouse' } });
    await seen(client, id, ({ metadata }) => metadata.map === 'lighthouse');

    await callApi(service, 'PUT', `/lobbies/${id}/members/${grace.id}`, { metadata: { team: 'blue' }, flags: 1 });
    const full = await seen(client, id, ({ members }) => members.length === 2);
    expect(full.members[1]).toMatchObject({ id: grace.id, metadata: { team: 'blue' }, canLinkLobby: true });

    await callApi(service, 'DELETE', `/lobbies/${id}/members/${grace.id}`);
    await seen(client, id, ({ members }) => members.length === 1);

    await callApi(service, 'DELETE', `/lobbies/${id}`);
    await gone(client, id);
    expect(client.lobbies.snapshot).toEqual([]);
  });

  it('loses a lobby it is removed from, while the others keep it', async () => {
    const [hers, theirs] = await Promise.all([connected(ada), connected(grace)]);
    const { id } = await createLobby({ members: [{ id: ada.id }, { id: grace.id }] });
    await Promise.all([seen(hers, id), seen(theirs, id)]);
    await callApi(service, 'DELETE', `/lobbies/${id}/members/${ada.id}`);
    await gone(hers, id);
    await seen(theirs, id, ({ members }) => members.length === 1);
    expect([hers.lobby(id), theirs.lobby(id)?.members.map(({ id }) => id)]).toEqual([undefined, [grace.id]]);
  });

  it('shows who is connected', async () => {
    const { id } = await createLobby({ members: [{ id: ada.id }, { id: grace.id }] });
    const hers = await connected(ada);
    const connectedIds = (lobby: LobbyState[number]) => lobby.members.filter(one => one.connected).map(one => one.id);
    expect(connectedIds(await seen(hers, id))).toEqual([ada.id]);
    const theirs = await connected(grace);
    await seen(hers, id, lobby => connectedIds(lobby).length === 2);
    await theirs.disconnect();
    await seen(hers, id, lobby => connectedIds(lobby).length === 1);
  });

  it('gives snapshots that are frozen, and shares what an event did not change', async () => {
    const other = await createLobby({ metadata: { map: 'harbour' }, members: [{ id: ada.id }] });
    const { id } = await createLobby({ members: [{ id: ada.id }, { id: grace.id, metadata: { team: 'blue' } }] });
    const client = await connected(ada);
    const states: LobbyState[] = [];
    client.lobbies$.subscribe(state => states.push(state));

    await callApi(service, 'PUT', `/lobbies/${id}/members/${grace.id}`, { metadata: { team: 'red' } });
    await seen(client, id, ({ members }) => members[1]?.metadata.team === 'red');

    expect(states).toHaveLength(2);
    expect(states.every(isDeeplyFrozen)).toBe(true);
    const [before, after] = states.map(([first, second]) => ({ first, second }));
    expect(after?.first).toBe(before?.first);
    expect(after?.first?.id).toBe(other.id);
    expect(after?.second?.members[0]).toBe(before?.second?.members[0]);
    expect(after?.second?.members[1]).not.toBe(before?.second?.members[1]);
  });

  it('forgets the lobbies on disconnect, and has them again after the next connect', async () => {
    const { id } = await createLobby({ members: [{ id: ada.id }] });
    const client = await connected(ada);
    const before = client.lobby(id);
    await client.disconnect();
    expect(client.lobbies.snapshot).toEqual([]);
    await client.connect();
    expect(client.lobby(id)).toEqual(before);
  });

  it('shows reconnecting when the service goes away, keeps what it last received, and can be closed then', async () => {
    const { id } = await createLobby({ members: [{ id: ada.id }] });
    const client = await connected(ada);
    await service.close();
    const down = await firstValueFrom(client.status$.pipe(filter(({ status }) => status === 'reconnecting')));
    expect(down.error).toMatchObject({ code: expect.any(String) });
    expect(client.lobby(id)?.id).toBe(id);
    await client.close();
    expect(client.status.status).toBe('disconnected');
  });
});
