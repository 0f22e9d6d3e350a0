import { beforeEach, describe, expect, it } from 'vitest';
import { type Command, type CommandInput, commandTypes } from '../../../../src/model/command.ts';
import { limitProfiles } from '../../../../src/model/limits/limit-profiles.ts';
import { locales } from '../../../../src/model/locale.ts';
import { type Commands, createCommands } from '../../../../src/service/features/commands/commands.ts';
import { everywhere } from '../../../../src/service/features/commands/records.ts';
import type { ApplicationRecord } from '../../../../src/service/store/records.ts';
import { serviceLimits } from '../../../../src/service/support/service-limits.ts';
import { answerBytesMax } from '../../../../src/wire/http/transport.ts';
import { applicationRecord, makeWorld, refusal, type World } from '../support.ts';

let world: World;
let commands: Commands;
/** An application with an Activity. */
let game: ApplicationRecord;

beforeEach(async () => {
  world = await makeWorld({ limits: limitProfiles.standard });
  commands = createCommands(world.core);
  game = applicationRecord('3', { embedded: true, integration_types: [0, 1] });
});

const roll: CommandInput = { name: 'roll', description: 'Roll the dice' };
const inspect: CommandInput = { type: commandTypes.USER, name: 'Inspect' };

const create = (input: unknown, application = world.starfall) => commands.create(application, everywhere, input);
const created = async (input: unknown, application = world.starfall): Promise<Command> =>
  JSON.parse((await create(input, application)).text);
const listed = async (application = world.starfall): Promise<Command[]> =>
  JSON.parse(await commands.list(application, everywhere, 'all'));
const got = async (id: string): Promise<Command> => JSON.parse(await commands.get(world.starfall, everywhere, id));
const edited = async (id: string, input: unknown, application = world.starfall): Promise<Command> =>
  JSON.parse(await commands.edit(application, everywhere, id, input));
const replaced = async (input: unknown, application = world.starfall): Promise<Command[]> =>
  JSON.parse(await commands.replaceAll(application, everywhere, input));
const chat = (count: number): CommandInput[] =>
  Array.from({ length: count }, (_, index) => ({ name: `command-${index}`, description: 'One of many' }));

describe('a new command', () => {
  it('is answered with every field in the order of the interface', async () => {
    const { created: isNew, text } = await create({
      name: 'roll',
      name_localizations: { de: 'wurf' },
      description: 'Roll the dice',
      options: [
        {
          type: 3,
          name: 'die',
          description: 'Which die',
          required: true,
          min_length: 1,
          choices: [{ name: 'd6', value: 'six', name_localizations: { de: 'w6' } }],
        },
        { type: 4, name: 'times', description: 'How often', autocomplete: true, max_value: 10, required: false },
        { type: 7, name: 'where', description: 'In which channel', channel_types: [5, 0] },
      ],
      default_member_permissions: 8,
      contexts: [2, 0],
      nsfw: true,
    });
    const { id, version } = JSON.parse(text);
    expect(isNew).toBe(true);
    expect(text).toBe(
      JSON.stringify({
        id,
        application_id: '1',
        version,
        default_member_permissions: '8',
        type: 1,
        name: 'roll',
        name_localizations: { de: 'wurf' },
        description: 'Roll the dice',
        description_localizations: null,
        dm_permission: false,
        contexts: [0, 2],
        integration_types: [0],
        options: [
          {
            type: 3,
            name: 'die',
            name_localizations: null,
            description: 'Which die',
            description_localizations: null,
            required: true,
            choices: [{ name: 'd6', name_localizations: { de: 'w6' }, value: 'six' }],
            min_length: 1,
          },
          {
            type: 4,
            name: 'times',
            name_localizations: null,
            description: 'How often',
            description_localizations: null,
            autocomplete: true,
            max_value: 10,
          },
          {
            type: 7,
            name: 'where',
            name_localizations: null,
            description: 'In which channel',
            description_localizations: null,
            channel_types: [0, 5],
          },
        ],
        nsfw: true,
      }),
    );
    expect(BigInt(version)).toBe(BigInt(id) + 1n);
  });

  it('has its defaults when nothing else is asked for', async () => {
    const command = await created(inspect, game);
    expect(command).toEqual({
      id: command.id,
      application_id: '3',
      version: command.version,
      default_member_permissions: null,
      type: 2,
      name: 'Inspect',
      name_localizations: null,
      description: '',
      description_localizations: null,
      dm_permission: true,
      contexts: null,
      integration_types: [0, 1],
      nsfw: false,
    });
    expect(await listed(game)).toEqual([command]);
  });

  it('shows dm_permission as sent, until contexts are set and decide it', async () => {
    const { id, dm_permission } = await created({ ...roll, dm_permission: false });
    expect(dm_permission).toBe(false);
    expect(await edited(id, { contexts: [0, 1] })).toMatchObject({ dm_permission: true, contexts: [0, 1] });
    expect(await edited(id, { contexts: [0] })).toMatchObject({ dm_permission: false });
    expect(await edited(id, { contexts: null })).toMatchObject({ dm_permission: false, contexts: null });
  });

  it('with a bad field is rejected with the place of the fault', async () => {
    const options = [{ type: 3, name: 'BAD', description: 'x' }];
    const { reason, paths } = await refusal(create({ name: 'roll', description: '', options }));
    expect(reason).toBe('invalid_form_body');
    expect(new Set(paths)).toEqual(new Set(['description', 'options.0.name']));
    expect(await listed()).toEqual([]);
  });
});

