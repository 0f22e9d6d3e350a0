import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type Backend,
  button,
  type ComponentUse,
  createBackend,
  defineCommand,
  defineComponent,
  embed,
  fetchTransport,
  type InteractionHandler,
  type MessageFile,
  type ReceivedInteraction,
  router,
  row,
  type Transport,
} from '../../src/backend/index.ts';
import { collectorLimits } from '../../src/backend/interactions/component-collectors.ts';
import { componentLimits } from '../../src/model/limits/component-limits.ts';
import { limits } from '../../src/model/limits/limits.ts';
import type { Message } from '../../src/model/message.ts';
import { type Service, startService } from '../../src/service/index.ts';
import { VirtualClock } from '../../src/wire/clock/virtual-clock.ts';
import { nodeTransport } from '../../src/wire/http/node-transport.ts';
import { useCommand } from '../support/commands/use-command.ts';
import { useComponent } from '../support/commands/use-component.ts';
import { GatewayClient } from '../support/gateway/gateway-client.ts';
import { notAwaited } from '../support/not-awaited.ts';
import { callApi, starfall } from '../support/service/starfall.ts';
import { sessionToken } from '../support/service/tokens.ts';

const [application] = starfall.applications;
const [ada, grace] = starfall.users;

let service: Service;
let backend: Backend;
let player: GatewayClient;
let server: Server;
let errors: unknown[];

beforeAll(async () => {
  service = await startService({ fixtures: starfall, limits: 'off' });
});
beforeEach(async () => {
  await service.reset();
  errors = [];
  player = await GatewayClient.identified(service.gateway, { token: await sessionToken(service, ada.id) });
});
afterEach(async () => {
  backend.close();
  server?.closeAllConnections();
  server?.close();
  await player.end();
});
afterAll(() => service.close());

function create(options: { readonly transport?: Transport; readonly clock?: VirtualClock } = {}): Backend {
  return createBackend({
    applicationId: application.id,
    botToken: application.bot_token,
    baseUrl: service.webBase,
    globalLimit: 'off',
    ...options,
  });
}

const onError = (error: unknown) => void errors.push(error);

/** Points the application's endpoint address to the backend. */
async function serve(handler: InteractionHandler): Promise<void> {
  const endpoint = await backend.interactions.endpoint(handler, {
    onError,
    timestampDriftMs: Number.POSITIVE_INFINITY,
  });
  server = createServer(endpoint.handleRequest).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const interactions_endpoint_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const { status } = await callApi(service, 'PATCH', '/applications/@me', { interactions_endpoint_url });
  expect(status).toBe(200);
}

const ways: readonly [string, (handler: InteractionHandler) => Promise<unknown>][] = [
  ['the gateway', handler => backend.interactions.listen(handler, { onError })],
  ['HTTP', serve],
];

/** Uses a command that does this. */
async function useAsk(): Promise<void> {
  const { command } = await backend.commands.create({ name: 'ask', description: 'Asks' });
  await useCommand(service, command, ada.id);
}

async function press(message: Pick<Message, 'id'>, custom_id: string, userId: string = ada.id): Promise<void> {
  await useComponent(service, message, userId, { component_type: 2, custom_id });
}

/** The message of a reply, after the command was used. */
async function firstMessage(): Promise<Message> {
  await useAsk();
  return (await player.dispatch('MESSAGE_CREATE')) as unknown as Message;
}

async function contentOf({ url }: { readonly url: string }): Promise<Buffer> {
  return Buffer.from(await (await fetch(url)).arrayBuffer());
}

/** The result of a handler that ran for one use of the command. */
async function answering<Result>(
  connect: (handler: InteractionHandler) => Promise<unknown>,
  handler: (interaction: ReceivedInteraction) => Promise<Result>,
): Promise<Result> {
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  await connect(async interaction => handler(interaction).then(resolve, reject));
  await useAsk();
  return promise;
}

