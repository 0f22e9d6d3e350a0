import { beforeEach, describe, expect, it } from 'vitest';
import type { Component } from '../../../../src/model/component.ts';
import type { ComponentInteraction } from '../../../../src/model/interaction.ts';
import { limits } from '../../../../src/model/limits/limits.ts';
import { type Message, messageFlags } from '../../../../src/model/message.ts';
import { topics } from '../../../../src/service/events/announcement.ts';
import { serviceLimits } from '../../../../src/service/support/service-limits.ts';
import { button, pick, row, stringSelect, text } from '../../../support/commands/components.ts';
import { ada, ben, cyn, refusal } from '../support.ts';
import {
  channelId,
  command,
  guild,
  guildId,
  type InteractionWorld,
  openInteractionWorld,
  use,
  usual,
} from './world.ts';

const { EPHEMERAL, IS_COMPONENTS_V2 } = messageFlags;

let world: InteractionWorld;
beforeEach(async () => {
  world = await openInteractionWorld();
});

/** The application answers ada's command with a message. */
async function shown(components: readonly Component[], more: object = {}, fields: object = {}): Promise<Message> {
  const data = { content: 'Choose', components, ...more };
  const { resource } = await world.answer(await world.used(use(fields)), { type: 4, data });
  if (!resource?.message) throw new Error('It is a message.');
  return resource.message;
}

const pressOf = (message: Pick<Message, 'id'>, data: object = {}, fields: object = {}) => ({
  type: 3,
  application_id: '1',
  guild_id: guildId,
  channel_id: channelId,
  message_id: message.id,
  nonce: 'p1',
  data: { component_type: 2, custom_id: 'join', ...data },
  ...fields,
});

/** Uses a component; gives what the application heard of it. */
async function pressed(body: unknown, userId = ada): Promise<ComponentInteraction> {
  return (await world.used(body, userId)) as unknown as ComponentInteraction;
}

const join = [row(button('join'), button('leave'))];
const names = () => world.heard.map(({ name }) => name);