describe('creating with the name of an existing command of the type', () => {
  it('overwrites it in place: same id, new version, fields left out back to their defaults', async () => {
    const first = await created({ ...roll, nsfw: true, default_member_permissions: '8', contexts: [0] });
    const again = await create({ name: 'roll', description: 'Throw the dice' });
    const second: Command = JSON.parse(again.text);
    expect(again.created).toBe(false);
    expect(second).toMatchObject({ id: first.id, nsfw: false, default_member_permissions: null, contexts: null });
    expect(BigInt(second.version)).toBeGreaterThan(BigInt(first.version));
    expect(await listed()).toEqual([second]);
  });

  it('leaves commands of other types and applications alone', async () => {
    const ids = [
      await created(roll),
      await created({ type: 2, name: 'roll' }),
      await created({ type: 3, name: 'roll' }),
    ];
    const other = await created(roll, world.rival);
    expect(new Set([...ids, other].map(({ id }) => id)).size).toBe(4);
    expect((await listed()).map(({ type }) => type)).toEqual([1, 2, 3]);
  });

  it('many times concurrently makes one command', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => create(roll)));
    expect(answers.filter(answer => answer.created)).toHaveLength(1);
    expect(await listed()).toHaveLength(1);
  });
});

describe('the caps of a scope', () => {
  it.each([
    [commandTypes.CHAT_INPUT, 100],
    [commandTypes.USER, 15],
    [commandTypes.MESSAGE, 15],
  ] as const)('take the last command of type %i as number %i and refuse the next', async (type, cap) => {
    const input = (index: number) => ({ type, name: `n${index}`, ...(type === 1 && { description: 'x' }) });
    for (let index = 0; index < cap; index++) await create(input(index));
    const { reason, fault } = await refusal(create(input(cap)));
    expect(reason).toBe('too_many_commands');
    expect(fault.extra.message).toBe(`Maximum number of application commands reached (${cap})`);
    expect((await create(input(0))).created).toBe(false);
    expect(await listed()).toHaveLength(cap);
  });

  it('take one entry point', async () => {
    const input = { type: commandTypes.PRIMARY_ENTRY_POINT, description: 'Play' };
    await create({ ...input, name: 'Play' }, game);
    expect((await refusal(create({ ...input, name: 'Start' }, game))).reason).toBe('too_many_commands');
  });

  it('hold for a bulk write too', async () => {
    expect(await replaced(chat(100))).toHaveLength(100);
    expect((await refusal(replaced(chat(101)))).reason).toBe('too_many_commands');
    expect(await listed()).toHaveLength(100);
  });
});

