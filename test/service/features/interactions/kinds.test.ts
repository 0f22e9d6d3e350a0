import { beforeEach, describe, expect, it } from 'vitest';
import type { CommandOption } from '../../../../src/model/command.ts';
import { permissionBits } from '../../../../src/model/guild.ts';
import type { Interaction } from '../../../../src/model/interaction.ts';
import { limits } from '../../../../src/model/limits/limits.ts';
import { messageFlags } from '../../../../src/model/message.ts';
import { serviceLimits } from '../../../../src/service/support/service-limits.ts';
import { ada, applicationRecord, ben, cyn, refusal, userRecord } from '../support.ts';
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

const hello = { type: 4, data: { content: 'Hello' } };
const { EPHEMERAL, LOADING } = messageFlags;

let world: InteractionWorld;
beforeEach(async () => {
  world = await openInteractionWorld();
});

const names = () => world.heard.map(({ name }) => name);
const last = (name: string) => world.heard.findLast(one => one.name === name)?.data;

describe('a user command', () => {
  const wave = command({ id: '910', type: 2, name: 'Wave', description: '' });
  const on = (target: unknown, fields: object = {}) =>
    use(fields, { id: '910', name: 'Wave', type: 2, target_id: target });
  beforeEach(() => world.put(wave));

  it('gives the target as user and member, without the fields that the interface leaves out', async () => {
    const { data } = await world.used(on(ben));
    expect(data).toEqual({
      id: '910',
      name: 'Wave',
      type: 2,
      target_id: ben,
      resolved: {
        users: { [ben]: expect.objectContaining({ id: ben, username: 'user102' }) },
        members: {
          [ben]: {
            nick: null,
            avatar: null,
            banner: null,
            communication_disabled_until: null,
            roles: [],
            joined_at: expect.any(String),
            premium_since: null,
            pending: false,
            flags: 0,
            permissions: ((1n << 54n) - 1n).toString(),
          },
        },
      },
    });
  });

  it('gives the user alone outside guilds and for a target that is not a member; a bot is a user too', async () => {
    expect((await world.used(on(cyn))).data?.resolved).toEqual({ users: { [cyn]: expect.anything() } });
    expect((await world.used(on(ben, { guild_id: null }))).data?.resolved).toEqual({
      users: { [ben]: expect.anything() },
    });
    expect((await world.used(on('1'))).data?.resolved).toMatchObject({
      users: { 1: { bot: true } },
      members: { 1: { permissions: usual } },
    });
  });

  it('is rejected for an unknown target, and for a member who may not send messages', async () => {
    expect(await refusal(world.used(on('999')))).toMatchObject({ paths: ['data.target_id'] });
    const permissions = (BigInt(usual) ^ permissionBits.SEND_MESSAGES).toString();
    await world.core.store.transact('place', transaction =>
      transaction.put('guilds', guild({ roles: [{ id: guildId, name: '@everyone', permissions, position: 0 }] })),
    );
    expect((await refusal(world.used(on(ben)))).reason).toBe('missing_permissions');
    await world.used();
  });

  it('is answered with a message of its kind', async () => {
    const { resource } = await world.answer(await world.used(on(ben)), hello);
    expect(resource?.message?.type).toBe(23);
  });
});

describe('a message command', () => {
  const quote = command({ id: '911', type: 3, name: 'Quote', description: '' });
  const on = (target: unknown, fields: object = {}) =>
    use(fields, { id: '911', name: 'Quote', type: 3, target_id: target });
  beforeEach(() => world.put(quote));
  const said = async (data: object) =>
    (await world.answer(await world.used(), { type: 4, data: { content: 'Hello', ...data } })).resource?.message;

  it('gives the application the message', async () => {
    const message = await said({});
    const { data } = await world.used(on(message?.id));
    expect(data).toMatchObject({ type: 3, target_id: message?.id });
    expect(data?.resolved).toEqual({ messages: { [message?.id ?? '']: message } });
  });

  it.each([
    ['an unknown one', async () => '999', {}, ada],
    ['one of another channel', async () => (await said({}))?.id, { guild_id: null, channel_id: '701' }, ada],
    ["somebody else's ephemeral one", async () => (await said({ flags: EPHEMERAL }))?.id, {}, ben],
  ])('is refused on %s', async (_, target, fields, user) => {
    expect(await refusal(world.used(on(await target(), fields), user))).toMatchObject({ paths: ['data.target_id'] });
  });

  it('is rejected on a message of another channel of the same guild', async () => {
    const message = await said({});
    const [general] = guild().channels;
    const channels = general ? [general, { ...general, id: '702', name: 'hall' }] : [];
    await world.core.store.transact('place', transaction => transaction.put('guilds', guild({ channels })));
    const elsewhere = world.used(on(message?.id, { channel_id: '702' }));
    expect(await refusal(elsewhere)).toMatchObject({ reason: 'invalid_form_body', paths: ['data.target_id'] });
    await world.used(on(message?.id));
  });

  it('is used on an ephemeral one by its user, and on none once the interaction is over', async () => {
    const message = await said({ flags: EPHEMERAL });
    await world.used(on(message?.id));
    await world.core.clock.advance(limits.interactionTokenLifeMs);
    expect(await refusal(world.used(on(message?.id)))).toMatchObject({ paths: ['data.target_id'] });
  });
});