describe('a button', () => {
  it('gives the application the custom id, the message and the user who pressed it', async () => {
    const message = await shown(join);
    const interaction = await pressed(pressOf(message));
    expect(interaction).toMatchObject({
      type: 3,
      application_id: '1',
      data: { custom_id: 'join', component_type: 2 },
      message,
      channel_id: channelId,
      guild_id: guildId,
      member: { user: { id: ada }, permissions: usual },
      authorizing_integration_owners: { 0: guildId },
      context: 0,
      version: 1,
    });
    expect(interaction.data).not.toHaveProperty('values');
    expect(interaction).not.toHaveProperty('user');
  });

  it('fails for its user when the application does not answer', async () => {
    await pressed(pressOf(await shown(join)));
    await world.core.clock.advance(limits.interactionAnswerMs);
    expect(world.heard.at(-1)).toMatchObject({ name: 'INTERACTION_FAILURE', data: { nonce: 'p1' } });
  });

  it('is found on every level of a message of components', async () => {
    const container = {
      type: 17,
      components: [{ type: 9, components: [text()], accessory: button('join', { id: 7 }) }],
    } as const;
    const message = await shown([container], { flags: IS_COMPONENTS_V2, content: undefined });
    expect(message.components).toMatchObject([container]);
    expect((await pressed(pressOf(message))).data).toEqual({ custom_id: 'join', component_type: 2, id: 7 });
  });

  it('is found beside components with fields of other types', async () => {
    const odd = [
      row({ ...button('join'), components: 5, id: null } as unknown as Component),
      row({ ...pick('USER_SELECT', 'who'), options: 7, required: false } as unknown as Component),
      { ...text(), custom_id: 'join', accessory: 'x' } as unknown as Component,
    ];
    const message = await shown(odd.toReversed(), { flags: IS_COMPONENTS_V2, content: undefined });
    expect((await pressed(pressOf(message))).data).toMatchObject({ custom_id: 'join', component_type: 2 });
    const chosen = pressOf(message, { component_type: 5, custom_id: 'who', values: [ben] });
    expect((await pressed(chosen)).data).toMatchObject({ values: [ben] });
  });

  it('may be pressed by every user who sees the message, in an ephemeral message by its user alone', async () => {
    const seen = await shown(join);
    expect(await pressed(pressOf(seen), ben)).toMatchObject({ member: { user: { id: ben } } });
    const hidden = await shown(join, { flags: EPHEMERAL });
    expect((await refusal(pressed(pressOf(hidden), ben))).reason).toBe('unknown_message');
    await pressed(pressOf(hidden));
    expect((await refusal(pressed(pressOf(seen), cyn))).reason).toBe('missing_access');
  });

  it("of the bot's direct messages is there for its user alone", async () => {
    const direct = { guild_id: undefined };
    const message = await shown(join, {}, direct);
    expect(await pressed(pressOf(message, {}, direct))).toMatchObject({ user: { id: ada }, context: 1 });
    expect((await refusal(pressed(pressOf(message, {}, direct), ben))).reason).toBe('unknown_message');
    expect((await refusal(pressed(pressOf(message)))).reason).toBe('unknown_message');
  });

  it('is rejected for a member who does not see the channel', async () => {
    const message = await shown(join);
    await world.core.store.transact('place', transaction =>
      transaction.put('guilds', guild({ roles: [{ id: guildId, name: '@everyone', permissions: '0', position: 0 }] })),
    );
    expect((await refusal(pressed(pressOf(message)))).reason).toBe('missing_access');
  });

  it('works for others where the application is only there for the user who was answered', async () => {
    await world.put(command({ integration_types: [1] }));
    await world.core.store.transact('place', transaction => {
      const scopes = ['applications.commands'];
      transaction.put('authorizations', { id: '1', application_id: '1', user_id: ada, scopes });
      transaction.put('guilds', guild({ applications: [] }));
    });
    const interaction = await pressed(pressOf(await shown(join)), ben);
    expect(interaction.authorizing_integration_owners).toEqual({ 1: ada });
  });

  it.each([
    ['no message', { message_id: undefined }, {}, 'message_id'],
    ['no application', { application_id: undefined }, {}, 'application_id'],
    ['no data', { data: undefined }, {}, 'data'],
    ['no custom id', {}, { custom_id: '' }, 'data.custom_id'],
    ['a custom id of 101 characters', {}, { custom_id: 'x'.repeat(101) }, 'data.custom_id'],
    ['no type', {}, { component_type: null }, 'data.component_type'],
    ['a type that nobody uses', {}, { component_type: 1 }, 'data.component_type'],
    ['an unknown custom id', {}, { custom_id: 'joined' }, 'data.custom_id'],
    ['another type', {}, { component_type: 3 }, 'data.custom_id'],
    ['a button that is disabled', {}, { custom_id: 'closed' }, 'data.custom_id'],
    ['a custom id of a link', {}, { custom_id: 'https://a.example' }, 'data.custom_id'],
  ])('is refused with %s', async (_, fields, data, path) => {
    const link = { type: 2, style: 5, label: 'x', url: 'https://a.example' } as const;
    const message = await shown([row(button('join'), button('closed', { disabled: true }), link)]);
    const refused = await refusal(pressed(pressOf(message, data, fields)));
    expect(refused).toMatchObject({ reason: 'invalid_form_body', paths: [path] });
  });

  it.each([
    ['unknown_message', { message_id: '999' }],
    ['unknown_message', { application_id: '2' }],
    ['unknown_application', { application_id: '3' }],
    ['unknown_guild', { guild_id: '501' }],
    ['unknown_channel', { channel_id: '701' }],
  ])('is refused with %s: %j', async (reason, fields) => {
    const message = await shown(join);
    await world.core.store.transact('place', transaction =>
      transaction.put('guilds', guild({ applications: ['1', '2'] })),
    );
    expect((await refusal(pressed(pressOf(message, {}, fields)))).reason).toBe(reason);
  });

  it('can be pressed for a day, long after the token of the command has died', async () => {
    const message = await shown(join);
    await world.core.clock.advance(serviceLimits.messageComponentsLifeMs - 1);
    await pressed(pressOf(message));
    await world.core.clock.advance(1);
    expect((await refusal(pressed(pressOf(message)))).reason).toBe('unknown_message');
  });
});