describe('commands with many translations', () => {
  const texts = Object.fromEntries(locales.map(locale => [locale, '界'.repeat(100)]));
  const options = Array.from({ length: 25 }, (_, n) => ({
    ...{ type: 3, name: `option-${n}`, description: 'One of many' },
    description_localizations: texts,
  }));
  const large = (n: number) => ({ name: `large-${n}`, description: 'Large', options });

  it('are written while all of them fit into an answer that clients accept, one by one or together', async () => {
    let count = 0;
    const fill = async () => {
      for (; count < 100; count++) await create(large(count));
    };
    expect((await refusal(fill())).reason).toBe('too_many_commands');
    const before = await listed();
    expect(before).toHaveLength(count);
    expect(Buffer.byteLength(JSON.stringify(before))).toBeGreaterThan(0.9 * serviceLimits.commandsBytesMax);
    expect(Buffer.byteLength(JSON.stringify(before))).toBeLessThan(answerBytesMax);
    const more = Array.from({ length: count + 1 }, (_, n) => large(n));
    expect((await refusal(replaced(more))).reason).toBe('too_many_commands');
    await edited(before[0]?.id ?? '', { options: [] });
    await create(large(count));
  });
});

describe('the daily creates', () => {
  const share = 432;

  it('are 200; one more is rejected until one has come back', async () => {
    await replaced(chat(100));
    await replaced([]);
    await replaced(chat(99));
    await create({ ...roll, name: 'last' });

    const { reason, fault } = await refusal(create({ ...inspect }));
    expect(reason).toBe('too_many_command_creates');
    expect(fault.extra).toEqual({ retry_after: share, global: false });

    await world.core.clock.advance(share * 1000 - 1);
    expect((await refusal(create(inspect))).fault.extra).toEqual({ retry_after: 0.001, global: false });
    await world.core.clock.advance(1);
    expect((await create(inspect)).created).toBe(true);
    expect((await refusal(create({ ...inspect, name: 'Another' }))).reason).toBe('too_many_command_creates');
  });

  it('do not count overwrites, rejected calls and unchanged items', async () => {
    await replaced(chat(100));
    for (let round = 0; round < 3; round++) await replaced(chat(100));
    await create(chat(1)[0]);
    await refusal(create({ ...roll, description: 7 }));
    await refusal(create(roll));
    expect(await world.core.store.get('command_quotas', '1')).toMatchObject({
      full_at_ms: world.core.clock.now() + 100 * share * 1000,
    });
  });

  it('that a bulk write would pass are rejected whole', async () => {
    await replaced(chat(100));
    await replaced([]);
    await replaced([...chat(50), roll]);
    const items = [roll, ...chat(99).map(item => ({ ...item, name: `other-${item.name}` }))];
    expect((await refusal(replaced(items))).reason).toBe('too_many_command_creates');
    expect(await listed()).toHaveLength(51);
  });

  it('are counted for each application, survive a restart, and are not limited by the profile "off"', async () => {
    await replaced(chat(100));
    await replaced([]);
    await replaced(chat(100));
    expect((await create(roll, world.rival)).created).toBe(true);
    const restarted = createCommands({ ...world.core });
    expect((await refusal(restarted.create(world.starfall, everywhere, inspect))).reason).toBe(
      'too_many_command_creates',
    );
    const unlimited = createCommands({ ...world.core, limits: limitProfiles.off });
    expect((await unlimited.create(world.starfall, everywhere, inspect)).created).toBe(true);
  });
});