describe('options that name something', () => {
  const option = (type: CommandOption['type'], name: string, more: object = {}) => ({
    type,
    name,
    description: 'x',
    ...more,
  });
  const options = [
    option(6, 'user'),
    option(7, 'channel'),
    option(8, 'role'),
    option(9, 'either'),
    option(7, 'voice', { channel_types: [2] }),
    option(11, 'file'),
  ];
  const role = { id: '600', name: 'mod', permissions: '0', position: 1 };
  const give = (...given: readonly [type: number, name: string, value: unknown][]) =>
    use({}, { options: given.map(([type, name, value]) => ({ type, name, value })) });
  beforeEach(async () => {
    await world.put(command({ options }));
    await world.core.store.transact('place', transaction =>
      transaction.put('guilds', guild({ roles: [...guild().roles, role] })),
    );
  });

  it('are resolved, each id once and under its kind', async () => {
    const { data } = await world.used(
      give([6, 'user', ben], [7, 'channel', channelId], [8, 'role', '600'], [9, 'either', '600'], [11, 'file', '5']),
    );
    expect(Object.keys(data?.resolved ?? {})).toEqual(['users', 'members', 'roles', 'channels']);
    expect(data?.resolved?.roles).toEqual({ 600: expect.objectContaining(role) });
    expect(data?.resolved?.channels).toEqual({
      [channelId]: {
        id: channelId,
        name: 'general',
        type: 0,
        permissions: usual,
        app_permissions: usual,
        last_message_id: null,
        last_pin_timestamp: null,
        nsfw: false,
        parent_id: null,
        guild_id: guildId,
        flags: 0,
        rate_limit_per_user: 0,
        topic: null,
        position: 0,
      },
    });
  });

  it('may be either user or role', async () => {
    expect((await world.used(give([9, 'either', ada]))).data?.resolved?.users).toHaveProperty(ada);
    expect((await world.used(give([9, 'either', guildId]))).data?.resolved?.roles).toHaveProperty(guildId);
  });

  it.each([
    [[6, 'user', '999'], 'There is no such user here'],
    [[7, 'channel', '999'], 'There is no such channel here'],
    [[8, 'role', ada], 'There is no such role here'],
    [[9, 'either', '999'], 'There is no such user or role here'],
    [[7, 'voice', channelId], 'Value must be one of (2).'],
  ] as const)('are refused when they name nothing fitting: %j', async (given, message) => {
    const { fault } = await refusal(world.used(give([given[0], given[1], given[2]])));
    expect(fault.issues).toMatchObject([{ path: ['data', 'options', '0', 'value'], message }]);
  });

  it.each([
    [6, 'user'],
    [7, 'channel'],
    [8, 'role'],
    [9, 'either'],
  ])('of type %i that name nothing known are rejected with ID_UNKNOWN', async (type, name) => {
    const { fault } = await refusal(world.used(give([type, name, '999'])));
    expect(fault.issues).toMatchObject([{ path: ['data', 'options', '0', 'value'], code: 'ID_UNKNOWN' }]);
  });

  it('are found below subcommands', async () => {
    await world.put(command({ options: [{ type: 1, name: 'sub', description: 'x', options }] }));
    const sub = (value: string) =>
      use({}, { options: [{ type: 1, name: 'sub', options: [{ type: 6, name: 'user', value }] }] });
    expect((await world.used(sub(ben))).data?.resolved?.users).toHaveProperty(ben);
    expect(await refusal(world.used(sub('999')))).toMatchObject({ paths: ['data.options.0.options.0.value'] });
  });
});