const bytes = new Uint8Array([0, 255, 13, 10, 45, 45, 10, 128]);

describe.each(ways)('files of an app that gets its interactions by %s', (_, connect) => {
  beforeEach(() => {
    backend = create();
  });

  it('arrive with a reply, byte by byte, with their names, types and descriptions', async () => {
    await connect(({ reply }) =>
      reply({
        content: 'The map',
        ephemeral: true,
        files: [
          { name: 'map "1"\n.png', content: bytes, type: 'image/png', description: 'A quay' },
          { name: 'ноты.txt', content: 'Ahoy\r\n--' },
        ],
      }),
    );
    const { attachments, content, flags } = await firstMessage();
    expect([content, flags]).toEqual(['The map', 64]);
    expect(attachments).toMatchObject([
      { filename: 'map "1"\n.png', content_type: 'image/png', description: 'A quay', size: bytes.length },
      { filename: 'ноты.txt', content_type: expect.stringMatching(/^text\/plain/) },
    ]);
    expect(await contentOf(attachments[0] ?? { url: '' })).toEqual(Buffer.from(bytes));
    expect(String(await contentOf(attachments[1] ?? { url: '' }))).toBe('Ahoy\r\n--');
    expect(errors).toEqual([]);
  });

  it('arrive with a follow-up and an edit, which keeps the attachments that it lists', async () => {
    const file = (name: string): MessageFile => ({ name, content: name });
    const messages = await answering(connect, async ({ defer, editReply, followUp }) => {
      await defer();
      const filled = await editReply({ files: [file('a'), file('b')] });
      const kept = await editReply({ attachments: filled.attachments.slice(1), files: [file('c')] });
      const replaced = await editReply({ files: [file('d')] });
      const untouched = await editReply({ content: 'x' });
      return [filled, kept, replaced, untouched, await followUp({ files: [file('e')] })];
    });
    expect(messages.map(({ attachments }) => attachments.map(({ filename }) => filename).join())).toEqual([
      'a,b',
      'b,c',
      'd',
      'd',
      'e',
    ]);
  });

  it('arrive with the update of a message, and embeds show them', async () => {
    const shown = embed({ title: 'Map', image: 'attachment://map.png', color: '#00ff7f', fields: { Players: '4' } });
    await connect(interaction =>
      interaction.payload.type === 3
        ? interaction.update({ embeds: [shown], files: [{ name: 'map.png', content: bytes }] })
        : interaction.reply({ content: 'Map?', components: [row(button.primary('map', 'Show'))] }),
    );
    await press(await firstMessage(), 'map');
    expect(await player.dispatch('MESSAGE_UPDATE')).toMatchObject({
      attachments: [{ filename: 'map.png', content_type: 'application/octet-stream' }],
      embeds: [{ title: 'Map', color: 0x00ff7f, fields: [{ name: 'Players', value: '4', inline: true }] }],
    });
  });

  it('are ten at most, and a fault leaves the interaction open', async () => {
    const files = (count: number) => Array.from({ length: count }, (_item, i) => ({ name: `${i}`, content: '' }));
    const [tooMany, withKept, ten] = await answering(connect, async ({ reply, editReply }) => {
      const over = await reply({ files: files(limits.messageAttachmentsMax + 1) }).catch((error: unknown) => error);
      await reply({ files: files(limits.messageAttachmentsMax) });
      const message = await editReply({ content: 'x' });
      const kept = message.attachments.slice(0, 1);
      const more = await editReply({ attachments: kept, files: files(limits.messageAttachmentsMax) }).catch(
        (error: unknown) => error,
      );
      return [over, more, message.attachments.length];
    });
    expect(tooMany).toMatchObject({ issues: [{ path: ['data', 'files'], code: 'BASE_TYPE_MAX_LENGTH' }] });
    expect(withKept).toMatchObject({ issues: [{ path: ['attachments'], code: 'BASE_TYPE_MAX_LENGTH' }] });
    expect(ten).toBe(limits.messageAttachmentsMax);
  });
});