describe('a select', () => {
  const select = [
    row(stringSelect('map', ['quay', 'keep'], { max_values: 2 })),
    row(pick('USER_SELECT', 'who')),
    row(pick('MENTIONABLE_SELECT', 'any')),
    row(pick('CHANNEL_SELECT', 'where', { channel_types: [2] })),
    row(pick('ROLE_SELECT', 'rank')),
  ];
  const choose = async (component_type: number, custom_id: string, values: unknown) =>
    pressed(pressOf(await shown(select), { component_type, custom_id, values }));

  it('gives the application the values that were chosen', async () => {
    const { data } = await choose(3, 'map', ['keep', 'quay']);
    expect(data).toEqual({ component_type: 3, custom_id: 'map', id: 2, values: ['keep', 'quay'] });
  });

  it('resolves users, roles and channels', async () => {
    const { data } = await choose(5, 'who', [ben]);
    expect(data).toMatchObject({ values: [ben], resolved: { users: { [ben]: { id: ben } }, members: { [ben]: {} } } });
    expect((await choose(7, 'any', [guildId])).data.resolved).toHaveProperty(`roles.${guildId}`);
    expect((await choose(6, 'rank', [guildId])).data.resolved).toHaveProperty(`roles.${guildId}`);
  });

  it.each([
    [3, 'map', undefined, 'data.values'],
    [3, 'map', [], 'data.values'],
    [3, 'map', ['harbour'], 'data.values.0'],
    [3, 'map', ['keep', 'quay', 'keep'], 'data.values'],
    [5, 'who', ['999'], 'data.values.0'],
    [6, 'rank', [ben], 'data.values.0'],
    [8, 'where', [channelId], 'data.values.0'],
  ])('of type %i refuses a choice that is none: %s %j', async (type, id, values, path) => {
    const refused = await refusal(choose(type, id, values));
    expect(refused).toMatchObject({ reason: 'invalid_form_body' });
    expect(refused.paths).toContain(path);
  });
});

