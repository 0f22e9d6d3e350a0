import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Command } from '../../../../src/model/command.ts';
import type { Interaction } from '../../../../src/model/interaction.ts';
import { limits } from '../../../../src/model/limits/limits.ts';
import { type Service, startService } from '../../../../src/service/index.ts';
import { type Route, type RouteName, routePath, routes } from '../../../../src/wire/routes.ts';
import { useCommand } from '../../../support/commands/use-command.ts';
import { GatewayClient } from '../../../support/gateway/gateway-client.ts';
import { botHeaders, callApi, starfall } from '../../../support/service/starfall.ts';
import { playerToken, sessionToken } from '../../../support/service/tokens.ts';

const [application] = starfall.applications;
const [ada] = starfall.users;
const anybody = { 'content-type': 'application/json' };
const unknownWebhook = { status: 404, body: { code: 10015, message: 'Unknown Webhook' } };
const invalidToken = { status: 401, body: { code: 50027, message: 'Invalid Webhook Token' } };
// As the webhooks of channels have them elsewhere.
const channelsToken = 'x'.repeat(68);

let service: Service;
let command: Command;
beforeAll(async () => {
  service = await startService({ fixtures: starfall, limits: 'off', clock: 'virtual' });
  const path = `/applications/${application.id}/commands`;
  command = (await callApi(service, 'POST', path, { name: 'greet', description: 'Greets' })).body as Command;
});
afterAll(() => service.close());

async function used(isAnswered = true): Promise<Interaction> {
  const bot = await GatewayClient.identified(service.gateway, { token: application.bot_token });
  await useCommand(service, command, ada.id);
  const interaction = await bot.dispatch<Interaction>('INTERACTION_CREATE');
  await bot.end();
  const { id, token } = interaction;
  const answer = { type: 4, data: { content: 'Hello' } };
  if (isAnswered) await callApi(service, 'POST', `/interactions/${id}/${token}/callback`, answer, anybody);
  return interaction;
}

const ofBots = ['getWebhook', 'editWebhook', 'deleteWebhook'] as const;
const byToken = [
  ...(['getWebhookByToken', 'editWebhookByToken', 'deleteWebhookByToken'] as const),
  ...(['executeGithubWebhook', 'executeSlackWebhook'] as const),
];

function call(name: RouteName, path: string, headers: Readonly<Record<string, string>>, body: unknown = {}) {
  const { method, ...route }: Route = routes[name];
  return callApi(service, method, path, route.body && body, headers);
}

function callByToken(
  name: (typeof byToken)[number],
  token: string,
  { id = application.id as string, query = '', body = {} as unknown, headers = anybody as Record<string, string> } = {},
) {
  return call(name, routePath(name, { application_id: id, interaction_token: token }) + query, headers, body);
}

describe.each(ofBots)('%s', name => {
  const at = (id: string, headers: Readonly<Record<string, string>> = botHeaders, body?: unknown) =>
    call(name, routePath(name, { webhook_id: id }), headers, body);

  it.each([application.id, '42', '9223372036854775807'])('finds no webhook %s', async id => {
    expect(await at(id)).toMatchObject(unknownWebhook);
  });

  it('asks for a bot’s token first, then for an id', async () => {
    expect(await at('x', anybody)).toMatchObject({ status: 401, body: { code: 0 } });
    const player = { ...anybody, authorization: `Bearer ${await playerToken(service, ada.id)}` };
    expect(await at('x', player)).toMatchObject({ status: 403, body: { code: 20002 } });
    const own = { ...anybody, authorization: await sessionToken(service, ada.id) };
    expect(await at('x', own)).toMatchObject({ status: 403, body: { code: 20002 } });
    expect(await at('x')).toMatchObject({ status: 400, body: { code: 50035, errors: { webhook_id: {} } } });
  });
});