const transports: readonly [string, () => Transport][] = [
  ['fetch', () => fetchTransport(fetch)],
  ['node:http', nodeTransport],
];

describe.each(transports)('a file that is sent with %s', (_, transport) => {
  it('can have 10 MiB, and not one byte more', async () => {
    backend = create({ transport: transport() });
    const sent = await answering(
      handler => backend.interactions.listen(handler),
      async ({ defer, editReply }) => {
        await defer();
        const send = (length: number) =>
          editReply({ files: [{ name: 'x', content: Buffer.alloc(length, 'x') }] }).then(
            ({ attachments }) => attachments[0]?.size,
            (error: unknown) => error,
          );
        const max = limits.attachmentBytesMax;
        return [await send(max - 1), await send(max), await send(max + 1)];
      },
    );
    expect(sent.slice(0, 2)).toEqual([limits.attachmentBytesMax - 1, limits.attachmentBytesMax]);
    expect(sent[2]).toMatchObject({ issues: [{ path: ['files', '0', 'content'], code: 'BASE_TYPE_MAX_LENGTH' }] });
  });
});

it('files that are too large together are rejected by the service, by name', async () => {
  backend = create();
  const content = new Uint8Array(limits.attachmentBytesMax);
  const rejected = await answering(
    handler => backend.interactions.listen(handler),
    async ({ defer, editReply }) => {
      await defer();
      return editReply({ files: ['a', 'b', 'c'].map(name => ({ name, content })) }).catch((error: unknown) => error);
    },
  );
  expect(rejected).toMatchObject({ name: 'ApiError', code: 'request_too_large' });
});

describe.each(ways)('a component with parameters, by %s', (_, connect) => {
  it('gets the values that its custom id was made of, up to 100 characters of it', async () => {
    backend = create();
    const lobbyId = 'x'.repeat(componentLimits.customIdLengthMax - 'join//a%2Fb'.length);
    const join = defineComponent('join/:team/:lobbyId', ({ params, update }) =>
      update({ content: JSON.stringify(params), components: [] }),
    );
    const ask = defineCommand({ name: 'ask', description: 'Asks' }, ({ reply }) =>
      reply({ components: [row(button.primary(join.customId({ team: 'a/b', lobbyId }), 'Join'))] }),
    );
    await connect(router([ask], { components: [join] }));
    const message = await firstMessage();
    await press(message, `join/a%2Fb/${lobbyId}`);
    const { content } = (await player.dispatch('MESSAGE_UPDATE')) as { content: string };
    expect(JSON.parse(content)).toEqual({ team: 'a/b', lobbyId });
  });
});

const buttons = (...ids: readonly string[]) => ({
  content: 'Well?',
  components: [row(...ids.map(id => button.primary(id, id)))],
});

