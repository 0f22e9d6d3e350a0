import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type Backend,
  createBackend,
  defineCommand,
  type InteractionHandler,
  messageFlags,
  option,
  router,
} from '../../src/backend/index.ts';
import type { OptionValue } from '../../src/model/interaction.ts';
import { type Service, startService } from '../../src/service/index.ts';
import { GatewayClient } from '../support/gateway-client.ts';
import { callApi, starfall } from '../support/starfall.ts';
import { sessionToken } from '../support/tokens.ts';
import { useCommand } from '../support/use-command.ts';

const [application] = starfall.applications;
const [ada] = starfall.users;

let service: Service;
let backend: Backend;
let player: GatewayClient;
let servers: Server[];

beforeAll(async () => {
  service = await startService({ fixtures: starfall, limits: 'off' });
});
beforeEach(async () => {
  await service.reset();
  servers = [];
  backend = createBackend({
    applicationId: application.id,
    botToken: application.bot_token,
    apiBase: service.api_base,
    globalLimit: 'off',
  });
  player = await GatewayClient.identified(service.gateway, { token: await sessionToken(service, ada.id) });
});
afterEach(async () => {
  backend.close();
  await player.end();
  for (const server of servers) server.closeAllConnections();
  for (const server of servers) server.close();
});
afterAll(() => service.close());

/** Serves it, and has the service send the application's interactions there: it is tried out on the way. */
async function pointTo(listener: RequestListener): Promise<void> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  const interactions_endpoint_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/interactions`;
  const { status, body } = await callApi(service, 'PATCH', '/applications/@me', { interactions_endpoint_url });
  expect([status, body]).toEqual([200, expect.objectContaining({ interactions_endpoint_url })]);
}

/** How interactions come to an app; the app is the same. */
const ways: readonly [string, (handler: InteractionHandler) => Promise<unknown>][] = [
  ['the gateway', handler => backend.interactions.listen(handler)],
  ['HTTP, by node:http', async handler => pointTo((await backend.interactions.endpoint(handler)).handleRequest)],
  [
    'HTTP, by web requests',
    async handler => {
      const { fetch } = await backend.interactions.endpoint(handler);
      await pointTo(async (request, response) => {
        const { method = '', url = '', headers } = request;
        const body = Readable.toWeb(request) as ReadableStream;
        const init = { method, headers: headers as Record<string, string>, body, duplex: 'half' };
        const answer = await fetch(new Request(new URL(url, 'http://game.example'), init));
        response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
      });
    },
  ],
];

async function use(name: string, options?: readonly OptionValue[], type: 2 | 4 = 2): Promise<void> {
  const command = (await backend.commands.list()).find(one => one.name === name);
  if (!command) throw new Error(`${name} is not registered.`);
  await useCommand(service, command, ada.id, { type, ...(options && { options }) });
}

describe.each(ways)('an app that gets its interactions by %s', (_, connect) => {
  const finished = Promise.withResolvers<string>();
  const commands = [
    defineCommand(
      { name: 'rally', description: 'Calls', options: [option.string('map', 'Where', { autocomplete: true })] },
      {
        use: ({ options, reply }) => reply({ content: `Meet at ${options.map}!`, flags: messageFlags.EPHEMERAL }),
        suggest: ({ focused }) => [{ name: `${focused.value}…`, value: 'quay' }],
      },
    ),
    defineCommand(
      { name: 'slow', description: 'Takes its time' },
      async ({ respond, editReply, followUp, deleteReply }) => {
        await respond({ type: 5 });
        const { content } = await editReply({ content: 'Done' });
        const next = await followUp({ content: 'And more' });
        await deleteReply();
        finished.resolve(`${content}, ${next.content}`);
      },
    ),
    defineCommand({ name: 'twice', description: 'Says it twice' }, async ({ reply }) => {
      await reply({ content: 'one' });
      await reply({ content: 'two' }).catch((error: { code: string }) => finished.resolve(error.code));
    }),
  ];
  beforeEach(async () => {
    Object.assign(finished, Promise.withResolvers<string>());
    await backend.commands.deploy(await backend.commands.plan(commands));
    await connect(router(commands));
  });

  it('answers with a message', async () => {
    await use('rally', [{ type: 3, name: 'map', value: 'the quay' }]);
    expect(await player.dispatch('MESSAGE_CREATE')).toMatchObject({ content: 'Meet at the quay!', flags: 64 });
    expect(player.frames.some(({ t }) => t === 'INTERACTION_SUCCESS')).toBe(true);
  });

  it('suggests', async () => {
    await use('rally', [{ type: 3, name: 'map', value: 'q', focused: true }], 4);
    expect(await player.dispatch('APPLICATION_COMMAND_AUTOCOMPLETE_RESPONSE')).toMatchObject({
      choices: [{ name: 'q…', value: 'quay' }],
    });
  });

  it('puts its answer off, fills it, sends another and deletes the first', async () => {
    await use('slow');
    expect(await finished.promise).toBe('Done, And more');
    await player.dispatch('MESSAGE_DELETE');
  });

  it('cannot answer twice', async () => {
    await use('twice');
    expect(await finished.promise).toBe('already_acknowledged');
    expect(await player.dispatch('MESSAGE_CREATE')).toMatchObject({ content: 'one' });
  });

  it('says so to the user of a command that it does not know', async () => {
    const { command } = await backend.commands.create({ name: 'old', description: 'Gone by now' });
    await useCommand(service, command, ada.id);
    expect(await player.dispatch('MESSAGE_CREATE')).toMatchObject({
      content: 'This command is not available here any more.',
      flags: messageFlags.EPHEMERAL,
    });
  });
});

describe('an endpoint of another key', () => {
  it('is not taken as the address of the application', async () => {
    const endpoint = await backend.interactions.endpoint(() => {}, { publicKey: 'ab'.repeat(32) });
    const server = createServer(endpoint.handleRequest).listen(0, '127.0.0.1');
    servers.push(server);
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const refused = await callApi(service, 'PATCH', '/applications/@me', { interactions_endpoint_url: url });
    expect(refused).toMatchObject({ status: 400, body: { code: 50035 } });
  });
});
