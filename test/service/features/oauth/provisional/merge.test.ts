import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { apiErrors } from '../../../../../src/model/errors/errors.ts';
import { closeCodes, intents } from '../../../../../src/model/gateway.ts';
import type { Lobby } from '../../../../../src/model/lobby.ts';
import { deviceCodeGrantType } from '../../../../../src/model/oauth.ts';
import { systemEntropy } from '../../../../../src/wire/clock/ports.ts';
import { codeChallengeOf, createCodeVerifier } from '../../../../../src/wire/oauth/pkce.ts';
import { decide } from '../../../../support/browser/player.ts';
import { GatewayClient } from '../../../../support/gateway/gateway-client.ts';
import { startLoopbackServer } from '../../../../support/http/loopback-server.ts';
import { callApi } from '../../../../support/service/starfall.ts';
import { playerToken, sessionToken } from '../../../../support/service/tokens.ts';
import {
  type Answer,
  ada,
  botIssued,
  game,
  grace,
  openProvisionalWorld,
  type ProvisionalWorld,
  rival,
} from './support.ts';

let world: ProvisionalWorld;
beforeAll(async () => {
  world = await openProvisionalWorld();
});
afterAll(() => world.close());
beforeEach(() => world.provider.begin());

let names = 0;
const newName = () => `player-${++names}`;
const refusalOf = (reason: keyof typeof apiErrors) => {
  const { status, code } = apiErrors[reason];
  return { status, body: { code } };
};

/** A user that is in nothing yet. */
async function newcomer(in_: ProvisionalWorld = world): Promise<string> {
  const id = String(900_000 + ++names);
  await in_.furnish({ users: [{ id }] });
  return id;
}

async function join(token: string, secret: string, more: object = {}, in_: ProvisionalWorld = world): Promise<Lobby> {
  const answer = await callApi(in_.service, 'PUT', '/lobbies', { secret, ...more }, in_.as(token));
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  return answer.body as Lobby;
}

async function lobbyMembers(id: string, in_: ProvisionalWorld = world) {
  const { body } = await callApi(in_.service, 'GET', `/lobbies/${id}`);
  return (body as Lobby).members;
}

async function watch(token: string): Promise<GatewayClient> {
  const identify = { token: `Bearer ${token}`, intents: intents.LOBBIES | intents.LOBBY_DELETE };
  return GatewayClient.identified(world.service.gateway, identify);
}

/** A code for the game, as its user's browser brings it. */
async function newCode(userId: string) {
  const verifier = createCodeVerifier(systemEntropy);
  const authorize = new URL(`${world.service.webBase}/oauth2/authorize`);
  const redirect_uri = game.redirect_uris[0];
  authorize.search = new URLSearchParams({
    ...{ response_type: 'code', client_id: game.id, redirect_uri, scope: 'identify' },
    ...{ code_challenge: codeChallengeOf(verifier), code_challenge_method: 'S256' },
  }).toString();
  const code = new URL(await decide(world.service, authorize.href, userId)).searchParams.get('code') ?? '';
  return { grant_type: 'authorization_code', client_id: game.id, redirect_uri, code, code_verifier: verifier };
}

async function exchange(form: Record<string, string>): Promise<Answer> {
  const body = new URLSearchParams(form);
  const answer = await fetch(`${world.service.apiBase}/v10/oauth2/token`, { method: 'POST', body });
  return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Answer['body'] };
}

const proofOf = (token: string, type = botIssued) => ({ external_auth_type: type, external_auth_token: token });

