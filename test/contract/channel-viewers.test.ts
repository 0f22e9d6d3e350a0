import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type Backend, createBackend, type InteractionHandler } from '../../src/backend/index.ts';
import type { DispatchName } from '../../src/model/gateway.ts';
import { permissionBits } from '../../src/model/guild.ts';
import { type Message, messageFlags } from '../../src/model/message.ts';
import { type Service, startService } from '../../src/service/index.ts';
import { button, row } from '../support/commands/components.ts';
import { useCommand } from '../support/commands/use-command.ts';
import { useComponent } from '../support/commands/use-component.ts';
import { GatewayClient } from '../support/gateway/gateway-client.ts';
import { callApi, starfall } from '../support/service/starfall.ts';
import { sessionToken } from '../support/service/tokens.ts';

const [application] = starfall.applications;
const [ada, grace, edsger] = starfall.users;
const [guild] = starfall.guilds;
const [general] = guild.channels;

let service: Service;
let backend: Backend;

beforeAll(async () => {
  service = await startService({ fixtures: starfall, limits: 'off' });
});
beforeEach(async () => {
  await service.reset();
  const { id: applicationId, bot_token: botToken } = application;
  backend = createBackend({ applicationId, botToken, baseUrl: service.webBase, globalLimit: 'off' });
  onTestFinished(() => backend.close());
});
afterAll(() => service.close());

/** A chat client of the user. */
async function chatClient({ id }: { readonly id: string }): Promise<GatewayClient> {
  const client = await GatewayClient.identified(service.gateway, { token: await sessionToken(service, id) });
  onTestFinished(() => client.end());
  return client;
}

/** Ada uses a command that the handler answers. */
async function rally(handler: InteractionHandler): Promise<void> {
  const { command } = await backend.commands.create({ name: 'rally', description: 'Calls your party' });
  await backend.interactions.listen(handler);
  await useCommand(service, command, ada.id);
}

/** What the client received after everything that the service had sent. */
async function messages(client: GatewayClient): Promise<[DispatchName, string | undefined][]> {
  await client.beat();
  const seen = client.frames.filter(({ t }) => t?.startsWith('MESSAGE_'));
  return seen.map(({ t, d }) => [t as DispatchName, (d as Message).content]);
}

/** Changes the guild of a running service. */
async function changeGuild(change: object): Promise<void> {
  const answer = await fetch(`${service.controlBase}/fixtures`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.controlToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ guilds: [{ ...guild, ...change }] }),
  });
  expect(answer.status).toBe(200);
}

const hidden = {
  channels: [
    {
      ...general,
      permission_overwrites: [{ id: guild.id, type: 0, allow: '0', deny: permissionBits.VIEW_CHANNEL.toString() }],
    },
  ],
};

describe("an application's message in a channel", () => {
  it('reaches all members who are connected, once each: the reply, its edit, a follow-up and a deletion', async () => {
    const clients = await Promise.all([ada, grace].map(chatClient));
    const outsider = await chatClient(edsger);
    const done = Promise.withResolvers<void>();
    await rally(async ({ reply, editReply, followUp, deleteReply }) => {
      await reply({ content: 'To the harbour' });
      await editReply({ content: 'To the keep' });
      await followUp({ content: 'Now' });
      await deleteReply();
      done.resolve();
    });
    await done.promise;
    const all = [
      ['MESSAGE_CREATE', 'To the harbour'],
      ['MESSAGE_UPDATE', 'To the keep'],
      ['MESSAGE_CREATE', 'Now'],
      ['MESSAGE_DELETE', undefined],
    ];
    for (const client of clients) expect(await messages(client)).toEqual(all);
    expect(await messages(outsider)).toEqual([]);
  });

  it('changes for all of them when one of them presses its button', async () => {
    const [first, other] = await Promise.all([ada, grace].map(chatClient));
    await rally(async ({ payload, reply, update }) => {
      if (payload.type === 3) await update({ content: 'Grace joined', components: [] });
      else await reply({ content: 'Join!', components: [row(button('join'))] });
    });
    const message = (await other?.dispatch('MESSAGE_CREATE')) as Message;
    await useComponent(service, message, grace.id, { component_type: 2, custom_id: 'join' });
    await other?.dispatch('MESSAGE_UPDATE');
    for (const client of [first, other]) {
      expect(client && (await messages(client))).toEqual([
        ['MESSAGE_CREATE', 'Join!'],
        ['MESSAGE_UPDATE', 'Grace joined'],
      ]);
    }
  });

  it('reaches only its user when it is ephemeral', async () => {
    const [first, other] = await Promise.all([ada, grace].map(chatClient));
    const done = Promise.withResolvers<void>();
    await rally(async ({ reply, editReply }) => {
      await reply({ content: 'Psst', flags: messageFlags.EPHEMERAL });
      await editReply({ content: 'Hush' });
      done.resolve();
    });
    await done.promise;
    expect(first && (await messages(first))).toEqual([
      ['MESSAGE_CREATE', 'Psst'],
      ['MESSAGE_UPDATE', 'Hush'],
    ]);
    expect(other && (await messages(other))).toEqual([]);
  });

  it('does not reach members who may not view the channel, whether they lost the permission before or after they connected', async () => {
    const before = await chatClient(grace);
    await changeGuild(hidden);
    const after = await chatClient(grace);
    const owner = await chatClient(ada);
    await rally(({ reply }) => reply({ content: 'For those who see it' }));
    await owner.dispatch('MESSAGE_CREATE');
    for (const client of [before, after]) expect(await messages(client)).toEqual([]);
  });

  it('reaches members who may view the channel or join the guild only after they connected', async () => {
    await changeGuild(hidden);
    const clients = await Promise.all([grace, edsger].map(chatClient));
    await changeGuild({ members: [{ user_id: ada.id }, { user_id: grace.id }, { user_id: edsger.id }] });
    await changeGuild({ ...guild, channels: [{ ...general, permission_overwrites: [] }] });
    await rally(({ reply }) => reply({ content: 'Welcome' }));
    for (const client of clients) expect(await client.dispatch('MESSAGE_CREATE')).toMatchObject({ content: 'Welcome' });
  });

  it('stays between the user and the bot outside guilds', async () => {
    const [first, other] = await Promise.all([ada, grace].map(chatClient));
    const { command } = await backend.commands.create({ name: 'rally', description: 'Calls your party' });
    await backend.interactions.listen(({ reply }) => reply({ content: 'Just us' }));
    const { id, version, name, type } = command;
    const use = { type: 2, application_id: application.id, channel_id: general.id, data: { id, version, name, type } };
    const headers = { authorization: await sessionToken(service, ada.id), 'content-type': 'application/json' };
    expect((await callApi(service, 'POST', '/interactions', use, headers)).status).toBe(204);
    await first?.dispatch('MESSAGE_CREATE');
    expect(other && (await messages(other))).toEqual([]);
  });
});