describe.each(byToken)('%s', name => {
  it('finds no webhook of a channel', async () => {
    for (const id of [application.id, '42']) {
      expect(await callByToken(name, channelsToken, { id })).toMatchObject(unknownWebhook);
      expect(await callByToken(name, channelsToken, { id, headers: botHeaders })).toMatchObject(unknownWebhook);
    }
  });

  it('finds no webhook that an interaction’s token names, and leaves the token as it is', async () => {
    const { token } = await used();
    expect(await callByToken(name, token, { body: { name: 'Mine', content: 'x', text: 'x' } })).toMatchObject(
      unknownWebhook,
    );
    const path = `/webhooks/${application.id}/${token}`;
    const messages = () => callApi(service, 'GET', `${path}/messages/@original`, undefined, anybody);
    expect(await messages()).toMatchObject({ status: 200, body: { content: 'Hello' } });
    expect(await callApi(service, 'POST', path, { content: 'More' }, anybody)).toMatchObject({ status: 200 });
  });

  it('finds none before there is an answer, which can still be given', async () => {
    const { id, token } = await used(false);
    expect(await callByToken(name, token)).toMatchObject(unknownWebhook);
    const answer = { type: 4, data: { content: 'Hello' } };
    const answered = await callApi(service, 'POST', `/interactions/${id}/${token}/callback`, answer, anybody);
    expect(answered.status).toBe(204);
  });

  it('rejects an interaction’s token that is another application’s, made up or too old', async () => {
    const { id, token } = await used();
    expect(await callByToken(name, token, { id: '42' })).toMatchObject(invalidToken);
    const made = Buffer.from(`interaction:${id}:${'0'.repeat(128)}`).toString('base64url');
    expect(await callByToken(name, made)).toMatchObject(invalidToken);
    const gone = Buffer.from(`interaction:42:${'0'.repeat(128)}`).toString('base64url');
    expect(await callByToken(name, gone)).toMatchObject(invalidToken);
    await service.clock.advance(limits.interactionTokenLifeMs);
    expect(await callByToken(name, token)).toMatchObject(invalidToken);
  });

  it('asks for an id and a sound query first', async () => {
    expect(await callByToken(name, channelsToken, { id: 'x' })).toMatchObject({
      status: 400,
      body: { code: 50035, errors: { application_id: {} } },
    });
    for (const [query, field] of wrongQueries) {
      expect(await callByToken(name, channelsToken, { query })).toMatchObject({
        status: 400,
        body: { code: 50035, errors: { [field]: {} } },
      });
    }
    const sound = { query: '?wait=true&thread_id=42&with_components=0' };
    expect(await callByToken(name, channelsToken, sound)).toMatchObject(unknownWebhook);
  });

  it('never falls over a strange token', async () => {
    const tokens = ['a', '%00', 'interaction', 'aW50ZXJhY3Rpb246', '...', '🎲', 'x'.repeat(2048)];
    for (const token of tokens) expect(await callByToken(name, token)).toMatchObject(unknownWebhook);
  });
});

const wrongQueries = [
  ['?wait=yes', 'wait'],
  ['?wait=true&wait=true', 'wait'],
  ['?with_components=2', 'with_components'],
  ['?thread_id=here', 'thread_id'],
  ['?thread_id=', 'thread_id'],
] as const;

describe('what is asked of the messages of an interaction', () => {
  const messages = [
    ['POST', ''],
    ['GET', '/messages/@original'],
    ['PATCH', '/messages/@original'],
    ['DELETE', '/messages/@original'],
    ['GET', '/messages/{id}'],
    ['PATCH', '/messages/{id}'],
    ['DELETE', '/messages/{id}'],
  ] as const;

  it.each(messages)('is read and changes nothing: %s %s', async (method, rest) => {
    const { token } = await used();
    const path = `/webhooks/${application.id}/${token}`;
    const { body } = await callApi(service, 'GET', `${path}/messages/@original`, undefined, anybody);
    const at = path + rest.replace('{id}', (body as { id: string }).id);
    const said = method === 'GET' || method === 'DELETE' ? undefined : { content: 'Said' };
    const ask = (query: string) => callApi(service, method, at + query, said, anybody);
    for (const [query, field] of wrongQueries) {
      expect(await ask(query)).toMatchObject({ status: 400, body: { code: 50035, errors: { [field]: {} } } });
    }
    const answer = await ask('?wait=false&thread_id=42&with_components=True');
    expect(answer.status).toBe(method === 'DELETE' ? 204 : 200);
    if (said) expect(answer.body).toMatchObject(said);
  });
});