describe('an edit', () => {
  it('replaces the fields it supplies, whole, and keeps the others', async () => {
    const options = [
      { type: 3, name: 'a', description: 'x' },
      { type: 3, name: 'b', description: 'x' },
    ];
    const { id, version } = await created({ ...roll, options, name_localizations: { de: 'wurf' }, nsfw: true });
    const command = await edited(id, { options: [options[1]], name_localizations: null });
    expect(command.options?.map(({ name }) => name)).toEqual(['b']);
    expect(command).toMatchObject({ id, name_localizations: null, description: 'Roll the dice', nsfw: true });
    expect(BigInt(command.version)).toBeGreaterThan(BigInt(version));
    expect(await got(id)).toEqual(command);
    expect(await edited(id, { options: [] })).not.toHaveProperty('options');
  });

  it('that changes nothing keeps the version', async () => {
    const command = await created({ ...roll, name_localizations: { de: 'wurf', fr: 'lancer' } });
    expect(await edited(command.id, {})).toEqual(command);
    expect(await edited(command.id, { name: 'roll', name_localizations: { fr: 'lancer', de: 'wurf' } })).toEqual(
      command,
    );
  });

  it('renames, but not onto another command of the type', async () => {
    const { id } = await created(roll);
    await created({ ...roll, name: 'throw' });
    await created({ type: 2, name: 'toss' });
    expect((await refusal(edited(id, { name: 'throw' }))).reason).toBe('command_name_taken');
    expect(await edited(id, { name: 'toss' })).toMatchObject({ id, name: 'toss' });
    expect(await edited(id, { name: 'toss' })).toMatchObject({ id, name: 'toss' });
  });

  it('checks the command as it would be: 8000 characters pass, 8001 do not', async () => {
    const choices = (count: number) =>
      [...'abcdefghijklmnopqrstuvwxy'].slice(0, count).map(name => ({ name, value: name.repeat(100) }));
    const option = (name: string, description: string, count: number) => ({
      ...{ type: 3, name, description, choices: choices(count) },
    });
    // 3 x (2 + 1 + 25 x 101) = 7584, and 1 + 9 + 4 x 101 = 414: with name and description of the command 8000.
    const full = ['o1', 'o2', 'o3'].map(name => option(name, 'x', 25));
    const { id } = await created({ name: 'a', description: 'b', options: full });
    expect((await edited(id, { options: [...full, option('p', 'x'.repeat(9), 4)] })).options).toHaveLength(4);
    const longer = edited(id, { options: [...full, option('p', 'x'.repeat(10), 4)] });
    expect((await refusal(longer)).paths).toEqual(['']);
    // What is supplied here is short: it is too long only together with what is stored.
    expect((await refusal(edited(id, { description: 'bb' }))).paths).toEqual(['']);
  });

  it('ignores the type, and fields that only answers carry', async () => {
    const command = await created(roll);
    const body = { type: 2, id: '9', application_id: '9', version: '9', guild_id: '9', scope: '9' };
    expect(await edited(command.id, body)).toEqual(command);
  });

  it('closes a command by the legacy flag, and opens it again', async () => {
    const { id } = await created(roll);
    expect(await edited(id, { default_permission: false })).toMatchObject({ default_member_permissions: '0' });
    expect(await edited(id, { default_permission: true })).toMatchObject({ default_member_permissions: null });
    await edited(id, { default_member_permissions: '8' });
    expect(await edited(id, { default_permission: true })).toMatchObject({ default_member_permissions: '8' });
  });

  it.each([[null], [[]], [{ name: 'Bad Name' }], [{ name: null }], [{ description: null }], [{ contexts: [] }]])(
    'is refused as an invalid body: %j',
    async input => {
      const command = await created(roll);
      expect((await refusal(edited(command.id, input))).reason).toBe('invalid_form_body');
      expect(await got(command.id)).toEqual(command);
    },
  );
});

