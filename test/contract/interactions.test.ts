import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type Backend,
  createBackend,
  defineCommand,
  defineModal,
  field,
  type InteractionHandler,
  messageFlags,
  option,
  type RoutedComponent,
  router,
} from '../../src/backend/index.ts';
import type { ModalCreated } from '../../src/model/gateway.ts';
import type { OptionValue } from '../../src/model/interaction.ts';
import type { Message } from '../../src/model/message.ts';
import { type Service, startService } from '../../src/service/index.ts';
import { button, row, stringSelect } from '../support/commands/components.ts';
import { useCommand } from '../support/commands/use-command.ts';
import { submitModal, useComponent } from '../support/commands/use-component.ts';
import { GatewayClient } from '../support/gateway/gateway-client.ts';
import { callApi, starfall } from '../support/service/starfall.ts';
import { sessionToken } from '../support/service/tokens.ts';

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
    baseUrl: service.webBase,
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
    defineCommand({ name: 'ask', description: 'Asks' }, ({ reply }) =>
      reply({ content: 'Well?', components: [row(button('answer:7')), row(stringSelect('map', ['quay', 'keep']))] }),
    ),
    defineCommand({ name: 'form', description: 'Shows a form' }, ({ showModal }) => showModal(answerForm)),
    defineCommand({ name: 'twice', description: 'Says it twice' }, async ({ reply }) => {
      await reply({ content: 'one' });
      await reply({ content: 'two' }).catch((error: { code: string }) => finished.resolve(error.code));
    }),
  ];
  const answerForm = defineModal(
    { custom_id: 'form', title: 'Well?', components: [field.text('what', 'What?', { min_length: 2 })] },
    async ({ values, argument, payload, reply, update }) => {
      if (payload.message) await update({ content: `${values.what} ${argument}`, components: [] });
      else await reply({ content: values.what });
    },
  );
  const components: readonly RoutedComponent[] = [
    { custom_id: 'answer', use: ({ showModal, argument = '' }) => showModal(answerForm, { argument }) },
    { custom_id: 'map', use: ({ values, update }) => update({ content: `Off to the ${values}!` }) },
  ];
  beforeEach(async () => {
    Object.assign(finished, Promise.withResolvers<string>());
    await backend.commands.deploy(await backend.commands.plan(commands));
    await connect(router(commands, { components, modals: [answerForm] }));
  });
  const filled = (value: string) => [{ type: 18, component: { type: 4, custom_id: 'what', value } }] as const;

  it('shows a modal for a command, and receives what was filled in', async () => {
    await use('form');
    const modal = (await player.dispatch('INTERACTION_MODAL_CREATE')) as ModalCreated;
    expect(modal).toMatchObject({ custom_id: 'form', title: 'Well?', application: { id: application.id } });
    await expect(submitModal(service, modal, ada.id, filled('x'))).rejects.toThrow(/BASE_TYPE_MIN_LENGTH/);
    await submitModal(service, modal, ada.id, filled('Nothing'));
    expect(await player.dispatch('MESSAGE_CREATE')).toMatchObject({ content: 'Nothing' });
    await expect(submitModal(service, modal, ada.id, filled('More'))).rejects.toThrow(/10062/);
  });

  it('shows a form for a button, whose message then changes', async () => {
    await use('ask');
    const message = (await player.dispatch('MESSAGE_CREATE')) as Message;
    await useComponent(service, message, ada.id, { component_type: 2, custom_id: 'answer:7' });
    const modal = (await player.dispatch('INTERACTION_MODAL_CREATE')) as ModalCreated;
    expect(modal.custom_id).toBe('form:7');
    await submitModal(service, modal, ada.id, filled('Aye'));
    expect(await player.dispatch('MESSAGE_UPDATE')).toMatchObject({ id: message.id, content: 'Aye 7', components: [] });
  });

  it('edits the message of a select', async () => {
    await use('ask');
    const message = (await player.dispatch('MESSAGE_CREATE')) as Message;
    await useComponent(service, message, ada.id, { component_type: 3, custom_id: 'map', values: ['keep'] });
    expect(await player.dispatch('MESSAGE_UPDATE')).toMatchObject({ id: message.id, content: 'Off to the keep!' });
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
      content: 'This command is no longer available here.',
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