describe('an option being typed', () => {
  const typed = command({
    options: [
      { type: 3, name: 'map', description: 'x', required: true, min_length: 3 },
      { type: 3, name: 'place', description: 'x', required: true, autocomplete: true },
      { type: 4, name: 'level', description: 'x', autocomplete: true },
      { type: 10, name: 'speed', description: 'x', autocomplete: true },
      { type: 11, name: 'file', description: 'x' },
    ],
  });
  const typing = (...options: readonly object[]) => use({ type: 4 }, { options });
  const place = (value: unknown, more: object = { focused: true }) => ({ type: 3, name: 'place', value, ...more });
  const level = (value: unknown, more: object = { focused: true }) => ({ type: 4, name: 'level', value, ...more });
  beforeEach(() => world.put(typed));

  it('reaches the application with the version of the command and the focus, required options missing', async () => {
    const interaction = await world.used(
      typing({ type: 3, name: 'map', value: 'ha', focused: false }, place(''), { type: 11, name: 'file', value: '5' }),
    );
    expect(interaction).toMatchObject({ type: 4, id: expect.any(String), token: expect.any(String) });
    expect(interaction.data).toEqual({
      id: '900',
      name: 'greet',
      type: 1,
      version: '77',
      options: [
        { type: 3, name: 'map', value: 'ha' },
        { type: 3, name: 'place', value: '', focused: true },
      ],
    });
  });

  it.each([
    ['12', '12'],
    ['-', '-'],
    ['', ''],
    [12, '12'],
  ])('has a value in text, also for a number: %j', async (value, expected) => {
    expect((await world.used(typing(level(value)))).data?.options).toEqual([level(expected)]);
  });

  it.each([
    ['none has the focus', [place('a', {})], 'data.options'],
    ['two have it', [place('a'), level('1')], 'data.options'],
    ['it is no number', [level('1a')], 'data.options.0.value'],
    ['it is no text', [place({})], 'data.options.0.value'],
    ['it has no autocomplete', [{ type: 3, name: 'map', value: 'a', focused: true }], 'data.options.0.focused'],
    ['there is no such option', [{ type: 3, name: 'nope', value: 'a', focused: true }], 'data.options.0.name'],
    ['another is wrong', [place('a'), level('x', {})], 'data.options.1.value'],
    ['a text is too long', [place('x'.repeat(limits.optionLengthMax + 1))], 'data.options.0.value'],
  ])('is refused when %s', async (_, options, path) => {
    expect((await refusal(world.used(typing(...options)))).paths).toEqual([path]);
  });

  it('is answered with choices in the user’s language, which only the client that asked receives', async () => {
    const interaction = await world.used(typing(place('a')), ada);
    const choices = [
      { name: 'harbour', name_localizations: { 'en-US': 'harbor', de: 'hafen' }, value: 'h' },
      { name: 'tower', name_localizations: { de: 'turm' }, value: 't' },
    ];
    const answered = await world.answer(interaction, { type: 8, data: { choices } });
    expect(answered).toEqual({ interaction: { id: interaction.id, type: 4 } });
    expect(world.heard.slice(1)).toEqual([
      {
        name: 'APPLICATION_COMMAND_AUTOCOMPLETE_RESPONSE',
        data: {
          choices: [
            { name: 'harbor', value: 'h' },
            { name: 'tower', value: 't' },
          ],
          nonce: 'n1',
        },
      },
    ]);
    expect((await refusal(world.answer(interaction, { type: 8 }))).reason).toBe('already_acknowledged');
    const follow = world.interactions.followUp('1', interaction.token, { content: 'x' });
    expect((await refusal(follow)).reason).toBe('unknown_webhook');
  });

  it('may be answered with none, and with 25', async () => {
    await world.answer(await world.used(typing(place('a'))), { type: 8 });
    const many = (count: number) => Array.from({ length: count }, (_, n) => ({ name: `n${n}`, value: `${n}` }));
    const interaction = await world.used(typing(place('a')));
    const tooMany = world.answer(interaction, { type: 8, data: { choices: many(26) } });
    expect(await refusal(tooMany)).toMatchObject({ paths: ['data.choices'] });
    await world.answer(interaction, { type: 8, data: { choices: many(25) } });
  });

  it.each([
    ['a number for a text', place('a'), 1],
    ['a text for a whole number', level('1'), '1'],
    ['a fraction for a whole number', level('1'), 1.5],
    ['a text for a number', { type: 10, name: 'speed', value: '1', focused: true }, '1'],
  ])('is not answered with %s', async (_, option, value) => {
    const answered = world.answer(await world.used(typing(option)), {
      type: 8,
      data: { choices: [{ name: 'x', value }] },
    });
    expect(await refusal(answered)).toMatchObject({ paths: ['data.choices.0.value'] });
  });

  it.each([4, 5, 12])('is not answered with type %i', async type => {
    const refused = await refusal(world.answer(await world.used(typing(place('a'))), { ...hello, type }));
    expect(refused).toMatchObject({ paths: ['type'] });
  });

  it('follows the same permission rules as the command', async () => {
    await world.put({ ...typed, default_member_permissions: '0' });
    expect((await refusal(world.used(typing(place('a'))))).reason).toBe('missing_permissions');
  });
});

