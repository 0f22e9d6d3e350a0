import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { unsetUserFields } from '../../../../support/user-fields.ts';
import { ada, ben, game, openService, secret, site, type TestService } from '../support.ts';

let service: TestService;
beforeAll(async () => {
  service = await openService(Date.UTC(2026, 10, 20, 12, 0, 0, 7));
});
afterAll(() => service.close());

async function keys(): Promise<JSONWebKeySet> {
  return (await service.get('/oauth2/keys')).body as unknown as JSONWebKeySet;
}

async function verify(idToken: string | undefined) {
  const expected = { issuer: service.web, audience: game.id, currentDate: new Date(service.clock.now()) };
  return jwtVerify(idToken ?? '', createLocalJWKSet(await keys()), expected);
}

describe('the ID token', () => {
  it('comes with openid, says who signed in, for whom and until when, and carries the nonce', async () => {
    const { id_token } = await service.signIn({ scope: 'openid', nonce: 'n-0S6_WzA2Mj' });
    const { payload, protectedHeader } = await verify(id_token);
    const iat = Math.floor(service.clock.now() / 1000);
    expect(payload).toEqual({
      iss: service.web,
      sub: ada.id,
      aud: game.id,
      iat,
      auth_time: iat,
      exp: iat + 604_800,
      nonce: 'n-0S6_WzA2Mj',
    });
    expect(protectedHeader).toMatchObject({ alg: 'RS256', kid: (await keys()).keys[0]?.kid });
  });

  it('does not come without openid', async () => {
    expect(await service.signIn({ scope: 'identify' })).not.toHaveProperty('id_token');
  });

  it('comes with a refresh again, for the same user, without the nonce', async () => {
    const { refresh_token } = await service.signIn({ nonce: 'n' }, ben.id);
    const { body } = await service.refresh(refresh_token);
    const { payload } = await verify(String(body.id_token));
    expect(payload.sub).toBe(ben.id);
    expect(payload).not.toHaveProperty('nonce');
  });

  it('is signed by the one kept key, whose private part stays here', async () => {
    const [first, second] = await Promise.all([keys(), keys()]);
    expect(first).toEqual(second);
    expect(first.keys).toEqual([
      { kty: 'RSA', use: 'sig', kid: expect.any(String), n: expect.any(String), e: 'AQAB', alg: 'RS256' },
    ]);
  });

  it('stays verifiable after a reset', async () => {
    const before = await keys();
    await service.reset();
    expect(await keys()).toEqual(before);
  });
});

describe('/oauth2/@me', () => {
  it('shows the application, the scopes as granted, the token’s end, and the user with identify', async () => {
    const { access_token } = await service.signIn({ scope: 'sdk.social_layer_presence' });
    const { status, body } = await service.get('/oauth2/@me', access_token);
    expect(status).toBe(200);
    expect(body).toEqual({
      application: {
        id: game.id,
        name: game.name,
        icon: null,
        description: '',
        bot_public: true,
        bot_require_code_grant: false,
        verify_key: expect.stringMatching(/^[0-9a-f]{64}$/),
        ...{ type: null, flags: 256, flags_new: '256' },
      },
      scopes: ['sdk.social_layer_presence'],
      expires: '2026-11-27T12:00:00.007000+00:00',
      user: { id: ada.id, username: 'ada', global_name: 'Ada', discriminator: '0', ...unsetUserFields },
    });
  });

  it('hides the user without identify', async () => {
    const { access_token } = await service.signIn({ scope: 'guilds' });
    expect((await service.get('/oauth2/@me', access_token)).body).not.toHaveProperty('user');
  });

  it('answers 401 in the form of the API without a token or with an unknown one', async () => {
    for (const token of [undefined, 'nonsense']) {
      expect(await service.get('/oauth2/@me', token)).toMatchObject({ status: 401, body: { code: 0 } });
    }
  });
});