describe('a merge', () => {
  it('moves a player who joined a lobby by its secret, and all members receive the events', async () => {
    const name = newName();
    const userId = await newcomer();
    const observer = await playerToken(world.service, grace.id);
    const provisional = world.token(await world.byBot(name));
    const { id: sourceId } = await world.userOf(provisional);
    const { id: lobbyId } = await join(observer, name);
    await join(provisional, name, { member_metadata: { team: 'red' } });
    const [seen, own, full] = await Promise.all([
      watch(observer),
      watch(provisional),
      watch(await playerToken(world.service, userId)),
    ]);

    const merged = await world.merge(userId, botIssued, provisional);
    expect(merged.refresh_token).toEqual(expect.any(String));
    const metadata = { team: 'red' };
    expect(await lobbyMembers(lobbyId)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ id: userId, metadata }),
        expect.objectContaining({ id: grace.id }),
      ]),
    );
    expect(await lobbyMembers(lobbyId)).toHaveLength(2);

    expect(await seen.dispatch('LOBBY_MEMBER_REMOVE')).toMatchObject({ member: { user_id: sourceId } });
    expect(await seen.dispatch('LOBBY_MEMBER_ADD')).toMatchObject({
      member: { user_id: userId, metadata, connected: true },
    });
    expect(await full.dispatch('LOBBY_CREATE')).toMatchObject({ id: lobbyId });
    const completed = await full.dispatch('USER_MERGE_OPERATION_COMPLETED');
    expect(completed).toEqual({ merge_operation_id: expect.any(String), source_user_id: sourceId });
    expect((await own.closed).code).toBe(closeCodes.NOT_AUTHENTICATED.code);
    expect(await world.isLive(provisional)).toBe(false);
    await Promise.all([seen.end(), full.end()]);

    // The player goes on under the new account.
    const again = await watch(String(merged.access_token));
    expect(await again.dispatch('LOBBY_CREATE')).toMatchObject({ id: lobbyId });
    await again.end();
  });

  it('works for an identity proven by an ID token or a ticket, too', async () => {
    for (const [type, token] of [
      ['OIDC', await world.provider.sign(newName())],
      ['STEAM_SESSION_TICKET', newName()],
    ] as const) {
      const userId = await newcomer();
      const { id: lobbyId } = await join(world.token(await world.byProof(token, type)), newName());
      await world.merge(userId, type, token);
      expect((await lobbyMembers(lobbyId)).map(({ id }) => id)).toEqual([userId]);
    }
  });

  it('works for a device', async () => {
    const userId = await newcomer();
    const provisional = world.token(await world.byBot(newName()));
    const { id: lobbyId } = await join(provisional, newName());
    const start = new URLSearchParams({ client_id: game.id, scope: 'openid sdk.social_layer' });
    const started = await fetch(`${world.service.apiBase}/v10/oauth2/device/authorize`, {
      method: 'POST',
      body: start,
    });
    const { device_code, user_code } = (await started.json()) as { device_code: string; user_code: string };
    const headers = { authorization: await sessionToken(world.service, userId), 'content-type': 'application/json' };
    await callApi(world.service, 'POST', '/oauth2/device/finish', { user_code, result: 'granted' }, headers);
    const form = { grant_type: deviceCodeGrantType, client_id: game.id, device_code };
    expect(await exchange({ ...form, ...proofOf('wrong') })).toMatchObject(refusalOf('invalid_access_token'));
    expect((await exchange({ ...form, ...proofOf(provisional) })).status).toBe(200);
    expect((await lobbyMembers(lobbyId)).map(({ id }) => id)).toEqual([userId]);
  });

  it('leaves a membership that the full account has already', async () => {
    const userId = await newcomer();
    const provisional = world.token(await world.byBot(newName()));
    const secret = newName();
    await join(await playerToken(world.service, userId), secret, { member_metadata: { who: 'full' } });
    const { id: lobbyId } = await join(provisional, secret, { member_metadata: { who: 'provisional' } });
    await world.merge(userId, botIssued, provisional);
    expect(await lobbyMembers(lobbyId)).toMatchObject([{ id: userId, metadata: { who: 'full' } }]);
  });

  it('does not lead over the number of lobbies that an account can be in', async () => {
    const narrow = await openProvisionalWorld({ limits: { name: 'off', asOf: '', buckets: {}, lobbiesPerUserMax: 2 } });
    const provisional = narrow.token(await narrow.byBot('player'));
    const userId = await newcomer(narrow);
    const own = await join(await playerToken(narrow.service, userId), 'own', {}, narrow);
    const two = [await join(provisional, 'one', {}, narrow), await join(provisional, 'two', {}, narrow)];
    await narrow.merge(userId, botIssued, provisional);
    const members = await Promise.all([own, ...two].map(({ id }) => lobbyMembers(id, narrow)));
    expect(members.flat().map(({ id }) => id)).toEqual([userId, userId]);
    await narrow.close();
  });

  it('ends the provisional account: it is unknown, and the identity leads to the full one', async () => {
    const name = newName();
    const userId = await newcomer();
    const provisional = world.token(await world.byBot(name));
    const { id: sourceId } = await world.userOf(provisional);
    await world.merge(userId, botIssued, provisional);
    const { body } = await callApi(world.service, 'POST', '/lobbies', { members: [{ id: sourceId }] });
    expect(body).toMatchObject({ code: apiErrors.unknown_user.code });
    const answer = await world.byBot(name);
    expect(answer).toMatchObject(refusalOf('account_not_provisional'));
    expect(answer.body).toMatchObject({ user: { id: userId }, provider: botIssued });
    expect(await world.byProof(provisional, botIssued)).toMatchObject(refusalOf('invalid_access_token'));
  });

  it('takes all identities of the provisional account along', async () => {
    const userId = await newcomer();
    const token = await world.provider.sign(newName());
    const provisional = world.token(await world.byProof(token));
    const linked = newName();
    await world.byBot(linked, { provisional_user_id: (await world.userOf(provisional)).id });
    await world.merge(userId, 'OIDC', token);
    expect(await world.byBot(linked)).toMatchObject(refusalOf('account_not_provisional'));
    expect(await world.byProof(token)).toMatchObject(refusalOf('account_not_provisional'));
  });

  it('is done already when the identity leads to the same account', async () => {
    const userId = await newcomer();
    const token = await world.provider.sign(newName());
    await world.byProof(token);
    await world.merge(userId, 'OIDC', token);
    expect(await world.merge(userId, 'OIDC', token)).toHaveProperty('access_token');
  });

  it('is rejected for an unknown identity, or one of another account', async () => {
    const unused = await world.provider.sign(newName());
    expect(await world.merge(ada.id, 'OIDC', unused)).toMatchObject({ code: apiErrors.invalid_merge_source.code });
    const taken = await world.provider.sign(newName());
    await world.byProof(taken);
    await world.merge(await newcomer(), 'OIDC', taken);
    expect(await world.merge(ada.id, 'OIDC', taken)).toMatchObject({ code: apiErrors.invalid_merge_source.code });
  });

  it('is rejected for a provisional account that is banned, and into a full one that is', async () => {
    const token = await world.provider.sign(newName());
    const { id } = await world.userOf(world.token(await world.byProof(token)));
    const userId = await newcomer();
    const code = await newCode(userId);
    await world.furnish({ users: [{ id: userId, banned: true }] });
    const answer = await exchange({ ...code, ...proofOf(token, 'OIDC') });
    expect(answer).toMatchObject(refusalOf('invalid_merge_destination'));
    await world.furnish({ users: [{ id, banned: true }] });
    expect(await world.merge(ada.id, 'OIDC', token)).toMatchObject({ code: apiErrors.merge_source_banned.code });
  });

  it('is rejected when the account would have more than ten identities', async () => {
    const userId = await newcomer();
    for (let nth = 1; nth <= 10; nth++) {
      const token = world.token(await world.byBot(newName()));
      expect(await world.merge(userId, botIssued, token)).toHaveProperty('access_token');
    }
    const token = world.token(await world.byBot(newName()));
    const answer = await world.merge(userId, botIssued, token);
    expect(answer).toMatchObject({ code: apiErrors.too_many_identities.code });
    expect(await world.isLive(token)).toBe(true);
  });

  it('goes to one of two accounts that request it concurrently', async () => {
    const token = await world.provider.sign(newName());
    const { id: lobbyId } = await join(world.token(await world.byProof(token)), newName());
    const users = [await newcomer(), await newcomer()];
    const codes = await Promise.all(users.map(newCode));
    const answers = await Promise.all(codes.map(code => exchange({ ...code, ...proofOf(token, 'OIDC') })));
    const won = answers.findIndex(({ status }) => status === 200);
    const lost = answers[1 - won];
    expect([apiErrors.account_locked.status, apiErrors.invalid_merge_source.status]).toContain(lost?.status);
    expect((await lobbyMembers(lobbyId)).map(({ id }) => id)).toEqual([users[won]]);
  });
});

