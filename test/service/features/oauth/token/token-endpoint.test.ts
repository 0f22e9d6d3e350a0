import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { limits } from '../../../../../src/model/limits/limits.ts';
import { serviceLimits } from '../../../../../src/service/support/service-limits.ts';
import {
  basic,
  ben,
  game,
  noChallenge,
  openService,
  query,
  secret,
  site,
  siteExchange,
  siteRequest,
  soundExchange,
  soundRequest,
  type TestService,
  verifier,
} from '../support.ts';

let service: TestService;
beforeAll(async () => {
  service = await openService();
});
afterAll(() => service.close());

const invalidCode = { error: 'invalid_grant', error_description: 'Invalid "code" in request.' };
const invalidRefresh = { error: 'invalid_grant', error_description: 'Invalid "refresh_token" in request' };

describe('authorization_code', () => {
  it('answers with both tokens, their life in seconds and the scope, and lets no cache keep them', async () => {
    const { status, body, headers } = await service.exchange(await service.code({ scope: 'identify' }));
    expect(status).toBe(200);
    expect(body).toEqual({
      token_type: 'Bearer',
      access_token: expect.stringMatching(/^[\w-]{43}$/),
      refresh_token: expect.stringMatching(/^[\w-]{43}$/),
      expires_in: 604_800,
      scope: 'identify',
    });
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it('keeps only hashes of codes and tokens', async () => {
    const code = await service.code();
    const { body } = await service.exchange(code);
    const kept = JSON.stringify(await service.content());
    for (const text of [code, body.access_token, body.refresh_token]) expect(kept).not.toContain(text);
  });

  it.each([
    ['left out', { code_verifier: undefined }, 'invalid_request', 'Missing "code_verifier"'],
    ['one character short', { code_verifier: 'a'.repeat(42) }, 'invalid_request', 'Invalid "code_verifier"'],
    ['one character long', { code_verifier: 'a'.repeat(129) }, 'invalid_request', 'Invalid "code_verifier"'],
    ['with a foreign character', { code_verifier: `${'a'.repeat(43)}+` }, 'invalid_request', 'Invalid "code_verifier"'],
    ['another one', { code_verifier: 'a'.repeat(43) }, 'invalid_grant', 'Invalid "code_verifier"'],
    [
      'the challenge itself, as the method "plain" would have it',
      { code_verifier: soundRequest.code_challenge },
      'invalid_grant',
      'Invalid "code_verifier"',
    ],
  ])('rejects a verifier %s, and leaves the code good', async (_, changes, error, error_description) => {
    const code = await service.code();
    expect(await service.exchange(code, changes)).toMatchObject({ status: 400, body: { error, error_description } });
    expect((await service.exchange(code)).status).toBe(200);
  });

  it('rejects a verifier for a code without a challenge, which may have been removed', async () => {
    const code = await service.code(siteRequest);
    const attack = { ...siteExchange, code_verifier: verifier };
    expect((await service.exchange(code, attack)).body).toMatchObject({ error: 'invalid_request' });
    expect((await service.exchange(code, siteExchange)).status).toBe(200);
  });

  it.each([
    ['its secret', { client_secret: secret }, 200, {}],
    ['nothing', {}, 401, { error: 'invalid_client' }],
  ])('answers a public client that used no PKCE and shows %s with %o', async (_, proof, status, body) => {
    const answer = await service.exchange(await service.code(noChallenge), { code_verifier: undefined, ...proof });
    expect(answer).toMatchObject({ status, body });
  });

  it.each([
    ['another port', 'http://127.0.0.1:4322/callback'],
    ['no port', 'http://127.0.0.1/callback'],
    ['another registered redirect', 'discord-100:/authorize/callback'],
    ['none, although the request named one', undefined],
  ])('rejects %s than the request had', async (_, redirect_uri) => {
    expect(await service.exchange(await service.code(), { redirect_uri })).toMatchObject({
      status: 400,
      body: { error: 'invalid_request', error_description: 'Invalid "redirect_uri" in request.' },
    });
  });

  it('lets the redirect be left out when the request left it out, or name the first registered one', async () => {
    for (const redirect_uri of [undefined, game.redirect_uris[0]]) {
      const code = await service.code({ redirect_uri: undefined });
      expect((await service.exchange(code, { redirect_uri })).status).toBe(200);
    }
  });

  it('rejects a code of another client, which stays good for its own', async () => {
    const code = await service.code();
    const other = { client_id: site.id, client_secret: secret };
    expect(await service.exchange(code, other)).toMatchObject({ status: 400, body: invalidCode });
    expect((await service.exchange(code)).status).toBe(200);
  });

  it.each([
    ['unknown', 'nonsense', invalidCode],
    ['missing', undefined, { error: 'invalid_request', error_description: 'Missing "code"' }],
    ['empty', '', { error: 'invalid_request', error_description: 'Missing "code"' }],
  ])('rejects a code that is %s', async (_, code, body) => {
    expect(await service.token({ ...soundExchange, code })).toMatchObject({ status: 400, body });
  });

  it('accepts a code 99.999 s old', async () => {
    const code = await service.code();
    await service.clock.advance(serviceLimits.authorizationCodeLifeMs - 1);
    expect((await service.exchange(code)).status).toBe(200);
  });

  it('rejects a code 100 s old', async () => {
    const code = await service.code();
    await service.clock.advance(serviceLimits.authorizationCodeLifeMs);
    expect(await service.exchange(code)).toMatchObject({ status: 400, body: invalidCode });
  });

  it('rejects a code the second time and ends what it gave, refreshed or not, but not what other codes gave', async () => {
    const other = await service.signIn();
    const code = await service.code();
    const { body: first } = await service.exchange(code);
    const { body: refreshed } = await service.refresh(String(first.refresh_token));
    expect(await service.exchange(code)).toMatchObject({ status: 400, body: invalidCode });
    expect(await service.isLive(refreshed.access_token)).toBe(false);
    expect(await service.refresh(String(refreshed.refresh_token))).toMatchObject({ status: 400, body: invalidRefresh });
    expect(await service.isLive(other.access_token)).toBe(true);
  });

  it('leaves what a code gave when it is used again without its proof', async () => {
    const code = await service.code();
    const { body } = await service.exchange(code);
    await service.exchange(code, { code_verifier: 'a'.repeat(43) });
    await service.exchange(code, { client_id: site.id, client_secret: secret });
    await service.exchange(code, { redirect_uri: 'http://127.0.0.1:1/callback' });
    expect(await service.isLive(body.access_token)).toBe(true);
  });

  it('gives tokens to one of several concurrent exchanges of a code, and then ends them', async () => {
    const code = await service.code();
    const answers = await Promise.all(Array.from({ length: 8 }, () => service.exchange(code)));
    const won = answers.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    expect(await service.isLive(won[0]?.body.access_token)).toBe(false);
  });

  it('belongs to the only grant of its user, also when several are given concurrently', async () => {
    await Promise.all(Array.from({ length: 5 }, () => service.code({}, ben.id)));
    const { authorizations } = await service.content();
    expect(authorizations.filter(({ user_id }) => user_id === ben.id)).toHaveLength(1);
  });

  it('rejects a code of a user who revoked the application meanwhile', async () => {
    const { access_token } = await service.signIn();
    const code = await service.code();
    await service.revoke({ token: access_token });
    expect(await service.exchange(code)).toMatchObject({ status: 400, body: invalidCode });
  });
});

describe('refresh_token', () => {
  it('gives a new pair of the same scope and ends the old one', async () => {
    const old = await service.signIn({ scope: 'identify guilds' });
    const { status, body } = await service.refresh(old.refresh_token);
    expect(status).toBe(200);
    expect(body).toMatchObject({ token_type: 'Bearer', expires_in: 604_800, scope: 'identify guilds' });
    expect(await service.isLive(old.access_token)).toBe(false);
    expect(await service.isLive(body.access_token)).toBe(true);
  });

  it('rejects a token used before, and leaves the winner signed in', async () => {
    const old = await service.signIn();
    const { body } = await service.refresh(old.refresh_token);
    expect(await service.refresh(old.refresh_token)).toMatchObject({ status: 400, body: invalidRefresh });
    expect(await service.isLive(body.access_token)).toBe(true);
    expect((await service.refresh(String(body.refresh_token))).status).toBe(200);
  });

  it('has exactly one winner among concurrent requests, which stays signed in', async () => {
    const { refresh_token } = await service.signIn();
    const answers = await Promise.all(Array.from({ length: 8 }, () => service.refresh(refresh_token)));
    const won = answers.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    expect(await service.isLive(won[0]?.body.access_token)).toBe(true);
    expect(answers.filter(({ body }) => body.error === 'invalid_grant')).toHaveLength(7);
  });

  it('never expires', async () => {
    const { access_token, refresh_token } = await service.signIn();
    await service.clock.advance(10 * limits.accessTokenLifeMs);
    expect(await service.isLive(access_token)).toBe(false);
    expect((await service.refresh(refresh_token)).status).toBe(200);
  });

  it('gives fewer scopes when asked, and all of them again the next time', async () => {
    const old = await service.signIn({ scope: 'identify guilds' });
    const { body: narrowed } = await service.refresh(old.refresh_token, { scope: 'guilds' });
    expect(narrowed.scope).toBe('guilds');
    const { body: full } = await service.refresh(String(narrowed.refresh_token));
    expect(full.scope).toBe('identify guilds');
  });

  it('gives a part of an umbrella scope when asked, and the whole again the next time', async () => {
    const old = await service.signIn({ scope: 'openid sdk.social_layer' });
    const { body: narrowed } = await service.refresh(old.refresh_token, {
      scope: 'identify sdk.social_layer_presence',
    });
    expect(narrowed.scope).toBe('identify sdk.social_layer_presence');
    const { status, body } = await service.refresh(String(narrowed.refresh_token), { scope: 'identify email' });
    expect([status, body.error]).toEqual([400, 'invalid_scope']);
    expect((await service.refresh(String(narrowed.refresh_token))).body.scope).toBe('openid sdk.social_layer');
  });

  it('rejects more scopes than were granted, and leaves the token good', async () => {
    const { refresh_token } = await service.signIn({ scope: 'identify' });
    const asked = { scope: 'identify guilds' };
    expect((await service.refresh(refresh_token, asked)).body).toMatchObject({ error: 'invalid_scope' });
    expect((await service.refresh(refresh_token)).status).toBe(200);
  });

  it.each(['access token', 'nonsense', 'token of another client'])('rejects a %s', async kind => {
    const { access_token, refresh_token } = await service.signIn();
    const answers = {
      'access token': () => service.refresh(access_token),
      nonsense: () => service.refresh('nonsense'),
      'token of another client': () => service.refresh(refresh_token, { client_id: site.id, client_secret: secret }),
    };
    expect(await answers[kind as keyof typeof answers]()).toMatchObject({ status: 400, body: invalidRefresh });
    expect((await service.refresh(refresh_token)).status).toBe(200);
  });

  it('rejects a missing token', async () => {
    const body = { error: 'invalid_request', error_description: 'Missing "refresh_token"' };
    expect(await service.refresh('')).toMatchObject({ status: 400, body });
  });
});

describe('client_credentials', () => {
  const form = { grant_type: 'client_credentials', scope: 'applications.commands.update' };

  it('gives a token of the application, without a refresh token', async () => {
    const { status, body } = await service.token(form, basic(site.id, secret));
    expect(status).toBe(200);
    expect(body).toEqual({
      token_type: 'Bearer',
      access_token: expect.any(String),
      expires_in: 604_800,
      scope: 'applications.commands.update',
    });
  });

  it('gives no ID token, because there is no user', async () => {
    const { body } = await service.token({ ...form, scope: 'openid' }, basic(site.id, secret));
    expect(body).not.toHaveProperty('id_token');
  });

  it('asks a public client for its secret, too', async () => {
    expect(await service.token({ ...form, client_id: game.id })).toMatchObject({ status: 401 });
    expect(await service.token({ ...form, client_id: game.id, client_secret: secret })).toMatchObject({ status: 200 });
  });

  it.each([undefined, '', 'nonsense', 'identify nonsense', 'bot', 'webhook.incoming'])(
    'rejects the scope %j',
    async scope => {
      const answer = await service.token({ ...form, scope }, basic(site.id, secret));
      expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_scope' } });
    },
  );
});

describe('client authentication', () => {
  const form = { grant_type: 'client_credentials', scope: 'identify' };
  const encoded = (text: string) => encodeURIComponent(text).replaceAll('%20', '+');

  it('takes the secret in the form, in the header form-encoded, or in the header as it is', async () => {
    expect((await service.token({ ...form, client_id: site.id, client_secret: secret })).status).toBe(200);
    expect((await service.token(form, basic(site.id, encoded(secret)))).status).toBe(200);
    expect((await service.token(form, basic(site.id, secret))).status).toBe(200);
  });

  const headers = (value: string) => ({ authorization: value });
  it.each<[string, Record<string, string>, Record<string, string>]>([
    ['no client at all', {}, {}],
    ['an unknown client', { client_id: '404', client_secret: secret }, {}],
    ['a wrong secret in the form', { client_id: site.id, client_secret: 'wrong' }, {}],
    ['a wrong secret in the header', {}, basic(site.id, 'wrong')],
    ['a wrong secret of a public client', { client_id: game.id, client_secret: 'wrong' }, {}],
    ['a confidential client without its secret', { client_id: site.id }, {}],
    ['two different clients', { client_id: game.id }, basic(site.id, secret)],
    ['a header that is not Basic', { client_id: site.id }, headers('Bearer abc')],
    ['a header that is not base64', {}, headers('Basic *')],
    ['a header without a colon', {}, headers(`Basic ${btoa('100')}`)],
  ])('rejects %s with 401', async (_, fields, sent) => {
    const answer = await service.token({ ...form, ...fields }, sent);
    expect(answer).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
    expect(answer.headers.get('www-authenticate')).toBe('Basic realm="rallypoint", error="invalid_client"');
  });

  it('rejects two ways in one request', async () => {
    const answer = await service.token({ ...form, client_secret: secret }, basic(site.id, secret));
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
  });

  it('rejects a client that has no secret but claims one', async () => {
    await service.addFixtures({ applications: [{ ...site, id: '300', bot_token: null, client_secret: null }] });
    expect((await service.token(form, basic('300', ''))).status).toBe(401);
  });
});

describe('token request', () => {
  const none = { error: 'unsupported_grant_type', error_description: 'Grant type None is not supported' };

  it.each([
    ['JSON', 'application/json', JSON.stringify({ ...soundExchange, code: 'x' })],
    ['malformed JSON', 'application/json', '{'],
    ['no body', 'application/x-www-form-urlencoded', ''],
    ['a form of another type', 'multipart/form-data; boundary=x', '--x--'],
    ['plain text', 'text/plain', 'grant_type=client_credentials'],
  ])('that is %s has no grant type', async (_, type, body) => {
    const response = await fetch(`${service.api}/oauth2/token`, {
      method: 'POST',
      headers: { 'content-type': type },
      body,
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual(none);
  });

  it('names a grant type that is not known, shortened', async () => {
    expect((await service.token({ grant_type: 'password' })).body).toEqual({
      error: 'unsupported_grant_type',
      error_description: 'Grant type password is not supported',
    });
    const { body } = await service.token({ grant_type: 'x'.repeat(5000) });
    expect(String(body.error_description).length).toBeLessThan(200);
  });

  it('names it in the characters that a description may have (RFC 6749, section 5.2)', async () => {
    const { body } = await service.token({ grant_type: `${'x'.repeat(99)}😀` });
    expect(body.error_description).toBe(`Grant type ${'x'.repeat(99)}? is not supported`);
    const { body: other } = await service.token({ grant_type: 'a"b\\c\né~ ' });
    expect(other.error_description).toBe('Grant type a?b?c??~  is not supported');
  });

  it.each(['grant_type', 'client_id', 'client_secret', 'scope'])('with %s twice is rejected', async name => {
    const form = { grant_type: 'client_credentials', client_id: site.id, client_secret: secret, scope: 'identify' };
    const body = query(form);
    body.append(name, form[name as keyof typeof form]);
    const response = await fetch(`${service.api}/oauth2/token`, { method: 'POST', body });
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({
      error: 'invalid_request',
      error_description: `"${name}" is given more than once`,
    });
  });

  it('ignores unknown parameters, also repeated ones', async () => {
    const body = query({ ...soundExchange, code: await service.code() });
    for (const value of ['1', '2']) body.append('utm_source', value);
    expect((await fetch(`${service.api}/oauth2/token`, { method: 'POST', body })).status).toBe(200);
  });

  it('by GET is a 405 in the form of the API', async () => {
    expect(await service.get('/oauth2/token')).toMatchObject({ status: 405, body: { code: 0 } });
  });
});

describe('revocation', () => {
  it.each(['access_token', 'refresh_token'] as const)('by %s ends every token of the user’s grant', async kind => {
    const [first, second] = [await service.signIn(), await service.signIn()];
    expect(await service.revoke({ token: first[kind] })).toMatchObject({ status: 200, body: {} });
    for (const { access_token, refresh_token } of [first, second]) {
      expect(await service.isLive(access_token)).toBe(false);
      expect((await service.refresh(refresh_token)).body).toEqual(invalidRefresh);
    }
  });

  it('leaves other users, and the same user’s other applications, signed in', async () => {
    const { access_token: token } = await service.signIn();
    const bens = await service.signIn({}, ben.id);
    const code = await service.code(siteRequest);
    const { body: sites } = await service.exchange(code, siteExchange);
    await service.revoke({ token });
    expect(await service.isLive(bens.access_token)).toBe(true);
    expect(await service.isLive(sites.access_token)).toBe(true);
  });

  it('lets the user grant again', async () => {
    await service.revoke({ token: (await service.signIn()).access_token });
    expect(await service.isLive((await service.signIn()).access_token)).toBe(true);
  });

  it('ends an application’s own token alone', async () => {
    const form = { grant_type: 'client_credentials', scope: 'identify' };
    const [first, second] = [
      await service.token(form, basic(site.id, secret)),
      await service.token(form, basic(site.id, secret)),
    ];
    const token = String(first.body.access_token);
    await service.revoke({ token, client_id: undefined }, basic(site.id, secret));
    expect((await service.get('/oauth2/@me', token)).status).toBe(401);
    expect((await service.get('/oauth2/@me', String(second.body.access_token))).status).not.toBe(401);
  });

  it('of another application’s token answers 200 and ends nothing', async () => {
    const { access_token } = await service.signIn();
    const form = { token: access_token, client_id: site.id, client_secret: secret };
    expect((await service.revoke(form)).status).toBe(200);
    expect(await service.isLive(access_token)).toBe(true);
  });

  it('of an unknown or revoked token answers 200', async () => {
    const { access_token } = await service.signIn();
    await service.revoke({ token: access_token });
    for (const token of [access_token, 'nonsense']) {
      expect(await service.revoke({ token })).toMatchObject({ status: 200, body: {} });
    }
  });

  it.each([
    [{ token: '' }, 400, 'invalid_request'],
    [{ token: 'x', token_type_hint: 'id_token' }, 400, 'unsupported_token_type'],
    [{ token: 'x', client_id: '404' }, 401, 'invalid_client'],
    [{ token: 'x', client_id: site.id }, 401, 'invalid_client'],
  ])('of %j is rejected with %i', async (form, status, error) => {
    expect(await service.revoke(form)).toMatchObject({ status, body: { error } });
  });

  it.each(['access_token', 'refresh_token'])('takes the hint %s, right or wrong', async token_type_hint => {
    const { access_token } = await service.signIn();
    await service.revoke({ token: access_token, token_type_hint });
    expect(await service.isLive(access_token)).toBe(false);
  });
});