describe('/oauth2/userinfo', () => {
  it.each([
    ['openid', { sub: ada.id }],
    [
      'openid identify',
      {
        sub: ada.id,
        preferred_username: 'ada',
        nickname: 'Ada',
        picture: expect.stringMatching(/^http:.*\.png$/),
        locale: 'de',
      },
    ],
    ['openid email', { sub: ada.id, email: null, email_verified: false }],
  ])('with %s has the claims %j', async (scope, claims) => {
    const { access_token } = await service.signIn({ scope });
    expect((await service.get('/oauth2/userinfo', access_token)).body).toEqual(claims);
  });

  it('answers POST as GET, whatever the body is', async () => {
    const { access_token } = await service.signIn();
    const authorization = `Bearer ${access_token}`;
    for (const body of [null, new URLSearchParams({ any: 'thing' })]) {
      const answer = await fetch(`${service.api}/oauth2/userinfo`, {
        method: 'POST',
        headers: { authorization },
        body,
      });
      expect([answer.status, await answer.json()]).toMatchObject([200, { sub: ada.id, preferred_username: 'ada' }]);
    }
    expect((await fetch(`${service.api}/oauth2/userinfo`, { method: 'POST' })).status).toBe(401);
  });

  it('names a picture that is there, and another for another user', async () => {
    const pictureOf = async (userId: string) => {
      const { access_token } = await service.signIn({ scope: 'openid identify' }, userId);
      return String((await service.get('/oauth2/userinfo', access_token)).body.picture);
    };
    const adas = await pictureOf(ada.id);
    expect(await pictureOf(ben.id)).not.toBe(adas);
    const answer = await fetch(adas);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/png']);
    expect(
      Buffer.from(await answer.arrayBuffer())
        .subarray(1, 4)
        .toString(),
    ).toBe('PNG');
    expect((await fetch(adas.replace(/\d\.png$/, 'x.png'))).status).toBe(404);
  });

  it('needs openid', async () => {
    const { access_token } = await service.signIn({ scope: 'identify' });
    expect(await service.get('/oauth2/userinfo', access_token)).toMatchObject({ status: 403, body: { code: 50026 } });
    const headers = { authorization: `Bearer ${access_token}` };
    const answer = await fetch(`${service.api}/oauth2/userinfo`, { headers });
    expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="rallypoint", error="insufficient_scope"');
  });
});

describe('/users/@me', () => {
  it('shows a player with identify', async () => {
    const { access_token } = await service.signIn({ scope: 'identify' });
    expect((await service.get('/users/@me', access_token)).body).toEqual({
      id: ada.id,
      username: 'ada',
      global_name: 'Ada',
      discriminator: '0',
      ...unsetUserFields,
      mfa_enabled: false,
      locale: 'de',
    });
  });

  it('shows a bot as a user with the application’s id and name', async () => {
    const response = await fetch(`${service.api}/users/@me`, { headers: { authorization: `Bot ${game.bot_token}` } });
    expect(await response.json()).toMatchObject({ id: game.id, username: game.name, bot: true });
  });
});

describe('a token of the application itself', () => {
  async function clientToken(scope: string): Promise<string> {
    const form = { grant_type: 'client_credentials', client_id: site.id, client_secret: secret, scope };
    return String((await service.token(form)).body.access_token);
  }

  it('acts for the owner of the application', async () => {
    const token = await clientToken('identify openid');
    const owner = { id: ada.id, username: 'ada' };
    expect((await service.get('/oauth2/@me', token)).body).toMatchObject({
      application: { id: site.id },
      scopes: ['identify', 'openid'],
      expires: expect.any(String),
      user: owner,
    });
    expect((await service.get('/users/@me', token)).body).toMatchObject(owner);
    expect((await service.get('/oauth2/userinfo', token)).body).toMatchObject({ sub: ada.id });
  });

  it('shows the owner with identify alone', async () => {
    const token = await clientToken('applications.commands.update');
    expect((await service.get('/oauth2/@me', token)).body).not.toHaveProperty('user');
    for (const path of ['/users/@me', '/oauth2/userinfo']) {
      expect(await service.get(path, token)).toMatchObject({ status: 403, body: { code: 50026 } });
    }
  });
});

describe('/.well-known', () => {
  const read = async (name: string) => (await fetch(`${service.web}/.well-known/${name}`)).json();
  const authentications = ['client_secret_basic', 'client_secret_post', 'none'];

  it('openid-configuration says what the hosted service’s is known to say', async () => {
    expect(await read('openid-configuration')).toMatchObject({
      issuer: service.web,
      authorization_endpoint: `${service.web}/api/oauth2/authorize`,
      token_endpoint: `${service.web}/api/oauth2/token`,
      userinfo_endpoint: `${service.web}/api/oauth2/userinfo`,
      jwks_uri: `${service.web}/api/oauth2/keys`,
      response_types_supported: ['code', 'token'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
    });
  });

  it('oauth-authorization-server says what the hosted service’s is known to say', async () => {
    expect(await read('oauth-authorization-server')).toMatchObject({
      issuer: service.web,
      authorization_endpoint: `${service.web}/api/oauth2/authorize`,
      token_endpoint: `${service.web}/api/oauth2/token`,
      revocation_endpoint: `${service.web}/api/oauth2/token/revoke`,
      response_types_supported: ['code'],
      grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
      token_endpoint_auth_methods_supported: authentications,
      revocation_endpoint_auth_methods_supported: authentications,
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
    });
  });

  it.each(['openid-configuration', 'oauth-authorization-server'])('%s names addresses that answer', async name => {
    const metadata = await read(name);
    const addresses = Object.entries(metadata).filter(([key]) => key.endsWith('_endpoint') || key === 'jwks_uri');
    expect(addresses.length).toBeGreaterThan(4);
    for (const [, address] of addresses) expect((await fetch(String(address))).status).not.toBe(404);
  });
});
