import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { applicationFlags } from '../../../../src/model/application.ts';
import { unsetUserFields } from '../../../support/user-fields.ts';
import { ada, game, guild, openService, site, type TestService } from '../oauth/support.ts';

let service: TestService;
beforeAll(async () => {
  service = await openService();
});
beforeEach(() => service.reset());
afterAll(() => service.close());

async function own(authorization: string) {
  const response = await fetch(`${service.api}/oauth2/applications/@me`, { headers: { authorization } });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

describe('/oauth2/applications/@me', () => {
  it('shows a bot its whole application, and no secret', async () => {
    const { status, body } = await own(`Bot ${game.bot_token}`);
    expect(status).toBe(200);
    expect(body).toEqual({
      id: game.id,
      name: game.name,
      icon: null,
      description: '',
      bot_public: true,
      bot_require_code_grant: false,
      verify_key: expect.stringMatching(/^[0-9a-f]{64}$/),
      owner: { id: ada.id, username: 'ada', global_name: 'Ada', discriminator: '0', ...unsetUserFields },
      bot: expect.objectContaining({ id: game.id, username: game.name, bot: true }),
      team: null,
      type: null,
      flags: applicationFlags.PUBLIC_OAUTH2_CLIENT,
      flags_new: String(applicationFlags.PUBLIC_OAUTH2_CLIENT),
      redirect_uris: game.redirect_uris,
      interactions_endpoint_url: null,
      role_connections_verification_url: null,
      event_webhooks_url: null,
      event_webhooks_status: 1,
      event_webhooks_types: [],
      approximate_guild_count: 0,
      approximate_user_install_count: 0,
      approximate_user_authorization_count: 0,
      explicit_content_filter: 0,
      eligible_oauth2_scopes: expect.arrayContaining(['identify', 'openid', 'rpc']),
      tags: [],
      integration_types_config: { 0: {}, 1: {} },
    });
  });

  it('shows what was set', async () => {
    const install_params = { scopes: ['bot'], permissions: '8' };
    const settings = {
      embedded: true,
      bot_require_code_grant: true,
      install_params,
      event_webhooks_url: 'http://e.example/',
    };
    await service.addFixtures({
      applications: [{ ...game, ...settings }],
      guilds: [{ ...guild, applications: [game.id] }],
    });
    const { body } = await own(`Bot ${game.bot_token}`);
    const { PUBLIC_OAUTH2_CLIENT, EMBEDDED, APPLICATION_COMMAND_BADGE } = applicationFlags;
    expect(body).toMatchObject({
      bot_require_code_grant: true,
      // The entry point of an Activity is a global command.
      flags: PUBLIC_OAUTH2_CLIENT | EMBEDDED | APPLICATION_COMMAND_BADGE,
      event_webhooks_url: 'http://e.example/',
      event_webhooks_status: 2,
      event_webhooks_types: [
        'APPLICATION_AUTHORIZED',
        'APPLICATION_DEAUTHORIZED',
        'LOBBY_MESSAGE_CREATE',
        'GAME_DIRECT_MESSAGE_CREATE',
        'GAME_DIRECT_MESSAGE_UPDATE',
        'GAME_DIRECT_MESSAGE_DELETE',
      ],
      approximate_guild_count: 1,
      install_params,
      integration_types_config: { 0: { oauth2_install_params: install_params }, 1: {} },
    });
  });

  it('shows by its integration types whether users can install the application', async () => {
    expect((await own(`Bot ${site.bot_token}`)).body).toMatchObject({ flags: 0, integration_types_config: { 1: {} } });
  });

  it('is for bots alone', async () => {
    const { access_token } = await service.signIn();
    expect(await own(`Bearer ${access_token}`)).toMatchObject({ status: 403, body: { code: 20002 } });
    expect((await own('Bot nonsense')).status).toBe(401);
  });
});