describe('an answer put off', () => {
  const original = (interaction: Interaction) => world.interactions.message('1', interaction.token, '@original');
  const defer = async (flags?: number) => {
    const interaction = await world.used();
    const response = await world.answer(interaction, { type: 5, data: flags === undefined ? undefined : { flags } });
    return { interaction, response };
  };

  it('shows a message that is loading, whose kind is fixed', async () => {
    const { interaction, response } = await defer(EPHEMERAL | messageFlags.SUPPRESS_EMBEDS);
    expect(response).toEqual({
      interaction: {
        id: interaction.id,
        type: 2,
        response_message_id: expect.any(String),
        response_message_loading: true,
        response_message_ephemeral: true,
      },
    });
    expect(names().slice(1)).toEqual(['INTERACTION_SUCCESS', 'MESSAGE_CREATE']);
    expect(await original(interaction)).toMatchObject({ content: '', flags: EPHEMERAL | LOADING });
  });

  it('is filled by an edit', async () => {
    const { interaction } = await defer();
    const filled = await world.interactions.editMessage('1', interaction.token, '@original', {
      content: 'done',
      flags: EPHEMERAL,
    });
    expect(filled).toMatchObject({ content: 'done', flags: 0, edited_timestamp: null });
    expect(last('MESSAGE_UPDATE')).toEqual(filled);
  });

  it('is filled by the first follow-up, and only by that', async () => {
    const { interaction } = await defer(EPHEMERAL);
    const filled = await world.interactions.followUp('1', interaction.token, { content: 'done' });
    expect(filled).toMatchObject({ content: 'done', flags: EPHEMERAL });
    expect(await original(interaction)).toEqual(filled);
    const next = await world.interactions.followUp('1', interaction.token, { content: 'more' });
    expect(next.id).not.toBe(filled.id);
    expect(next.flags).toBe(0);
  });

  it('waits for as long as the token is valid', async () => {
    const { interaction } = await defer();
    await world.core.clock.advance(limits.interactionTokenLifeMs - 1);
    await world.interactions.editMessage('1', interaction.token, '@original', { content: 'done' });
    await world.core.clock.advance(1);
    const late = world.interactions.editMessage('1', interaction.token, '@original', { content: 'late' });
    expect((await refusal(late)).reason).toBe('invalid_webhook_token');
    expect(names()).not.toContain('INTERACTION_FAILURE');
  });
});