describe.each(ways)('components that are awaited, by %s', (_, connect) => {
  beforeEach(() => {
    backend = create();
  });

  it('are answered by the handler that waits, without the router', async () => {
    const routed: string[] = [];
    await connect(async interaction => {
      if (interaction.payload.type === 3) return void routed.push(interaction.payload.id);
      await interaction.reply(buttons('yes', 'no'));
      const pressed = await interaction.awaitComponent({ customIds: ['yes', 'no'] });
      await pressed?.update({ content: `It is ${pressed.payload.data.custom_id}.`, components: [] });
    });
    await press(await firstMessage(), 'no');
    expect(await player.dispatch('MESSAGE_UPDATE')).toMatchObject({ content: 'It is no.' });
    expect([routed, errors]).toEqual([[], []]);
  });

  it('go to the router if their id, the filter or the message does not fit', async () => {
    const routed: unknown[] = [];
    const taken = Promise.withResolvers<ComponentUse | undefined>();
    let uses = 0;
    await connect(async interaction => {
      const { payload, reply, awaitComponent } = interaction;
      if (payload.type === 3) {
        routed.push([payload.data.custom_id, payload.member?.user.id]);
        return interaction.deferUpdate();
      }
      await reply(buttons('yes', 'no'));
      if (++uses > 1) return;
      const mine = ({ payload: { member } }: ComponentUse) => member?.user.id === ada.id;
      taken.resolve(await awaitComponent({ customIds: ['yes'], filter: mine }));
    });
    const message = await firstMessage();
    const other = await GatewayClient.identified(service.gateway, { token: await sessionToken(service, grace.id) });
    try {
      const [command] = (await backend.commands.list()).filter(({ name }) => name === 'ask');
      if (!command) throw new Error('It is registered.');
      await useCommand(service, command, grace.id);
      const second = (await other.dispatch('MESSAGE_CREATE')) as unknown as Message;
      expect(second.id).not.toBe(message.id);
      await press(second, 'yes', ada.id);
      await expect.poll(() => routed.length).toBe(1);
    } finally {
      await other.end();
    }
    await press(message, 'no');
    await expect.poll(() => routed.length).toBe(2);
    await press(message, 'yes', grace.id);
    await expect.poll(() => routed.length).toBe(3);
    await press(message, 'yes');
    const use = await taken.promise;
    await use?.deferUpdate();
    expect(use?.payload.member?.user.id).toBe(ada.id);
    expect(routed).toEqual([
      ['yes', ada.id],
      ['no', ada.id],
      ['yes', grace.id],
    ]);
  });

  it('are collected one by one until the loop ends; those of its own message included', async () => {
    const done = Promise.withResolvers<string[]>();
    await connect(async ({ reply, collectComponents, payload, deferUpdate }) => {
      if (payload.type === 3) return deferUpdate();
      await reply(buttons('a', 'b', 'stop'));
      const pressed: string[] = [];
      for await (const use of collectComponents()) {
        const { custom_id } = use.payload.data;
        pressed.push(custom_id);
        await use.update(buttons('a', 'b', 'stop'));
        if (custom_id !== 'stop') continue;
        const again = use.awaitComponent({ customIds: ['a'] });
        await use.followUp({ content: 'Once more' });
        pressed.push((await again)?.payload.data.custom_id ?? 'none');
        break;
      }
      done.resolve(pressed);
    });
    const message = await firstMessage();
    for (const id of ['a', 'b', 'stop']) await press(message, id);
    await player.until(() => player.frames.filter(({ t }) => t === 'MESSAGE_CREATE').length > 1);
    await press(message, 'a');
    expect(await done.promise).toEqual(['a', 'b', 'stop', 'a']);
  });
});

