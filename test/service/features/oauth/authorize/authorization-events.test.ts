import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { signatureHeaders, verifyMessage } from '../../../../../src/wire/signature.ts';
import {
  type LoopbackServer,
  type SeenRequest,
  startLoopbackServer,
} from '../../../../support/http/loopback-server.ts';
import { unsetUserFields } from '../../../../support/user-fields.ts';
import { ada, ben, type Form, game, guild, openService, query, type TestService } from '../support.ts';

let service: TestService;
let server: LoopbackServer;
/** Resolves with the next request. */
let arrived: () => Promise<SeenRequest>;
beforeAll(async () => {
  service = await openService(Date.UTC(2026, 10, 20, 12, 0, 0, 7));
  let wake = () => {};
  server = await startLoopbackServer((_, response) => {
    response.writeHead(204).end();
    wake();
  });
  arrived = async () => {
    while (server.seen.length === 0) {
      await new Promise<void>(resolve => {
        wake = resolve;
      });
    }
    return server.seen.shift() as SeenRequest;
  };
});
beforeEach(async () => {
  await service.reset();
  await service.addFixtures({ applications: [{ ...game, event_webhooks_url: `${server.baseUrl}/events` }] });
});
afterAll(async () => {
  await server.close();
  await service.close();
});

const adaView = { id: ada.id, username: 'ada', global_name: 'Ada', discriminator: '0', ...unsetUserFields };

async function nextEvent() {
  const { body } = await arrived();
  return JSON.parse(body) as { readonly event: { readonly type: string; readonly data: Record<string, unknown> } };
}

async function grant(changes: Form, guildId?: string): Promise<void> {
  await service.decide(service.authorizeUrl(changes), ada.id, 'approve', guildId);
}

describe('APPLICATION_AUTHORIZED', () => {
  it('sends a signed event with the user and the granted scopes', async () => {
    await grant({ scope: 'identify sdk.social_layer' });
    const { url, headers, body } = await arrived();
    expect(url).toBe('/events');
    expect(JSON.parse(body)).toEqual({
      version: 1,
      application_id: game.id,
      type: 1,
      event: {
        type: 'APPLICATION_AUTHORIZED',
        timestamp: '2026-11-20T12:00:00.007000+00:00',
        data: { user: adaView, scopes: ['identify', 'sdk.social_layer'] },
      },
    });
    const { applications } = await service.content();
    const verifyKey = applications.find(({ id }) => id === game.id)?.verify_key ?? '';
    const header = (name: string) => String(headers[name]);
    const [signature, timestamp] = [header(signatureHeaders.signature), header(signatureHeaders.timestamp)];
    expect(verifyMessage(verifyKey, signature, timestamp, body)).toBe(true);
  });

  it('names the guild in which the application was installed', async () => {
    await grant({ scope: 'identify applications.commands' }, guild.id);
    const { event } = await nextEvent();
    expect(event.data).toMatchObject({ integration_type: 0, guild: { id: guild.id, name: guild.name } });
  });

  it('says that the application was installed for the user', async () => {
    await grant({ scope: 'applications.commands', integration_type: '1' }, guild.id);
    const { event } = await nextEvent();
    expect(event.data).toMatchObject({ integration_type: 1, user: { id: ada.id } });
    expect(event.data).not.toHaveProperty('guild');
  });

  it('sends an event for an installation without a code', async () => {
    const url = `${service.web}/oauth2/authorize?${query({ client_id: game.id, scope: 'bot' })}`;
    await service.decide(url, ada.id, 'approve', guild.id);
    expect((await nextEvent()).event.data).toMatchObject({ integration_type: 0, scopes: ['bot'] });
  });

  it('sends one event for a device when its user approves', async () => {
    const { userCode } = await service.startDevice({ scope: 'identify' });
    for (let time = 0; time < 2; time++) await service.answerDevice(userCode, 'granted', ben.id);
    await grant({ scope: 'voice' });
    expect((await nextEvent()).event).toMatchObject({
      type: 'APPLICATION_AUTHORIZED',
      data: { user: { id: ben.id }, scopes: ['identify'] },
    });
    expect((await nextEvent()).event.data).toMatchObject({ user: adaView, scopes: ['voice'] });
  });
});

describe('APPLICATION_DEAUTHORIZED', () => {
  it('sends one event after the grant when a user’s authorization ends', async () => {
    const { access_token: token } = await service.signIn({ scope: 'identify' });
    for (let time = 0; time < 2; time++) await service.revoke({ token });
    await grant({ scope: 'guilds' });
    const types = [];
    for (let time = 0; time < 3; time++) types.push((await nextEvent()).event);
    expect(types).toMatchObject([
      { type: 'APPLICATION_AUTHORIZED' },
      { type: 'APPLICATION_DEAUTHORIZED', data: { user: adaView } },
      { type: 'APPLICATION_AUTHORIZED', data: { scopes: ['guilds'] } },
    ]);
  });
});

describe('no event is sent', () => {
  it('for a user who cancels, a rejected request, a denied device, or an application without an address', async () => {
    await service.decide(service.authorizeUrl(), ada.id, 'deny');
    await service.decide(service.authorizeUrl({ scope: 'nonsense' }));
    const { userCode } = await service.startDevice();
    await service.answerDevice(userCode, 'denied');
    await service.addFixtures({ applications: [{ ...game, event_webhooks_url: null }] });
    await grant({});
    await service.addFixtures({ applications: [{ ...game, event_webhooks_url: `${server.baseUrl}/events` }] });
    await grant({ scope: 'voice' });
    expect((await nextEvent()).event.data).toMatchObject({ scopes: ['voice'] });
    expect(server.seen).toEqual([]);
  });
});
