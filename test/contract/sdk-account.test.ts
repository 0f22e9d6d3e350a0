import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { limits } from '../../src/model/limits/limits.ts';
import { AuthorizationArgs } from '../../src/sdk/auth/authorization-args.ts';
import type { DeviceProgress } from '../../src/sdk/auth/device-flow.ts';
import { Client } from '../../src/sdk/client.ts';
import type { ClientOptions } from '../../src/sdk/client-options.ts';
import { openCredentials } from '../../src/sdk/credentials/open-credentials.ts';
import { memoryKeychain } from '../../src/sdk/keychain/opened-keychain.ts';
import { type Service, startService } from '../../src/service/index.ts';
import { VirtualClock } from '../../src/wire/clock/virtual-clock.ts';
import { browserOf, signIn } from '../support/browser/player.ts';
import { passTime } from '../support/clock/pass-time.ts';
import { temporaryFolder } from '../support/runs/folder.ts';
import { openTicketOffice } from '../support/service/provisional.ts';
import { starfall } from '../support/service/starfall.ts';
import { sessionToken } from '../support/service/tokens.ts';

const [application] = starfall.applications;
const [ada, grace] = starfall.users;
const sequel = {
  ...application,
  id: '200000000000000001',
  name: 'Starfall II',
  bot_token: 'b',
  parent_id: application.id,
};
const steam = (player: string) => ({ type: 'STEAM_SESSION_TICKET', token: player }) as const;

let tickets: Awaited<ReturnType<typeof openTicketOffice>>;
let service: Service;
let clients: Client[];

beforeEach(async () => {
  tickets = await openTicketOffice();
  const [first, ...more] = starfall.applications;
  const applications = [{ ...first, identity_providers: [tickets.provider] }, ...more, sequel];
  service = await startService({ fixtures: { ...starfall, applications }, limits: 'off' });
  clients = [];
});

afterEach(async () => {
  await Promise.all(clients.map(client => client.close()));
  await service.close();
  await tickets.close();
});

function clientOf(user: { readonly id: string } = ada, options: Partial<ClientOptions> = {}): Client {
  const client = new Client({
    applicationId: application.id,
    baseUrl: service.webBase,
    openBrowser: browserOf(service, user.id),
    ...options,
  });
  clients.push(client);
  return client;
}

/** What the page does at which a player types in a device's code. */
async function answerDevice(userCode: string, result: 'granted' | 'denied', userId: string = ada.id): Promise<void> {
  const answer = await fetch(`${service.apiBase}/v10/oauth2/device/finish`, {
    method: 'POST',
    headers: { authorization: await sessionToken(service, userId), 'content-type': 'application/json' },
    body: JSON.stringify({ user_code: userCode, result }),
  });
  expect(answer.status).toBe(204);
}

describe('who a token belongs to', () => {
  it('is available without a connection, for the client’s token and for any other', async () => {
    const client = clientOf();
    const { accessToken } = await signIn(client);
    const user = { id: ada.id, username: 'ada', globalName: 'Ada', displayName: 'Ada' };
    expect(await client.fetchCurrentUser()).toEqual(user);
    expect(await clientOf().fetchCurrentUser({ accessToken })).toEqual(user);
    expect(client.status.status).toBe('disconnected');
  });

  it('is not notified of a token that is invalid, or that does not open it', async () => {
    const client = clientOf();
    await expect(client.fetchCurrentUser()).rejects.toMatchObject({ code: 'missing_access_token' });
    const wrong = client.fetchCurrentUser({ accessToken: 'wrong' });
    await expect(wrong).rejects.toMatchObject({ name: 'ApiError', status: 401 });
    await signIn(client, new AuthorizationArgs().setScopes('openid'));
    await expect(client.fetchCurrentUser()).rejects.toMatchObject({ code: 'missing_scope' });
    const aborted = client.fetchCurrentUser({ signal: AbortSignal.abort() });
    await expect(aborted).rejects.toMatchObject({ code: 'aborted' });
  });
});