describe('collecting components', () => {
  let clock: VirtualClock;
  beforeEach(() => {
    clock = new VirtualClock(Date.now());
    backend = create({ clock });
  });
  const listen = (handler: InteractionHandler) => backend.interactions.listen(handler, { onError });
  const received = () =>
    answering(listen, async interaction => {
      await interaction.reply(buttons('yes'));
      return interaction;
    });

  it.each([
    ['the given time', 60_000, 60_000],
    ['the 15 minutes of the interaction', limits.interactionTokenLifeMs + 1, limits.interactionTokenLifeMs],
    ['the 15 minutes of the interaction, where none is given', undefined, limits.interactionTokenLifeMs],
  ])('ends with %s, not a millisecond earlier', async (_, timeoutMs, endMs) => {
    const { awaitComponent } = await received();
    let ended: unknown = 'not yet';
    const waiting = awaitComponent({ timeoutMs }).then(use => {
      ended = use;
    });
    await clock.advance(endMs - 1);
    expect(ended).toBe('not yet');
    await clock.advance(1);
    await waiting;
    expect(ended).toBeUndefined();
    expect(await awaitComponent({ timeoutMs: 0 })).toBeUndefined();
  });

  it('begins no more when the 15 minutes are over', async () => {
    const { awaitComponent } = await received();
    await clock.advance(limits.interactionTokenLifeMs);
    expect(await awaitComponent()).toBeUndefined();
  });

  it('rejects with `aborted` when its signal aborts, before and while it waits', async () => {
    const { awaitComponent } = await received();
    const controller = new AbortController();
    const waiting = awaitComponent({ signal: controller.signal });
    controller.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'aborted' });
    await expect(awaitComponent({ signal: controller.signal })).rejects.toMatchObject({ code: 'aborted' });
  });

  it('ends when the backend is closed', async () => {
    const { awaitComponent, collectComponents } = await received();
    const waiting = awaitComponent();
    const collected = collectComponents();
    backend.close();
    expect(await waiting).toBeUndefined();
    expect(await collected.next()).toEqual({ value: undefined, done: true });
    expect(await awaitComponent()).toBeUndefined();
  });

  it.each<object>([{ timeoutMs: Number.NaN }, { timeoutMs: '60000' }, { customIds: 'yes' }, { filter: 'yes' }])(
    'rejects %j',
    async options => {
      const { awaitComponent } = await received();
      await expect(awaitComponent(options)).rejects.toMatchObject({ code: 'invalid_argument' });
    },
  );

  const throwing = () => {
    throw new Error('broken');
  };
  it.each<readonly [what: string, filter: () => boolean, error: object]>([
    ['what its filter throws', throwing, { message: 'broken' }],
    ['invalid_filter if its filter is async', notAwaited(async () => true), { code: 'invalid_filter' }],
    [
      'invalid_filter if its filter is async and rejects',
      notAwaited(async () => throwing()),
      { code: 'invalid_filter' },
    ],
  ])('rejects with %s; the use goes to the router', async (_, filter, error) => {
    const routed = Promise.withResolvers<string>();
    const { promise, resolve } = Promise.withResolvers<ReceivedInteraction>();
    await listen(async interaction => {
      if (interaction.payload.type === 3) return routed.resolve(interaction.payload.data.custom_id);
      await interaction.reply(buttons('yes'));
      resolve(interaction);
    });
    const message = await firstMessage();
    const waiting = expect((await promise).awaitComponent({ filter })).rejects.toMatchObject(error);
    await press(message, 'yes');
    await waiting;
    expect(await routed.promise).toBe('yes');
  });

  it('keeps 100 uses that wait; the next goes to the router, and all of them when it ends', async () => {
    const routed: string[] = [];
    const { promise, resolve } = Promise.withResolvers<ReceivedInteraction>();
    await listen(async interaction => {
      if (interaction.payload.type === 3) return void routed.push(interaction.payload.id);
      await interaction.reply(buttons('yes'));
      resolve(interaction);
    });
    const message = await firstMessage();
    const offered: string[] = [];
    const collected = (await promise).collectComponents({
      filter: ({ payload }) => {
        offered.push(payload.id);
        return true;
      },
    });
    const max = collectorLimits.usesWaitingMax;
    for (let i = 0; i < max; i++) await press(message, 'yes');
    await expect.poll(() => offered.length).toBe(max);
    expect(routed).toEqual([]);
    await press(message, 'yes');
    await expect.poll(() => routed.length).toBe(1);
    await collected.return?.();
    await expect.poll(() => routed.length).toBe(max + 1);
    expect(new Set(routed).size).toBe(max + 1);
  });

  it('is open 10,000 times at most: then the oldest ends', async () => {
    const { awaitComponent } = await received();
    let ended = false;
    const first = awaitComponent().then(() => {
      ended = true;
    });
    for (let i = 1; i < collectorLimits.collectorsMax; i++) void awaitComponent();
    await Promise.resolve();
    expect(ended).toBe(false);
    void awaitComponent();
    await first;
    expect(ended).toBe(true);
  });
});