describe('an answer to the use of a component', () => {
  it('of type 7 edits the message: all who see it are notified, and it is the first answer', async () => {
    const message = await shown(join);
    const interaction = await pressed(pressOf(message), ben);
    const heardByBen: string[] = [];
    await world.core.bus.subscribe(topics.user(ben), ({ event }) => void (event && heardByBen.push(event.name)));
    await world.core.clock.advance(1000);
    const { interaction: told, resource } = await world.answer(interaction, { type: 7, data: { content: 'Joined' } });
    expect(resource).toMatchObject({ type: 7, message: { id: message.id, content: 'Joined', components: join } });
    expect(told).toMatchObject({ type: 3, response_message_id: message.id, response_message_loading: false });
    expect(heardByBen).toEqual(['INTERACTION_SUCCESS', 'MESSAGE_UPDATE']);
    expect(names().slice(-1)).toEqual(['MESSAGE_UPDATE']);
    const original = world.interactions.message('1', interaction.token, '@original');
    expect(await original).toEqual(resource?.message);
    await world.interactions.editMessage('1', interaction.token, '@original', { content: 'Ready', components: [] });
    expect(world.heard.at(-1)?.data).toMatchObject({ id: message.id, content: 'Ready', components: [] });
    expect((await refusal(pressed(pressOf(message)))).paths).toEqual(['data.custom_id']);
  });

  it('of type 6 leaves the message as it is, until it is edited or deleted', async () => {
    const message = await shown(join);
    const interaction = await pressed(pressOf(message));
    expect(await world.answer(interaction, { type: 6 })).toMatchObject({
      interaction: { response_message_id: message.id },
    });
    expect(names().at(-1)).toBe('INTERACTION_SUCCESS');
    const more = await world.interactions.followUp('1', interaction.token, { content: 'More' });
    expect(more.id).not.toBe(message.id);
    await world.interactions.deleteMessage('1', interaction.token, '@original');
    expect(world.heard.at(-1)).toMatchObject({ name: 'MESSAGE_DELETE', data: { id: message.id } });
    expect((await refusal(pressed(pressOf(message)))).reason).toBe('unknown_message');
  });

  it('of type 4 is a reply to it, and says where it comes from', async () => {
    const message = await shown(join);
    const interaction = await pressed(pressOf(message), ben);
    const { resource } = await world.answer(interaction, { type: 4, data: { content: 'Hello' } });
    expect(resource?.message).toMatchObject({
      type: 19,
      nonce: 'p1',
      message_reference: { type: 0, message_id: message.id, channel_id: channelId, guild_id: guildId },
      interaction_metadata: { id: interaction.id, type: 3, user: { id: ben }, interacted_message_id: message.id },
    });
    const edit = world.interactions.editMessage('1', interaction.token, message.id, { content: 'x' });
    expect((await refusal(edit)).reason).toBe('unknown_message');
  });

  it('may be put off with type 5', async () => {
    const interaction = await pressed(pressOf(await shown(join)));
    await world.answer(interaction, { type: 5 });
    await world.interactions.editMessage('1', interaction.token, '@original', { content: 'Done' });
    expect(world.heard.at(-1)).toMatchObject({ name: 'MESSAGE_UPDATE', data: { content: 'Done', type: 19 } });
  });

  it('is one of types 4, 5, 6, 7 and 9, and given once', async () => {
    const interaction = await pressed(pressOf(await shown(join)));
    for (const type of [1, 8, 12]) {
      expect((await refusal(world.answer(interaction, { type }))).fault.issues).toMatchObject([
        { path: ['type'], message: 'Value must be one of (4, 5, 6, 7, 9).' },
      ]);
    }
    await world.answer(interaction, { type: 6 });
    expect((await refusal(world.answer(interaction, { type: 6 }))).reason).toBe('already_acknowledged');
  });

  it('of type 7 must leave something to see, of a message that is there', async () => {
    const message = await shown([], { embeds: [{}] });
    await world.interactions.followUp('1', (await lastUse()).token, { content: 'x', components: join });
    const second = world.heard.at(-1)?.data as unknown as Message;
    const interaction = await pressed(pressOf(second));
    const empty = { content: '', components: [] };
    expect((await refusal(world.answer(interaction, { type: 7, data: empty }))).reason).toBe('empty_message');
    await world.interactions.deleteMessage('1', (await lastUse()).token, second.id);
    expect((await refusal(world.answer(interaction, { type: 7, data: { content: 'y' } }))).reason).toBe(
      'unknown_message',
    );
    await world.answer(interaction, { type: 6 });
    expect(message.id).not.toBe(second.id);
  });

  it('can turn a message into one of components alone, which it stays', async () => {
    const message = await shown(join);
    const data = { flags: IS_COMPONENTS_V2, components: [text('New'), ...join] };
    const refused = await refusal(world.answer(await pressed(pressOf(message)), { type: 7, data }));
    expect(refused.paths).toEqual(['content']);
    const { resource } = await world.answer(await pressed(pressOf(message)), {
      type: 7,
      data: { ...data, content: null },
    });
    expect(resource?.message).toMatchObject({ flags: IS_COMPONENTS_V2, content: '', components: data.components });
    const again = await world.answer(await pressed(pressOf(message)), {
      type: 7,
      data: { components: [text('Newer')] },
    });
    expect(again.resource?.message).toMatchObject({ flags: IS_COMPONENTS_V2, components: [text('Newer')] });
  });

  it('by many users concurrently edits the message one edit after another', async () => {
    const message = await shown(join);
    await Promise.all([ada, ben, ada, ben].map(userId => pressed(pressOf(message), userId)));
    const uses = world.heard.filter(({ name }) => name === 'INTERACTION_CREATE').slice(-4);
    const answers = uses.map(({ data }, i) =>
      world.answer(data as unknown as ComponentInteraction, { type: 7, data: { content: `${i}` } }),
    );
    const contents = (await Promise.all(answers)).map(({ resource }) => resource?.message?.content);
    expect(contents).toEqual(['0', '1', '2', '3']);
    const updates = world.heard.filter(({ name }) => name === 'MESSAGE_UPDATE').map(({ data }) => data.content);
    expect(updates).toEqual(['0', '1', '2', '3']);
  });

  async function lastUse(): Promise<{ token: string }> {
    const found = world.heard.findLast(({ name, data }) => name === 'INTERACTION_CREATE' && data.type === 2);
    return found?.data as unknown as { token: string };
  }
});