describe('an identity at the token endpoint', () => {
  it.each([
    [{ external_auth_token: 'x' }, 'Missing "external_auth_type"'],
    [{ external_auth_type: 'OIDC' }, 'Missing "external_auth_token"'],
    [proofOf('x', 'XBOX'), 'Invalid "external_auth_type"'],
    [proofOf('x'.repeat(10_241), 'OIDC'), 'Invalid "external_auth_token"'],
  ])('must be sound: %.60j', async (proof, error_description) => {
    const answer = await exchange({ ...(await newCode(ada.id)), ...(proof as Record<string, string>) });
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_request', error_description } });
  });

  it('leaves the code as it was when it is wrong', async () => {
    const code = await newCode(ada.id);
    const wrong = await world.provider.sign('ada', { exp: 1 });
    const answer = await exchange({ ...code, ...proofOf(wrong, 'OIDC') });
    expect(answer).toMatchObject(refusalOf('identity_token_expired'));
    const tooOld = await exchange({ ...code, ...proofOf('x'.repeat(10_240), 'OIDC') });
    expect(tooOld).toMatchObject(refusalOf('invalid_identity_token'));
    expect(await exchange({ ...code, ...proofOf('unknown') })).toMatchObject(refusalOf('invalid_access_token'));
    expect((await exchange(code)).status).toBe(200);
  });

  it('is not verified for a client without a code', async () => {
    const asked = world.tickets.seen.length;
    const form = { ...(await newCode(ada.id)), code: 'unknown', ...proofOf('x', 'STEAM_SESSION_TICKET') };
    expect(await exchange(form)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    expect(world.tickets.seen.length).toBe(asked);
  });
});

describe('an unmerge', () => {
  it('ends the user’s tokens and gives the identity a new account, with the lobbies', async () => {
    const name = newName();
    const userId = await newcomer();
    const observer = await playerToken(world.service, grace.id);
    const source = await world.userOf(world.token(await world.byBot(name)));
    const { id: lobbyId } = await join(observer, name);
    const provisional = world.token(await world.byBot(name));
    await join(provisional, name, { member_metadata: { team: 'red' } });
    const merged = await world.merge(userId, botIssued, provisional);
    const seen = await watch(observer);

    expect((await world.unmergeByBot(name)).status).toBe(204);
    expect(await world.isLive(String(merged.access_token))).toBe(false);
    const refreshed = await exchange({
      grant_type: 'refresh_token',
      client_id: game.id,
      refresh_token: String(merged.refresh_token),
    });
    expect(refreshed).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    const account = await world.userOf(world.token(await world.byBot(name)));
    expect([userId, source.id]).not.toContain(account.id);
    expect(await lobbyMembers(lobbyId)).toEqual(
      expect.arrayContaining([expect.objectContaining({ id: account.id, metadata: { team: 'red' } })]),
    );
    expect((await lobbyMembers(lobbyId)).map(({ id }) => id)).not.toContain(userId);
    expect(await seen.dispatch('LOBBY_MEMBER_ADD')).toMatchObject({ member: { user_id: account.id } });
    expect(seen.names).not.toContain('USER_MERGE_OPERATION_COMPLETED');
    await seen.end();
  });

  it.each(['Grace', null])('gives the new account the display name %j that the full account has', async global_name => {
    const name = newName();
    const userId = await newcomer();
    await world.furnish({ users: [{ id: userId, global_name }] });
    await world.merge(userId, botIssued, world.token(await world.byBot(name, { preferred_global_name: 'Prov' })));
    expect((await world.unmergeByBot(name)).status).toBe(204);
    expect(await world.userOf(world.token(await world.byBot(name)))).toMatchObject({ global_name });
  });

  it('works by a proof, and the account can be merged again', async () => {
    const userId = await newcomer();
    const token = await world.provider.sign(newName());
    await world.byProof(token);
    await world.merge(userId, 'OIDC', token);
    const unmerge = () =>
      world.post('/partner-sdk/provisional-accounts/unmerge', { client_id: game.id, ...proofOf(token, 'OIDC') });
    expect((await unmerge()).status).toBe(204);
    expect(await unmerge()).toMatchObject(refusalOf('invalid_user_type'));
    expect(await world.merge(userId, 'OIDC', token)).toHaveProperty('access_token');
    expect((await unmerge()).status).toBe(204);
  });

  it('needs the client', async () => {
    const path = '/partner-sdk/provisional-accounts/unmerge';
    const proof = proofOf(await world.provider.sign(newName()), 'OIDC');
    const asked = (client: object) => world.post(path, { ...client, ...proof });
    expect(await asked({ client_id: rival.id })).toMatchObject(refusalOf('wrong_client_secret'));
    expect(await asked({ client_id: '42' })).toMatchObject(refusalOf('unknown_application'));
    expect(await asked({ client_id: game.id })).toMatchObject(refusalOf('unknown_user'));
    expect(await world.post(`${path}/bot`, { external_user_id: 'x' })).toMatchObject(refusalOf('unauthorized'));
  });

  it('is rejected for an unknown identity, and for a provisional account', async () => {
    const name = newName();
    expect(await world.unmergeByBot(name)).toMatchObject(refusalOf('unknown_user'));
    const token = world.token(await world.byBot(name));
    expect(await world.unmergeByBot(name)).toMatchObject(refusalOf('invalid_user_type'));
    expect(await world.unmergeByBot(name, rival)).toMatchObject(refusalOf('unknown_user'));
    expect(await world.isLive(token)).toBe(true);
  });

  it('is sent to the application’s server as the end of the authorization', async () => {
    const heard: { type: string; user: { id: string } }[] = [];
    const server = await startLoopbackServer(({ body }, response) => {
      const { event } = JSON.parse(body) as { event: { type: string; data: { user: { id: string } } } };
      heard.push({ type: event.type, user: event.data.user });
      response.writeHead(204).end();
    });
    const userId = await newcomer();
    const name = newName();
    await world.merge(userId, botIssued, world.token(await world.byBot(name)));
    await world.furnish({ applications: [{ id: game.id, event_webhooks_url: server.baseUrl }] });
    await world.unmergeByBot(name);
    await world.service.clock.advance(0);
    expect(heard).toMatchObject([{ type: 'APPLICATION_DEAUTHORIZED', user: { id: userId } }]);
    await world.furnish({ applications: [{ id: game.id, event_webhooks_url: null }] });
    await server.close();
  });

  it('happens once for several concurrent requests', async () => {
    const name = newName();
    await world.merge(await newcomer(), botIssued, world.token(await world.byBot(name)));
    const answers = await Promise.all(Array.from({ length: 5 }, () => world.unmergeByBot(name)));
    expect(answers.filter(({ status }) => status === 204)).toHaveLength(1);
    expect(answers.filter(({ status }) => ![204, 403, 423].includes(status))).toEqual([]);
  });
});
