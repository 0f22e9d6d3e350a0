import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apiErrors } from '../../../../../src/model/errors/errors.ts';
import { closeCodes, intents } from '../../../../../src/model/gateway.ts';
import { GatewayClient } from '../../../../support/gateway/gateway-client.ts';
import { callApi } from '../../../../support/service/starfall.ts';
import { playerTokens, refreshTokens, sessionToken } from '../../../../support/service/tokens.ts';
import { type Answer, ada, game, openProvisionalWorld, type ProvisionalWorld, rival } from '../provisional/support.ts';

const child = { id: '100000000000000021', name: 'Starfall 2', owner_id: ada.id, parent_id: game.id } as const;
const secretive = { ...child, id: '100000000000000022', parent_id: rival.id };

let world: ProvisionalWorld;
beforeAll(async () => {
  world = await openProvisionalWorld();
  await world.furnish({ applications: [{ ...child, client_secret: 'child-secret' }, secretive] });
});
afterAll(() => world.close());

const refusalOf = (reason: keyof typeof apiErrors) => {
  const { status, code } = apiErrors[reason];
  return { status, body: { code } };
};

function exchange(parent: string, more: object = {}): Promise<Answer> {
  return world.post('/partner-sdk/child-token', {
    parent_access_token: parent,
    child_application_id: child.id,
    ...more,
  });
}

async function currentAuthorization(token: string) {
  const headers = { authorization: `Bearer ${token}` };
  return (await callApi(world.service, 'GET', '/oauth2/@me', undefined, headers)).body as Record<string, unknown>;
}

async function revoke(token: string, form: Record<string, string> = { client_id: game.id }): Promise<void> {
  const body = new URLSearchParams({ ...form, token });
  await fetch(`${world.service.apiBase}/v10/oauth2/token/revoke`, { method: 'POST', body });
}