describe('an unknown command', () => {
  it.each(['get', 'edit', 'remove'] as const)('is rejected by %s, also when another application has it', async call => {
    const { id } = await created(roll, world.rival);
    for (const unknown of [id, '123']) {
      const arguments_ = [world.starfall, everywhere, unknown] as const;
      const answer = call === 'edit' ? commands.edit(...arguments_, {}) : commands[call](...arguments_);
      expect((await refusal(answer)).reason).toBe('unknown_command');
    }
  });

  it('is what a deleted one becomes', async () => {
    const { id } = await created(roll);
    await listed();
    await commands.remove(world.starfall, everywhere, id);
    expect((await refusal(commands.remove(world.starfall, everywhere, id))).reason).toBe('unknown_command');
    expect(await listed()).toEqual([]);
  });
});

describe('a bulk write', () => {
  it('makes the list the whole set: creates, changes, keeps and deletes, all types', async () => {
    const stays = await created(roll);
    const changes = await created({ name: 'hit', description: 'Hit it' });
    const goes = await created(inspect);
    const answer = await replaced([{ type: 3, name: 'Quote' }, { name: 'hit', description: 'Hit harder' }, roll]);
    expect(answer.map(({ name }) => name)).toEqual(['Quote', 'hit', 'roll']);
    expect(answer[1]).toMatchObject({ id: changes.id, description: 'Hit harder' });
    expect(BigInt(answer[1]?.version ?? 0)).toBeGreaterThan(BigInt(changes.version));
    expect(answer[2]).toEqual(stays);
    const after = await listed();
    expect(after.map(({ name }) => name)).toEqual(['roll', 'hit', 'Quote']);
    expect(after.some(({ id }) => id === goes.id)).toBe(false);
  });

  it('of what was fetched changes nothing, version included', async () => {
    await created({ ...roll, name_localizations: { de: 'wurf' }, options: [{ type: 4, name: 'n', description: 'x' }] });
    await created(inspect);
    const before = await listed();
    expect(await replaced(before)).toEqual(before);
  });

  const option = { type: 3, name: 'die', description: 'Which die' };
  const channel = { type: 7, name: 'die', description: 'Which die' };
  const number = { type: 4, name: 'die', description: 'Which die' };
  it.each<[string, object, object]>([
    ['the description', {}, { description: 'Roll them' }],
    ['a translation of the name', {}, { name_localizations: { de: 'wurf' } }],
    ['a translation of the description', {}, { description_localizations: { de: 'Würfeln' } }],
    ['the permissions', {}, { default_member_permissions: '8' }],
    ['the legacy permission', {}, { default_permission: false }],
    ['the legacy flag', {}, { dm_permission: false }],
    ['the contexts', { contexts: [0] }, { contexts: [0, 1] }],
    ['the installation types', {}, { integration_types: [1] }],
    ['nsfw', {}, { nsfw: true }],
    ['an option', { options: [option] }, { options: [option, { ...option, name: 'other' }] }],
    ["an option's type", { options: [option] }, { options: [{ ...option, type: 5 }] }],
    ["an option's requirement", { options: [option] }, { options: [{ ...option, required: true }] }],
    ["an option's completion", { options: [option] }, { options: [{ ...option, autocomplete: true }] }],
    ["an option's bound", { options: [number] }, { options: [{ ...number, max_value: 0 }] }],
    ["an option's length", { options: [option] }, { options: [{ ...option, min_length: 1 }] }],
    ["an option's channel types", { options: [channel] }, { options: [{ ...channel, channel_types: [0] }] }],
    ["an option's choices", { options: [option] }, { options: [{ ...option, choices: [{ name: 'a', value: 'b' }] }] }],
  ])('that changes only %s gives the command a new version', async (_, before, after) => {
    const { id, version } = await created({ ...roll, ...before }, game);
    const [command] = await replaced([{ ...roll, ...before, ...after }], game);
    expect(command?.id).toBe(id);
    expect(BigInt(command?.version ?? 0)).toBeGreaterThan(BigInt(version));
    // It is answered with the change: deploying that answer again changes nothing.
    expect(await replaced([command], game)).toEqual([command]);
  });

  it('renames by id, and gives the old name to a new command', async () => {
    const { id } = await created(roll);
    const answer = await replaced([{ ...roll, name: 'throw', id }, roll]);
    expect(answer[0]).toMatchObject({ id, name: 'throw' });
    expect(answer[1]?.id).not.toBe(id);
  });

  it('swaps two names by id', async () => {
    const a = await created({ ...roll, name: 'a' });
    const b = await created({ ...roll, name: 'b' });
    const answer = await replaced([
      { ...roll, name: 'b', id: a.id },
      { ...roll, name: 'a', id: b.id },
    ]);
    expect(answer.map(({ id, name }) => [id, name])).toEqual([
      [a.id, 'b'],
      [b.id, 'a'],
    ]);
  });

  it('passes over ids from elsewhere and of another type', async () => {
    const foreign = await created(roll, world.rival);
    const user = await created(inspect);
    const [chatted, kept] = await replaced([
      { ...roll, id: foreign.id },
      { ...inspect, id: foreign.id === user.id ? '1' : '12345' },
    ]);
    expect(chatted?.id).not.toBe(foreign.id);
    expect(kept).toEqual(user);
    const [retyped] = await replaced([{ ...roll, name: 'inspect', id: user.id }]);
    expect(retyped).toMatchObject({ type: 1 });
    expect(retyped?.id).not.toBe(user.id);
  });

  it('with one bad item changes nothing and names the item', async () => {
    await created(roll);
    const before = await listed();
    const { reason, paths } = await refusal(replaced([inspect, { name: 'bad', description: '' }]));
    expect({ reason, paths }).toEqual({ reason: 'invalid_form_body', paths: ['1.description'] });
    expect(await listed()).toEqual(before);
  });

  it('with two items of one name and type is rejected at the second', async () => {
    expect((await refusal(replaced([roll, { ...inspect, name: 'roll' }, roll]))).paths).toEqual(['2']);
  });

  it.each([[null], [{}], ['[]'], [[null]]])('is rejected as an invalid body: %j', async input => {
    expect((await refusal(replaced(input))).reason).toBe('invalid_form_body');
  });
});