describe('a sign-in by device', () => {
  const start = (onProgress: (progress: DeviceProgress) => void) => {
    const clock = new VirtualClock(Date.now());
    return passTime(clock, clientOf(ada, { clock }).getTokenFromDevice({}, { onProgress }), 60_000, 10);
  };

  it('gives tokens once the player has said yes on the other device', async () => {
    const seen: string[] = [];
    const tokens = await start(({ state, userCode, verificationUri }) => {
      seen.push(state);
      expect(verificationUri).toBe(`${service.webBase}/activate`);
      if (state === 'pending') void answerDevice(userCode, 'granted');
    });
    expect(tokens.scopes.split(' ').sort()).toEqual(['openid', 'sdk.social_layer']);
    expect(seen[0]).toBe('pending');
    expect(seen.at(-1)).toBe('granted');
    expect(await clientOf().fetchCurrentUser(tokens)).toMatchObject({ id: ada.id });
  });

  it('ends when the player said no', async () => {
    const denied = start(({ state, userCode }) => {
      if (state === 'pending') void answerDevice(userCode, 'denied');
    });
    await expect(denied).rejects.toMatchObject({ name: 'OAuthError', code: 'access_denied' });
  });

  it('ends when the game does not want it any more, or is closed', async () => {
    const client = clientOf();
    const first = client.getTokenFromDevice();
    await expect(client.getTokenFromDevice()).rejects.toMatchObject({ code: 'authorization_in_progress' });
    client.abortGetTokenFromDevice();
    await expect(first).rejects.toMatchObject({ code: 'aborted' });
    const second = expect(client.getTokenFromDevice()).rejects.toMatchObject({ code: 'aborted' });
    await client.close();
    await second;
    await expect(client.getTokenFromDevice()).rejects.toMatchObject({ code: 'closed' });
  });

  it('takes a provisional account along', async () => {
    const player = await clientOf().getProvisionalToken(steam('p-1'));
    const { id } = await clientOf().fetchCurrentUser(player);
    const clock = new VirtualClock(Date.now());
    const merging = clientOf(ada, { clock }).getTokenFromDeviceProvisionalMerge({}, steam('p-1'), {
      onProgress: ({ state, userCode }) => {
        if (state === 'pending') void answerDevice(userCode, 'granted');
      },
    });
    const merged = await clientOf().fetchCurrentUser(await passTime(clock, merging, 60_000, 10));
    expect(merged.id).toBe(ada.id);
    expect(merged.id).not.toBe(id);
  });
});

