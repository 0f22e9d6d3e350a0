import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apiErrors } from '../../../../../src/model/errors/errors.ts';
import { callApi } from '../../../../support/service/starfall.ts';
import { playerToken } from '../../../../support/service/tokens.ts';
import { ada, botIssued, game, openProvisionalWorld, type ProvisionalWorld, plain, rival } from './support.ts';

let world: ProvisionalWorld;
beforeAll(async () => {
  world = await openProvisionalWorld();
});
afterAll(() => world.close());

let names = 0;
const newName = () => `player-${++names}`;
const refusalOf = (reason: keyof typeof apiErrors) => {
  const { status, code } = apiErrors[reason];
  return { status, body: { code } };
};

describe('a token by the word of the bot', () => {
  it('is answered with all the interface names, and none to refresh it', async () => {
    const { status, body, headers } = await world.byBot(newName());
    expect(status).toBe(200);
    expect(body).toEqual({
      token_type: 'Bearer',
      access_token: expect.stringMatching(/^[\w-]{43}$/),
      expires_in: 604_800,
      scope: 'openid sdk.social_layer',
      scopes: ['openid', 'sdk.social_layer'],
      expires_at_s: Math.floor(world.service.clock.now() / 1000) + 604_800,
      id_token: expect.any(String),
    });
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it('comes with an ID token about the account', async () => {
    const { body } = await world.byBot(newName());
    const keys = (await callApi(world.service, 'GET', '/oauth2/keys')).body as JSONWebKeySet;
    const { payload } = await jwtVerify(String(body.id_token), createLocalJWKSet(keys), {
      issuer: world.service.webBase,
      audience: game.id,
      currentDate: new Date(world.service.clock.now()),
    });
    expect(payload.sub).toBe((await world.userOf(String(body.access_token))).id);
  });

  it('stands for the same account whenever the same player comes, and for another with another application', async () => {
    const name = newName();
    const first = await world.userOf(world.token(await world.byBot(name)));
    expect(await world.userOf(world.token(await world.byBot(name)))).toEqual(first);
    const elsewhere = await world.userOf(world.token(await world.byBot(name, {}, rival)));
    expect(elsewhere.id).not.toBe(first.id);
  });

  it('does not prolong its own life when it is the proof of another', async () => {
    const own = await openProvisionalWorld();
    const first = own.token(await own.byBot('player'));
    await own.service.clock.advance(604_800_000 - 60_500);
    const { status, body } = await own.byProof(first, botIssued);
    expect([status, body.expires_in]).toEqual([200, 60]);
    const keys = (await callApi(own.service, 'GET', '/oauth2/keys')).body as JSONWebKeySet;
    const currentDate = new Date(own.service.clock.now());
    const { payload } = await jwtVerify(String(body.id_token), createLocalJWKSet(keys), { currentDate });
    expect(payload.exp).toBe(body.expires_at_s);
    await own.service.clock.advance(60_499);
    expect(await own.isLive(String(body.access_token))).toBe(true);
    await own.service.clock.advance(1);
    expect(await own.isLive(String(body.access_token))).toBe(false);
    expect((await own.byProof(String(body.access_token), botIssued)).status).toBe(401);
    await own.close();
  });

  it('leaves those that were given before', async () => {
    const name = newName();
    const first = world.token(await world.byBot(name));
    await world.byBot(name);
    expect(await world.isLive(first)).toBe(true);
  });

  it('creates one account for concurrent sign-ins of a player', async () => {
    const name = newName();
    const tokens = (await Promise.all(Array.from({ length: 20 }, () => world.byBot(name)))).map(world.token);
    const ids = await Promise.all(tokens.map(async token => (await world.userOf(token)).id));
    expect(new Set(ids).size).toBe(1);
  });

  it('rejects an id with a lone surrogate, which UTF-8 cannot distinguish from others', async () => {
    expect(await world.byBot('\ud800')).toMatchObject(refusalOf('invalid_form_body'));
  });

  it('ends after a week', async () => {
    const own = await openProvisionalWorld();
    const token = own.token(await own.byBot('player'));
    await own.service.clock.advance(604_800_000 - 1);
    expect(await own.isLive(token)).toBe(true);
    await own.service.clock.advance(1);
    expect(await own.isLive(token)).toBe(false);
    const { id } = await own.userOf(own.token(await own.byBot('player')));
    expect(id).toEqual(expect.any(String));
    await own.close();
  });

  it('needs the bot', async () => {
    const body = { external_user_id: newName() };
    expect(await world.post('/partner-sdk/token/bot', body)).toMatchObject(refusalOf('unauthorized'));
    const bearer = `Bearer ${await playerToken(world.service, ada.id)}`;
    expect(await world.post('/partner-sdk/token/bot', body, bearer)).toMatchObject(refusalOf('only_bots_allowed'));
  });

  it('is rejected for an application that may not use provisional accounts', async () => {
    expect(await world.byBot(newName(), {}, plain)).toMatchObject(refusalOf('provisional_accounts_disabled'));
  });

  it('is rejected with every issue of the body', async () => {
    const { status, body } = await world.byBot('x'.repeat(1025), { preferred_global_name: 'x'.repeat(33) });
    expect(status).toBe(400);
    expect(Object.keys((body as { errors: object }).errors)).toEqual(['external_user_id', 'preferred_global_name']);
  });
});

describe('the name of a provisional account', () => {
  it('is random unique text until the account gets a name', async () => {
    const user = await world.userOf(world.token(await world.byBot(newName())));
    expect(user).toMatchObject({ username: expect.stringMatching(/^player_[0-9a-f]{16}$/), global_name: null });
  });

  it('is what the bot says, whenever it says so', async () => {
    const name = newName();
    const token = world.token(await world.byBot(name, { preferred_global_name: 'Ada' }));
    expect(await world.userOf(token)).toMatchObject({ global_name: 'Ada' });
    await world.byBot(name);
    expect(await world.userOf(token)).toMatchObject({ global_name: 'Ada' });
    await world.byBot(name, { preferred_global_name: 'Byron' });
    expect(await world.userOf(token)).toMatchObject({ global_name: 'Byron' });
  });

  it('is what the player chooses', async () => {
    const token = world.token(await world.byBot(newName()));
    const rename = (body: unknown) => callApi(world.service, 'PATCH', '/users/@me/account', body, world.as(token));
    expect(await rename({ global_name: 'Countess' })).toMatchObject({ status: 200, body: { global_name: 'Countess' } });
    expect(await rename({})).toMatchObject({ status: 200, body: { global_name: 'Countess' } });
    expect(await rename({ global_name: 'x'.repeat(33) })).toMatchObject({ status: 400, body: { code: 50035 } });
    expect(await rename({ global_name: null })).toMatchObject({ status: 200, body: { global_name: null } });
  });

  it('is changed for a full account only with a scope of its own', async () => {
    const rename = async (scope: string) => {
      const headers = world.as(await playerToken(world.service, ada.id, scope));
      return callApi(world.service, 'PATCH', '/users/@me/account', { global_name: 'Lovelace' }, headers);
    };
    expect(await rename('openid sdk.social_layer')).toMatchObject(refusalOf('missing_scope'));
    const renamed = await rename('identify account.global_name.update');
    expect(renamed).toMatchObject({ status: 200, body: { id: ada.id, global_name: 'Lovelace' } });
  });

  it('is 530006 when no unique one is found', async () => {
    const dull = await openProvisionalWorld({ entropy: { bytes: count => new Uint8Array(count) } });
    expect((await dull.byBot('one')).status).toBe(200);
    expect(await dull.byBot('two')).toMatchObject(refusalOf('no_unique_username'));
    await dull.close();
  });
});

describe('provisional_user_id', () => {
  it('leads another identity to the same account', async () => {
    const { id } = await world.userOf(world.token(await world.byProof(await world.provider.sign(newName()))));
    const name = newName();
    const linked = await world.byBot(name, { provisional_user_id: id });
    expect((await world.userOf(world.token(linked))).id).toBe(id);
    expect((await world.userOf(world.token(await world.byBot(name)))).id).toBe(id);
    expect((await world.userOf(world.token(await world.byBot(name, { provisional_user_id: id })))).id).toBe(id);
  });

  it('is rejected when it is unknown, a full account, or another application’s', async () => {
    const { id: elsewhere } = await world.userOf(world.token(await world.byBot(newName(), {}, rival)));
    for (const [provisional_user_id, reason] of [
      ['42', 'invalid_form_body'],
      [ada.id, 'invalid_user_type'],
      [elsewhere, 'invalid_form_body'],
    ] as const) {
      expect(await world.byBot(newName(), { provisional_user_id })).toMatchObject(refusalOf(reason));
    }
  });

  it('is rejected when the identity has another account', async () => {
    const { id } = await world.userOf(world.token(await world.byBot(newName())));
    const other = newName();
    await world.byBot(other);
    expect(await world.byBot(other, { provisional_user_id: id })).toMatchObject(refusalOf('invalid_form_body'));
  });

  it('is rejected for the eleventh identity of an account, not for the tenth', async () => {
    const { id } = await world.userOf(world.token(await world.byBot(newName())));
    for (let nth = 2; nth <= 10; nth++) {
      expect((await world.byBot(newName(), { provisional_user_id: id })).status).toBe(200);
    }
    const answer = await world.byBot(newName(), { provisional_user_id: id });
    expect(answer).toMatchObject(refusalOf('too_many_identities'));
  });
});

describe('a provisional account', () => {
  it('that is banned gets no token any more', async () => {
    const name = newName();
    const { id } = await world.userOf(world.token(await world.byBot(name)));
    await world.furnish({ users: [{ id, banned: true }] });
    expect(await world.byBot(name)).toMatchObject(refusalOf('missing_access'));
  });

  it('cannot authorize an application, nor be signed in on the pages', async () => {
    const { id } = await world.userOf(world.token(await world.byBot(newName())));
    await expect(playerToken(world.service, id)).rejects.toThrow('403');
  });

  it('is the same after its tokens were revoked', async () => {
    const name = newName();
    const token = world.token(await world.byBot(name));
    const { id } = await world.userOf(token);
    await fetch(`${world.service.apiBase}/v10/oauth2/token/revoke`, {
      method: 'POST',
      body: new URLSearchParams({ client_id: game.id, token }),
    });
    expect(await world.isLive(token)).toBe(false);
    expect((await world.userOf(world.token(await world.byBot(name)))).id).toBe(id);
  });

  it('is in no guild, and links no lobby to one', async () => {
    const token = world.token(await world.byBot(newName()));
    const { id } = await world.userOf(token);
    const guilds = await callApi(world.service, 'GET', '/users/@me/guilds', undefined, world.as(token));
    expect(guilds).toMatchObject({ status: 200, body: [] });
    const lobby = await callApi(world.service, 'POST', '/lobbies', { members: [{ id, flags: 1 }] });
    const path = `/lobbies/${(lobby.body as { id: string }).id}`;
    const link = await callApi(world.service, 'PATCH', `${path}/channel-linking`, { channel_id: '7' }, world.as(token));
    expect(link).toMatchObject(refusalOf('invalid_user_type'));
    const own = await callApi(world.service, 'POST', `${path}/members/@me/invites`, undefined, world.as(token));
    expect(own).toMatchObject(refusalOf('invalid_user_type'));
    const invite = await callApi(world.service, 'POST', `${path}/members/${id}/invites`);
    expect(invite).toMatchObject(refusalOf('invalid_user_type'));
  });
});