describe('the messages of an interaction', () => {
  let interaction: Interaction;
  beforeEach(async () => {
    interaction = await world.used();
  });
  const follow = (body: unknown) => world.interactions.followUp('1', interaction.token, body);
  const edit = (ref: string, body: unknown) => world.interactions.editMessage('1', interaction.token, ref, body);
  const remove = (ref: string) => world.interactions.deleteMessage('1', interaction.token, ref);

  it('come after the first answer, not before', async () => {
    const early = [() => follow(hello.data), () => edit('@original', hello.data), () => remove('@original')];
    for (const call of early) {
      expect((await refusal(call())).reason).toBe('unknown_webhook');
    }
    await world.answer(interaction, hello);
    const message = await follow({ content: 'more', embeds: [{ title: 't' }], flags: EPHEMERAL });
    expect(message).toMatchObject({ content: 'more', embeds: [{ title: 't' }], flags: EPHEMERAL, type: 0 });
    expect(last('MESSAGE_CREATE')).toEqual(message);
    expect(await world.interactions.message('1', interaction.token, message.id)).toEqual(message);
  });

  it('are replaced as far as an edit goes', async () => {
    await world.answer(interaction, { type: 4, data: { content: 'a', embeds: [{ title: 't' }] } });
    await world.core.clock.advance(1000);
    expect(
      await edit('@original', { content: 'b', flags: EPHEMERAL | LOADING | messageFlags.SUPPRESS_EMBEDS }),
    ).toMatchObject({
      content: 'b',
      embeds: [{ title: 't' }],
      flags: messageFlags.SUPPRESS_EMBEDS,
      edited_timestamp: '2026-01-01T00:00:01.000000+00:00',
    });
    expect(await edit('@original', { content: null })).toMatchObject({ content: '', embeds: [{ title: 't' }] });
    expect((await refusal(edit('@original', { embeds: [] }))).reason).toBe('empty_message');
    expect(await refusal(edit('@original', { content: 1 }))).toMatchObject({ paths: ['content'] });
    expect(await refusal(edit('@original', []))).toMatchObject({ reason: 'invalid_form_body' });
  });

  it('are gone when deleted, the first answer too', async () => {
    await world.answer(interaction, hello);
    const { id } = await follow({ content: 'more' });
    for (const ref of [id, '@original']) {
      await remove(ref);
      const read = () => world.interactions.message('1', interaction.token, ref);
      for (const late of [() => remove(ref), () => edit(ref, hello.data), read]) {
        expect((await refusal(late())).reason).toBe('unknown_message');
      }
    }
    expect(last('MESSAGE_DELETE')).toMatchObject({ channel_id: channelId, guild_id: guildId });
  });

  it('of one interaction are not to be had by the token of another', async () => {
    await world.answer(interaction, hello);
    const other = await world.used();
    const { resource } = await world.answer(other, hello);
    expect((await refusal(edit(resource?.message?.id ?? '', hello.data))).reason).toBe('unknown_message');
    const asOther = world.interactions.followUp('2', interaction.token, hello.data);
    expect((await refusal(asOther)).reason).toBe('invalid_webhook_token');
  });

  it('must say something', async () => {
    await world.answer(interaction, hello);
    for (const body of [{}, { content: ' ' }]) expect((await refusal(follow(body))).reason).toBe('empty_message');
    expect(await refusal(follow({ content: 'x'.repeat(limits.messageContentLengthMax + 1) }))).toMatchObject({
      paths: ['content'],
    });
  });

  it('are at most five after the first where the application is only there for the user', async () => {
    await world.put(command({ integration_types: [1] }));
    await world.core.store.transact('place', transaction => {
      const scopes = ['applications.commands'];
      transaction.put('authorizations', { id: '1', application_id: '1', user_id: ada, scopes });
    });
    interaction = await world.used();
    await world.answer(interaction, hello);
    for (let n = 0; n < serviceLimits.followUpsByUserInstallMax; n++) await follow({ content: `${n}` });
    expect((await refusal(follow({ content: 'x' }))).reason).toBe('too_many_follow_ups');
  });

  it('are not counted in a guild that has the application', async () => {
    await world.answer(interaction, hello);
    for (let n = 0; n <= serviceLimits.followUpsByUserInstallMax; n++) await follow({ content: `${n}` });
    expect(last('MESSAGE_CREATE')).toMatchObject({ content: `${serviceLimits.followUpsByUserInstallMax}` });
  });
});

describe('an Activity', () => {
  const launch = command({ id: '920', type: 4, name: 'Launch', handler: 1 });
  const start = use({}, { id: '920', name: 'Launch', type: 4 });
  const embedded = (is: boolean) =>
    world.core.store.transact('place', transaction =>
      transaction.put('applications', applicationRecord('1', { embedded: is })),
    );

  it('is launched by the application that handles its entry point', async () => {
    await embedded(true);
    await world.put(launch);
    const interaction = await world.used(start);
    expect(interaction.data).toMatchObject({ type: 4, name: 'Launch' });
    const activity = `i-${interaction.id}-gc-${guildId}-${channelId}`;
    expect(await world.answer(interaction, { type: 12 })).toEqual({
      interaction: { id: interaction.id, type: 2, activity_instance_id: activity },
      resource: { type: 12, activity_instance: { id: activity } },
    });
    expect(names().slice(1)).toEqual(['INTERACTION_SUCCESS']);
    const original = world.interactions.message('1', interaction.token, '@original');
    expect((await refusal(original)).reason).toBe('unknown_message');
    await world.interactions.followUp('1', interaction.token, { content: 'Have fun' });
  });

  it('is not launched for an application that has none', async () => {
    await embedded(false);
    expect(await refusal(world.answer(await world.used(), { type: 12 }))).toMatchObject({ paths: ['type'] });
  });

  it('is launched by the service where its handler is the service, and the application receives nothing', async () => {
    await embedded(true);
    await world.put({ ...launch, handler: 2 });
    await world.interactions.invoke(userRecord(ada), start);
    expect(names()).toEqual(['INTERACTION_SUCCESS', 'MESSAGE_CREATE']);
    expect(last('MESSAGE_CREATE')).toMatchObject({ author: { id: '1' }, content: 'user101 started app 1.' });
    expect(last('INTERACTION_SUCCESS')).toMatchObject({ nonce: 'n1' });
    await world.core.clock.advance(limits.interactionAnswerMs);
    expect(names()).not.toContain('INTERACTION_FAILURE');
  });
});