describe('a provisional account', () => {
  it('is made for an identity at first, and is the same ever after; it can be named', async () => {
    const client = clientOf();
    const tokens = await client.getProvisionalToken(steam('p-1'));
    expect(tokens).not.toHaveProperty('refreshToken');
    expect(tokens.expiresAtMs).toBeGreaterThan(Date.now());
    client.updateToken(tokens);
    const { id } = await client.fetchCurrentUser();
    expect(await client.fetchCurrentUser(await client.getProvisionalToken(steam('p-1')))).toMatchObject({ id });
    await client.updateProvisionalAccountDisplayName('Captain');
    expect(await client.fetchCurrentUser()).toMatchObject({ id, displayName: 'Captain' });
    expect((await client.fetchCurrentUser(await client.getProvisionalToken(steam('p-2')))).id).not.toBe(id);
  });

  it('connects, and may be in lobbies', async () => {
    const client = clientOf();
    client.updateToken(await client.getProvisionalToken(steam('p-1')));
    await client.connect();
    expect((await client.lobbies.join('raid')).id).toMatch(/^\d+$/);
  });

  it('becomes part of the account that the player signs in with, for the application of the arguments alone', async () => {
    const client = clientOf(ada, { applicationId: undefined });
    const owner = clientOf();
    const before = await owner.fetchCurrentUser(await owner.getProvisionalToken(steam('p-1')));
    expect(before.id).not.toBe(ada.id);
    const { challenge, verifier } = client.createAuthorizationCodeVerifier();
    const args = new AuthorizationArgs({ clientId: application.id, codeChallenge: challenge });
    const grant = await client.authorize(args);
    const tokens = await client.getTokenFromProvisionalMerge({ ...grant, verifier }, steam('p-1'));
    expect(await client.fetchCurrentUser(tokens)).toMatchObject({ id: ada.id });
  });

  it('becomes part of the account that the player signs in with, and can be taken out again', async () => {
    const client = clientOf();
    const before = await client.fetchCurrentUser(await client.getProvisionalToken(steam('p-1')));
    const { challenge, verifier } = client.createAuthorizationCodeVerifier();
    const grant = await client.authorize(new AuthorizationArgs().setCodeChallenge(challenge));
    const tokens = await client.getTokenFromProvisionalMerge({ ...grant, verifier }, steam('p-1'));
    expect(await client.fetchCurrentUser(tokens)).toMatchObject({ id: ada.id });
    await expect(client.getProvisionalToken(steam('p-1'))).rejects.toMatchObject({ name: 'ApiError' });

    await client.unmergeIntoProvisionalAccount(steam('p-1'));
    await expect(client.fetchCurrentUser(tokens)).rejects.toMatchObject({ name: 'ApiError', status: 401 });
    const after = await client.fetchCurrentUser(await client.getProvisionalToken(steam('p-1')));
    expect(after.id).not.toBe(before.id);
  });

  it('is rejected without a proof that holds, and nothing is sent for one that cannot', async () => {
    const client = clientOf();
    await expect(client.getProvisionalToken(steam('none'))).rejects.toMatchObject({ name: 'ApiError' });
    const asked = tickets.seen.length;
    for (const proof of [steam(''), steam('x'.repeat(10_241)), { type: 'FACEBOOK' as 'OIDC', token: 't' }]) {
      await expect(client.getProvisionalToken(proof)).rejects.toMatchObject({ name: 'ValidationError' });
      await expect(client.unmergeIntoProvisionalAccount(proof)).rejects.toMatchObject({ name: 'ValidationError' });
    }
    client.updateToken('t');
    for (const name of ['', 'x'.repeat(limits.globalNameLengthMax + 1)]) {
      const naming = client.updateProvisionalAccountDisplayName(name);
      await expect(naming).rejects.toMatchObject({ name: 'ValidationError' });
    }
    expect(tickets.seen).toHaveLength(asked);
  });
});

describe('a publisher’s token', () => {
  it('is exchanged for one of a game of the same publisher, which ends with it', async () => {
    const client = clientOf();
    const { accessToken, expiresAtMs } = await signIn(client);
    const child = await client.exchangeChildToken(accessToken, sequel.id);
    expect(child).not.toHaveProperty('refreshToken');
    expect(child.expiresAtMs).toBeLessThanOrEqual(expiresAtMs + 1_000);
    expect(await client.fetchCurrentUser(child)).toMatchObject({ id: ada.id });
    await client.revokeToken(accessToken);
    await expect(client.fetchCurrentUser(child)).rejects.toMatchObject({ status: 401 });
  });

  it('is exchanged for none of another publisher’s', async () => {
    const client = clientOf();
    const { accessToken } = await signIn(client);
    const foreign = client.exchangeChildToken(accessToken, '404');
    await expect(foreign).rejects.toMatchObject({ name: 'ApiError', code: 'unknown_application' });
    await expect(client.exchangeChildToken('', sequel.id)).rejects.toMatchObject({ name: 'ValidationError' });
    await expect(client.exchangeChildToken(accessToken, 'x')).rejects.toMatchObject({ code: 'invalid_snowflake' });
  });
});