describe('a child token', () => {
  it('acts for the same user with the child, with the parent’s scopes, until the parent’s end, and is not refreshed', async () => {
    const parent = await playerTokens(world.service, ada.id, 'identify lobbies.write');
    await world.service.clock.advance(1500);
    const answer = await exchange(parent.access_token);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      token_type: 'Bearer',
      access_token: expect.stringMatching(/^[\w-]{43}$/),
      expires_in: 604_798,
      scope: 'identify lobbies.write',
    });
    const token = world.token(answer);
    expect(await currentAuthorization(token)).toMatchObject({
      application: { id: child.id },
      user: { id: ada.id },
      expires: (await currentAuthorization(parent.access_token)).expires,
    });
    const lobby = await callApi(world.service, 'PUT', '/lobbies', { secret: 'child' }, world.as(token));
    expect(lobby.body).toMatchObject({ application_id: child.id, members: [{ id: ada.id }] });
  });

  it('ends when the parent’s token expires', async () => {
    const own = await openProvisionalWorld();
    await own.furnish({ applications: [child] });
    const { access_token } = await playerTokens(own.service, ada.id);
    const body = { parent_access_token: access_token, child_application_id: child.id };
    const token = own.token(await own.post('/partner-sdk/child-token', body));
    await own.service.clock.advance(604_800_000 - 1);
    expect(await own.isLive(token)).toBe(true);
    await own.service.clock.advance(1);
    expect(await own.isLive(token)).toBe(false);
    await own.close();
  });

  it.each([
    ['refreshed', async ({ refresh_token }: Tokens) => void (await refreshTokens(world.service, refresh_token))],
    ['revoked', ({ access_token }: Tokens) => revoke(access_token)],
    ['revoked by its refresh token', ({ refresh_token }: Tokens) => revoke(refresh_token)],
  ])('ends, with the sessions opened with it, when the parent’s is %s', async (_, end) => {
    const parent = await playerTokens(world.service, ada.id, 'sdk.social_layer');
    const token = world.token(await exchange(parent.access_token));
    const session = await GatewayClient.identified(world.service.gateway, {
      token: `Bearer ${token}`,
      intents: intents.LOBBIES,
    });
    await end(parent);
    expect(await world.isLive(token)).toBe(false);
    expect((await session.closed).code).toBe(closeCodes.NOT_AUTHENTICATED.code);
  });

  it('ends alone when the child revokes it', async () => {
    const parent = await playerTokens(world.service, ada.id);
    const token = world.token(await exchange(parent.access_token));
    const other = world.token(await exchange(parent.access_token));
    await revoke(token, { client_id: child.id, client_secret: 'child-secret' });
    expect(await world.isLive(token)).toBe(false);
    expect(await world.isLive(other)).toBe(true);
    expect(await world.isLive(parent.access_token)).toBe(true);
  });

  it.each([
    ['has no parent any longer', null],
    ['gets another parent', rival.id],
  ])('ends, with the sessions opened with it, when the child %s', async (_, parent_id) => {
    const leaving = { ...child, id: '100000000000000023' };
    await world.furnish({ applications: [leaving] });
    const parent = await playerTokens(world.service, ada.id, 'sdk.social_layer');
    const own = await playerTokens(world.service, ada.id, 'identify');
    const token = world.token(await exchange(parent.access_token, { child_application_id: leaving.id }));
    const sibling = world.token(await exchange(parent.access_token));
    const session = await GatewayClient.identified(world.service.gateway, {
      token: `Bearer ${token}`,
      intents: intents.LOBBIES,
    });
    await world.furnish({ applications: [{ id: leaving.id, parent_id: game.id }] });
    expect(await world.isLive(token)).toBe(true);
    await world.furnish({ applications: [{ id: leaving.id, parent_id }] });
    expect(await world.isLive(token)).toBe(false);
    expect((await session.closed).code).toBe(closeCodes.NOT_AUTHENTICATED.code);
    for (const other of [parent.access_token, own.access_token, sibling]) expect(await world.isLive(other)).toBe(true);
  });

  it('is given for a provisional account, too', async () => {
    const parent = world.token(await world.byBot('child-player'));
    const token = world.token(await exchange(parent));
    expect(await world.userOf(token)).toEqual(await world.userOf(parent));
  });

  it('needs the parent’s secret unless the parent is a public client', async () => {
    const { access_token } = await playerTokens(world.service, ada.id);
    const withSecret = (parent_client_secret: string | null) => exchange(access_token, { parent_client_secret });
    expect((await withSecret(null)).status).toBe(200);
    expect((await withSecret(game.client_secret)).status).toBe(200);
    expect(await withSecret('wrong')).toMatchObject(refusalOf('wrong_client_secret'));
    const ofRival = world.token(await world.byBot('player', {}, rival));
    const asRival = { child_application_id: secretive.id };
    expect(await exchange(ofRival, asRival)).toMatchObject(refusalOf('wrong_client_secret'));
    const answer = await exchange(ofRival, { ...asRival, parent_client_secret: rival.client_secret });
    expect(answer.status).toBe(200);
  });

  it('is rejected for a token that is not valid', async () => {
    const parent = await playerTokens(world.service, ada.id);
    await revoke(parent.access_token);
    for (const token of [
      'unknown',
      parent.access_token,
      (await playerTokens(world.service, ada.id)).refresh_token,
      await sessionToken(world.service, ada.id),
    ]) {
      expect(await exchange(token)).toMatchObject(refusalOf('invalid_access_token'));
    }
  });

  it('is rejected for an application that does not belong to the parent', async () => {
    const { access_token } = await playerTokens(world.service, ada.id);
    for (const child_application_id of [secretive.id, rival.id, game.id, '42']) {
      const answer = await exchange(access_token, { child_application_id });
      expect(answer).toMatchObject(refusalOf('unknown_application'));
    }
  });

  it('is rejected with every issue of the body', async () => {
    const { status, body } = await world.post('/partner-sdk/child-token', { parent_access_token: 'x'.repeat(10_241) });
    expect(status).toBe(400);
    const faults = Object.keys((body as { errors: object }).errors);
    expect(faults).toEqual(['parent_access_token', 'child_application_id']);
  });
});

type Tokens = Awaited<ReturnType<typeof playerTokens>>;