describe('the entry point', () => {
  it('comes by itself to an application with an Activity, once, and not counted', async () => {
    await commands.ensureLaunch(game);
    await commands.ensureLaunch(game);
    const [launch, ...others] = await listed(game);
    expect(others).toEqual([]);
    expect(launch).toMatchObject({ type: 4, name: 'Launch', handler: 2 });
    expect(await world.core.store.get('command_quotas', '3')).toBeUndefined();
  });

  it('does not come to one without', async () => {
    await commands.ensureLaunch(world.starfall);
    expect(await listed()).toEqual([]);
  });

  it('cannot be left out of a bulk write, not even of an empty one', async () => {
    await commands.ensureLaunch(game);
    expect((await refusal(replaced([], game))).reason).toBe('entry_point_missing');
    expect((await refusal(replaced([roll], game))).reason).toBe('entry_point_missing');
    const [launch] = await listed(game);
    expect((await replaced([roll, launch], game))[1]).toEqual(launch);
  });

  it('can be edited and deleted like any other', async () => {
    await commands.ensureLaunch(game);
    const [launch] = await listed(game);
    const id = launch?.id ?? '';
    expect(await edited(id, { handler: 1 }, game)).toMatchObject({ id, handler: 1, name: 'Launch' });
    await commands.remove(game, everywhere, id);
    expect(await replaced([], game)).toEqual([]);
  });
});

