import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { basic, game, openService, secret, site, soundExchange, type TestService } from '../support.ts';

let service: TestService;
beforeAll(async () => {
  service = await openService();
});
afterAll(() => service.close());

const invalidGrant = (name: string) => ({ status: 400, body: { error: 'invalid_grant', error_description: name } });
const invalidCode = invalidGrant('Invalid "code" in request.');

describe('another application', () => {
  const asSite = { client_id: site.id, client_secret: secret };

  it.each<
    [
      string,
      (tokens: { access_token: string; refresh_token: string }) => Promise<{ status: number; body: object }>,
      object,
    ]
  >([
    [
      'refresh with a foreign refresh token',
      tokens => service.refresh(tokens.refresh_token, asSite),
      invalidGrant('Invalid "refresh_token" in request'),
    ],
    [
      'refresh with a foreign access token',
      tokens => service.refresh(tokens.access_token, asSite),
      invalidGrant('Invalid "refresh_token" in request'),
    ],
    [
      'revoke a foreign access token',
      tokens => service.revoke({ token: tokens.access_token, ...asSite }),
      { status: 200, body: {} },
    ],
    [
      'revoke a foreign refresh token',
      tokens => service.revoke({ token: tokens.refresh_token, ...asSite }),
      { status: 200, body: {} },
    ],
  ])('cannot %s', async (_, attack, answer) => {
    const tokens = await service.signIn();
    expect(await attack(tokens)).toMatchObject(answer);
    expect(await service.isLive(tokens.access_token)).toBe(true);
    expect((await service.refresh(tokens.refresh_token)).status).toBe(200);
  });

  it('cannot use a code or a device’s code that is not its own', async () => {
    const code = await service.code();
    expect(await service.exchange(code, { ...soundExchange, ...asSite })).toMatchObject(invalidCode);
    const { deviceCode, userCode } = await service.startDevice();
    await service.answerDevice(userCode);
    const polled = await service.pollDevice(deviceCode, asSite);
    expect(polled).toMatchObject(invalidGrant('Invalid "device_code" in request.'));
  });

  it('cannot name one application with the secret of another', async () => {
    const code = await service.code();
    const form = { ...soundExchange, code, client_id: game.id };
    expect(await service.token(form, basic(site.id, secret))).toMatchObject({ status: 401 });
  });

  it('cannot read with a token that was given for less', async () => {
    const { access_token } = await service.signIn({ scope: 'identify' });
    for (const path of ['/users/@me/guilds', '/oauth2/userinfo']) {
      expect(await service.get(path, access_token)).toMatchObject({ status: 403, body: { code: 50026 } });
    }
  });

  it('cannot pass a refresh token, a code or a form’s secret for an access token', async () => {
    const { refresh_token } = await service.signIn();
    for (const token of [refresh_token, await service.code(), secret, game.bot_token]) {
      expect((await service.get('/oauth2/@me', token)).status).toBe(401);
    }
  });
});