describe('updateToken', () => {
  it('leaves a connection alone when the token is the same player’s', async () => {
    const client = clientOf();
    const tokens = await signIn(client);
    await client.connect();
    const seen: string[] = [];
    client.status$.subscribe(({ status }) => seen.push(status));
    client.updateToken(await client.refreshToken(tokens.refreshToken ?? ''));
    expect((await client.lobbies.join('raid')).id).toMatch(/^\d+$/);
    expect(seen).toEqual(['ready']);
  });

  it('opens another connection when the ID token of the new token names another player', async () => {
    const client = clientOf();
    await signIn(client);
    await client.connect();
    client.updateToken(await signIn(clientOf(grace)));
    await client.connect();
    expect(client.status).toMatchObject({ status: 'ready', userId: grace.id });
  });

  it('with another player’s ends what waits, and shows no message of the one before', async () => {
    const client = clientOf();
    await signIn(client);
    await client.connect();
    const conversation = client.messages.get(grace.id);
    await client.disconnect();
    await expect(conversation.send('from ada')).rejects.toMatchObject({ code: 'client_not_ready' });
    expect(conversation.messages.map(({ content }) => content)).toEqual(['from ada']);
    const joining = client.lobbies.join('raid', { whenOffline: 'queue' });
    const sending = conversation.send('also from ada', { whenOffline: 'queue' });
    client.updateToken(await signIn(clientOf(grace)));
    await Promise.all([
      expect(joining).rejects.toMatchObject({ code: 'aborted' }),
      expect(sending).rejects.toMatchObject({ code: 'aborted' }),
      client.connect(),
    ]);
    expect([client.lobbies.snapshot, conversation.messages]).toEqual([[], []]);
  });

  it('forgets the token for undefined, and disconnects', async () => {
    const client = clientOf();
    await signIn(client);
    await client.connect();
    client.updateToken(undefined);
    expect(client.isAuthenticated).toBe(false);
    expect(client.status.status).toBe('disconnecting');
    await expect(client.connect()).rejects.toMatchObject({ code: 'missing_access_token' });
  });
});

describe('credentials kept for a client', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  beforeEach(async () => {
    folder = await temporaryFolder();
  });
  afterEach(() => folder.remove());
  const open = (client: Client, keychain = memoryKeychain()) =>
    openCredentials({ client, keychain, folder: folder.path });

  it('sign a player in, and the next start finds them', async () => {
    const keychain = memoryKeychain();
    const first = await open(clientOf(), keychain);
    await first.signIn();
    await first.close();
    const client = clientOf();
    const next = await open(client, keychain);
    expect(next.state).toMatchObject({ status: 'signed-in', scopes: expect.stringContaining('sdk.social_layer') });
    await client.connect();
    expect(client.status).toMatchObject({ status: 'ready', userId: ada.id });
    await next.close();
  });

  it('say who is signed in, and a connected window follows when another one signs in another user', async () => {
    const keychain = memoryKeychain();
    const [one, other] = [clientOf(ada), clientOf(grace)];
    const [first, second] = [await open(one, keychain), await open(other, keychain)];
    await first.signIn();
    expect(first.state.userId).toBe(ada.id);
    await one.connect();
    await second.signIn();
    await new Promise<void>(resolve => {
      one.status$.subscribe(({ status, userId }) => status === 'ready' && userId === grace.id && resolve());
    });
    expect(first.state.userId).toBe(grace.id);
    await Promise.all([first.close(), second.close()]);
  });

  it('stay as they are when the player declines, or the game gives up', async () => {
    const client = clientOf(ada, { openBrowser: () => {} });
    const credentials = await open(client);
    const abort = new AbortController();
    const asking = credentials.signIn(undefined, { signal: abort.signal });
    abort.abort();
    await expect(asking).rejects.toMatchObject({ code: 'aborted' });
    const again = expect(credentials.signIn()).rejects.toMatchObject({ code: 'aborted' });
    client.abortAuthorize();
    await again;
    expect(credentials.state.status).toBe('signed-out');
    await credentials.close();
  });

  it('end with their reason when the grant was revoked while the game was connected', async () => {
    const client = clientOf();
    const credentials = await open(client);
    await credentials.signIn();
    await client.connect();
    await clientOf().revokeToken(await credentials.accessToken());
    await new Promise<void>(resolve => {
      credentials.state$.subscribe(({ status }) => status === 'signed-out' && resolve());
    });
    expect(credentials.state.reason).toBe('revoked');
    expect(client.isAuthenticated).toBe(false);
    await credentials.close();
  });

  it('refresh without losing the connection', async () => {
    const client = clientOf();
    const credentials = await open(client);
    await credentials.signIn();
    await client.connect();
    const rejected = await credentials.accessToken();
    expect(await credentials.accessToken({ rejected })).not.toBe(rejected);
    expect((await client.lobbies.join('raid')).id).toMatch(/^\d+$/);
    expect(client.status.status).toBe('ready');
    await credentials.close();
  });
});