describe('a list without translations', () => {
  const translated = {
    name: 'color',
    name_localizations: { 'en-GB': 'colour', de: 'farbe' },
    description: 'Choose a color',
    description_localizations: { 'en-GB': 'Choose a colour' },
    options: [
      {
        type: 3,
        name: 'tone',
        name_localizations: { de: 'ton' },
        description: 'x',
        choices: [{ name: 'red', value: 'r', name_localizations: { de: 'rot' } }],
      },
    ],
  };
  const localized = async (locale?: 'de' | 'en-US' | 'fr') =>
    JSON.parse(await commands.list(world.starfall, everywhere, { locale }))[0];

  it('shows the texts of the requester’s locale on every level, and no dictionaries', async () => {
    await create(translated);
    const command = await localized('de');
    expect(Object.keys(command)).toEqual([
      'id',
      'application_id',
      'version',
      'default_member_permissions',
      'type',
      'name',
      'name_localized',
      'description',
      'dm_permission',
      'contexts',
      'integration_types',
      'options',
      'nsfw',
    ]);
    expect(command.name_localized).toBe('farbe');
    expect(command.options).toEqual([
      {
        type: 3,
        name: 'tone',
        name_localized: 'ton',
        description: 'x',
        choices: [{ name: 'red', name_localized: 'rot', value: 'r' }],
      },
    ]);
  });

  it('shows the options of subcommands, with every field of their type', async () => {
    const file = { type: 11, name: 'save', description: 'x', required: true, file_types: ['image'] };
    const level = { type: 4, name: 'level', description: 'x', min_value: 1, max_value: 9 };
    const word = { type: 3, name: 'word', description: 'x', min_length: 1, max_length: 9 };
    const place = { type: 7, name: 'place', description: 'x', channel_types: [0] };
    const sub = { type: 1, name: 'load', description: 'x', name_localizations: { de: 'laden' } };
    await create({ name: 'game', description: 'x', options: [{ ...sub, options: [file, level, word, place] }] });
    const [shown] = (await localized('de')).options;
    expect(shown).toMatchObject({ type: 1, name: 'load', name_localized: 'laden' });
    expect(shown.options).toMatchObject([file, level, word, place]);
  });

  it('falls back from en-US to en-GB, and shows nothing for a locale without text', async () => {
    await create(translated);
    expect(await localized('en-US')).toMatchObject({
      name_localized: 'colour',
      description_localized: 'Choose a colour',
    });
    expect(await localized('fr')).not.toHaveProperty('name_localized');
    expect(await localized()).not.toHaveProperty('name_localized');
  });

  it('shows every write immediately, in each language', async () => {
    const { id } = await created(translated);
    await localized('de');
    await localized();
    await edited(id, { name_localizations: { de: 'farben' } });
    expect((await localized('de')).name_localized).toBe('farben');
    await commands.remove(world.starfall, everywhere, id);
    expect(JSON.parse(await commands.list(world.starfall, everywhere, { locale: undefined }))).toEqual([]);
  });
});

describe('the commands of a guild', () => {
  const guild = { guildId: '5' };

  it('are apart from the global ones, and carry the guild instead of the fields that are global only', async () => {
    await created(roll);
    const command: Command = JSON.parse(
      (await commands.create(world.starfall, guild, { ...roll, contexts: [0] })).text,
    );
    expect(Object.keys(command)).toEqual([
      'id',
      'application_id',
      'version',
      'default_member_permissions',
      'type',
      'name',
      'name_localizations',
      'description',
      'description_localizations',
      'guild_id',
      'nsfw',
    ]);
    expect(command.guild_id).toBe('5');
    expect((await refusal(got(command.id))).reason).toBe('unknown_command');
    expect(await listed()).toHaveLength(1);
    expect(JSON.parse(await commands.replaceAll(world.starfall, guild, [command]))).toEqual([command]);
  });

  it('have no entry point', async () => {
    const input = { type: 4, name: 'Play', description: 'Play' };
    expect((await refusal(commands.create(game, guild, input))).paths).toEqual(['type']);
  });
});
