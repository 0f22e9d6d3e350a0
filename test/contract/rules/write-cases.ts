import type { Command } from '../../../src/model/command.ts';
import { apiErrors } from '../../../src/model/errors/errors.ts';
import { limits } from '../../../src/model/limits/limits.ts';
import { firstExceededType } from '../../../src/model/rules/commands/command-count.ts';
import { normalizeCommand } from '../../../src/model/rules/commands/normalize-command.ts';
import { chatCommand, option, times } from '../../support/commands/command-samples.ts';
import { type RuleCase, refused, story, valid } from './case.ts';
import { type ApplicationName, guildId, type RuleWorld, traits } from './world.ts';

const guildScope = `/guilds/${guildId}/commands`;
const codeOf = (body: unknown) => (body as { code?: number } | undefined)?.code;
const body = (type: number, i: number) => ({ type, name: `n${i}`, ...(type === 1 && { description: 'x' }) });
const launch = { type: 4, name: 'Launch', description: 'Play' };

/** A scope takes as many of the type as that, and not one more. */
function capCase(rule: RuleCase['rule'], type: 1 | 2 | 3, scope: string): RuleCase {
  const max = limits.commandsPerScope[type];
  return story(rule, `${max} of type ${type} in ${scope === guildScope ? 'a guild' : 'all'}`, {
    model: () => [max - 1, max, max + 1].map(count => firstExceededType({ [type]: count }) === undefined),
    async http(world) {
      const application: ApplicationName = 'crowded';
      const put = async (count: number) =>
        (
          await world.call(
            'PUT',
            scope,
            times(count, i => body(type, i)),
            application,
          )
        ).status === 200;
      const below = await put(max - 1);
      const at = (await world.call('POST', scope, body(type, max - 1), application)).status === 201;
      const above = await world.call('POST', scope, body(type, max), application);
      const refusedAll = !(await put(max + 1));
      const isKnown = above.status === 400 && codeOf(above.body) === apiErrors.too_many_commands.code;
      await world.clear(application);
      return [below, at, !(isKnown && refusedAll)];
    },
    expected: [true, true, false],
  });
}

async function edited(world: RuleWorld, command: Command, change: unknown): Promise<Command> {
  return (await world.call('PATCH', `/commands/${command.id}`, change, 'plain')).body as Command;
}

async function replaced(world: RuleWorld, items: unknown): Promise<Command[]> {
  return (await world.call('PUT', '/commands', items, 'plain')).body as Command[];
}

/** Rules of writing. @see docs/spec/commands.md#parameters; docs/spec/commands.md#writing-commands; docs/spec/commands.md#options; docs/spec/commands.md#entry-point-command; docs/spec/limits.md */
export const writeCases: readonly RuleCase[] = [
  capCase('limit CHAT_INPUT', 1, '/commands'),
  capCase('limit USER', 2, '/commands'),
  capCase('limit MESSAGE', 3, '/commands'),
  ...([1, 2, 3] as const).map(type => capCase('limit guild', type, guildScope)),
  story('limit PRIMARY_ENTRY_POINT', '1', {
    model: () => [0, 1, 2].map(count => firstExceededType({ 4: count }) === undefined),
    async http(world) {
      for (const { id, type } of await world.list()) if (type === 4) await world.call('DELETE', `/commands/${id}`);
      const none = (await world.list()).every(({ type }) => type !== 4);
      const first = (await world.call('POST', '/commands', launch)).status === 201;
      const second = await world.call('POST', '/commands', { ...launch, name: 'Other' });
      return [none, first, codeOf(second.body) !== apiErrors.too_many_commands.code];
    },
    expected: [true, true, false],
  }),

  valid('1.2 nulls', 'in every optional field', {
    ...chatCommand({ options: null, default_member_permissions: null, dm_permission: null, default_permission: null }),
    ...{ integration_types: null, contexts: null, type: null, nsfw: null, handler: null },
    ...{ name_localizations: null, description_localizations: null },
  }),
  story('1.2 nulls', 'clears translations in an edit', {
    async http(world) {
      const command = await world.create(chatCommand({ name_localizations: { de: 'a' } }), 'plain');
      return (await edited(world, command, { name_localizations: null })).name_localizations;
    },
    expected: null,
  }),
  ...(['contexts', 'integration_types'] as const).flatMap(field => [
    refused('1.2 empty lists', field, chatCommand({ [field]: [] }), [`${field} BASE_TYPE_MIN_LENGTH`]),
    valid('1.2 empty lists', `one of ${field}`, chatCommand({ [field]: [0] })),
    refused('1.2 empty lists', `${field} with one twice`, chatCommand({ [field]: [0, 0] }), [
      `${field}.1 LIST_ITEM_DUPLICATE`,
    ]),
  ]),
  valid('1.2 read-only fields', 'of a fetched command', {
    ...chatCommand({ id: '5', application_id: '6', version: '7', guild_id: '8' }),
    ...{ name_localized: 'x', description_localized: 'y' },
  }),
  ...[limits.commandsPerBulkMax - 1, limits.commandsPerBulkMax, limits.commandsPerBulkMax + 1].map(
    (count): RuleCase => ({
      kind: 'replace',
      rule: '1.2 bulk length',
      says: `${count} items`,
      // More than one type may have, so that only their number is judged.
      body: times(count, i => body(i < 100 ? 1 : i < 115 ? 2 : 3, i)),
      faults: count > limits.commandsPerBulkMax ? ['(body) BASE_TYPE_MAX_LENGTH'] : [],
    }),
  ),
  { kind: 'replace', rule: '1.2 bulk length', says: 'null', body: null, faults: ['(body) LIST_TYPE_CONVERT'] },
  ...[4, '4', null].map(
    (type): RuleCase => ({
      kind: 'edit',
      rule: '1.2 edit without type',
      says: `type ${JSON.stringify(type)} is passed over`,
      type: 1,
      body: { type },
      faults: [],
    }),
  ),
  story('1.2 edit without type', 'stays what it was', {
    async http(world) {
      const command = await world.create(chatCommand(), 'plain');
      return (await edited(world, command, { type: 2, description: 'y' })).type;
    },
    expected: 1,
  }),
  {
    kind: 'replace',
    rule: '1.2 bulk id',
    says: 'no id',
    body: [{ ...chatCommand(), id: 'x' }],
    faults: ['0.id NUMBER_TYPE_COERCE'],
  },
  { kind: 'replace', rule: '1.2 bulk id', says: 'null', body: [{ ...chatCommand(), id: null }], faults: [] },

  story('1.3 upsert', '201 and a new id, then 200 with that id and a later version', {
    async http(world) {
      const [first, second] = [
        await world.call('POST', '/commands', chatCommand(), 'plain'),
        await world.call('POST', '/commands', chatCommand(), 'plain'),
      ];
      const [one, two] = [first.body as Command, second.body as Command];
      return [first.status, second.status, one.id === two.id, BigInt(two.version) > BigInt(one.version)];
    },
    expected: [201, 200, true, true],
  }),
  story('1.3 edit', 'keeps what is not supplied, replaces options whole', {
    async http(world) {
      const options = [option({ name: 'a' }), option({ name: 'b' })];
      const command = await world.create(chatCommand({ nsfw: true, options }), 'plain');
      const { nsfw, description, options: left } = await edited(world, command, { options: [option({ name: 'c' })] });
      return [nsfw, description, left?.map(({ name }) => name)];
    },
    expected: [true, 'Invite a friend', ['c']],
  }),
  {
    kind: 'edit',
    rule: '1.3 edit',
    says: 'of a USER command that gets options',
    type: 2,
    body: { options: [option()] },
    faults: ['options APPLICATION_COMMAND_CONTEXT_MENU_OPTIONS_INVALID'],
  },
  story('1.3 rename', 'onto another, onto itself, onto none', {
    async http(world) {
      const command = await world.create(chatCommand({ name: 'a' }), 'plain');
      await world.create(chatCommand({ name: 'b' }), 'plain');
      const rename = (name: string) => world.call('PATCH', `/commands/${command.id}`, { name }, 'plain');
      const answers = [await rename('b'), await rename('a'), await rename('c')];
      return answers.map(({ status, body: told }) => [status, codeOf(told)]);
    },
    expected: [
      [400, apiErrors.command_name_taken.code],
      [200, undefined],
      [200, undefined],
    ],
  }),
  story('1.3 overwrites dropped', 'by a rename, not by another edit; by deletion', {
    async http(world) {
      const command = await world.create(chatCommand());
      const other = await world.create(chatCommand({ name: 'other' }));
      for (const { id } of [command, other]) await world.overwrite(id, 1);
      const left = async ({ id }: Command) => (await world.call('GET', `${guildScope}/${id}/permissions`)).status;
      await world.call('PATCH', `/commands/${command.id}`, { description: 'y' });
      const afterEdit = await left(command);
      await world.call('PATCH', `/commands/${command.id}`, { name: 'renamed' });
      await world.call('DELETE', `/commands/${other.id}`);
      return [afterEdit, await left(command), await left(other)];
    },
    expected: [200, 404, 404],
  }),
  story('1.3 bulk', 'keeps ids by id and by name, deletes the rest, returns to defaults', {
    async http(world) {
      const [a, b] = [
        await world.create(chatCommand({ name: 'a' }), 'plain'),
        await world.create(chatCommand({ name: 'b', nsfw: true }), 'plain'),
      ];
      await world.create(chatCommand({ name: 'c' }), 'plain');
      const list = await replaced(world, [
        { ...chatCommand({ name: 'renamed' }), id: a.id },
        chatCommand({ name: 'b' }),
      ]);
      return [list.map(({ id }) => id === a.id || id === b.id), list.map(({ nsfw }) => nsfw)];
    },
    expected: [
      [true, true],
      [false, false],
    ],
  }),
  story('1.3 bulk version', 'stays for an equal item, rises for another', {
    async http(world) {
      const items = [chatCommand({ name: 'a' }), chatCommand({ name: 'b' })];
      const before = await replaced(world, items);
      const after = await replaced(world, [items[0], chatCommand({ name: 'b', description: 'y' })]);
      return after.map(({ version }, i) => version === before[i]?.version);
    },
    expected: [true, false],
  }),
  story('1.3 bulk atomicity', 'nothing is applied', {
    async http(world) {
      await world.create(chatCommand({ name: 'a' }), 'plain');
      const items = [chatCommand({ name: 'b' }), chatCommand({ name: 'B' })];
      const { status } = await world.call('PUT', '/commands', items, 'plain');
      return [status, (await world.list('plain')).map(({ name }) => name)];
    },
    expected: [400, ['a']],
  }),
  story('1.3 bulk entry point', 'missing, and there', {
    async http(world) {
      const launches = (await world.list()).filter(({ type }) => type === 4);
      const answers = [await world.call('PUT', '/commands', []), await world.call('PUT', '/commands', launches)];
      return answers.map(({ status, body: told }) => [status, codeOf(told)]);
    },
    expected: [
      [400, apiErrors.entry_point_missing.code],
      [200, undefined],
    ],
  }),
  {
    kind: 'replace',
    rule: '1.3 bulk duplicates',
    says: 'a name twice',
    body: [chatCommand(), { type: 2, name: 'invite' }, chatCommand()],
    faults: ['2 APPLICATION_COMMANDS_DUPLICATE_NAME'],
  },
  story('1.3 bulk caps', '100 and 101 chat commands', {
    async http(world) {
      const put = (count: number) =>
        world.call(
          'PUT',
          '/commands',
          times(count, i => body(1, i)),
          'plain',
        );
      const answers = [await put(100), await put(101)];
      await world.clear('plain');
      return answers.map(({ status, body: told }) => [status, codeOf(told)]);
    },
    expected: [
      [200, undefined],
      [400, apiErrors.too_many_commands.code],
    ],
  }),
  story('1.3 delete', '204 without a body, then 404', {
    async http(world) {
      const { id } = await world.create(chatCommand(), 'plain');
      const remove = () => world.call('DELETE', `/commands/${id}`, undefined, 'plain');
      const [first, second] = [await remove(), await remove()];
      return [first.status, first.text, second.status, codeOf(second.body)];
    },
    expected: [204, '', 404, apiErrors.unknown_command.code],
  }),
  story('1.3 read-repair', 'a use with an old version, and with the new one', {
    async http(world) {
      const old = await world.create(chatCommand());
      const { version } = (await world.call('PATCH', `/commands/${old.id}`, { description: 'y' })).body as Command;
      const uses = [await world.use(old), await world.use({ ...old, version })];
      return [uses.map(({ status }) => status), JSON.stringify(uses[0]?.errors).includes('COMMAND_INVALID_VERSION')];
    },
    expected: [[400, 204], true],
  }),

  story('1.4 answer', 'fields in their order, empty ones left out', {
    async http(world) {
      const empty = option({ required: false, autocomplete: false, choices: [] });
      const command = await world.create(chatCommand({ options: [empty], contexts: [0, 2] }), 'plain');
      return [Object.keys(command), Object.keys(command.options?.[0] ?? {}), command.dm_permission];
    },
    expected: [
      [
        ...['id', 'application_id', 'version', 'default_member_permissions', 'type', 'name', 'name_localizations'],
        ...[
          'description',
          'description_localizations',
          'dm_permission',
          'contexts',
          'integration_types',
          'options',
          'nsfw',
        ],
      ],
      ['type', 'name', 'name_localizations', 'description', 'description_localizations'],
      false,
    ],
  }),
  refused('1.8 options', 'given', { ...launch, options: [option()] }, [
    'options APPLICATION_COMMAND_CONTEXT_MENU_OPTIONS_INVALID',
  ]),
  valid('1.8 options', 'none', { ...launch, options: [] }),
  refused('1.8 description', 'absent', { ...launch, description: undefined }, ['description BASE_TYPE_REQUIRED']),
  valid('1.8 description', 'of one character', { ...launch, description: 'x' }),
  story('1.8 handler', 'is 2 when left out', {
    model: () => normalizeCommand({ type: 4, name: 'Launch', description: 'Play' }, traits.game).handler,
    http: async world => (await world.create(launch)).handler,
    expected: 2,
  }),
  story('limit overwrites', '99, 100 and 101', {
    async http(world) {
      const { id } = await world.create(chatCommand());
      const counts = [99, 100, 101].map(count => limits.commandPermissionsMax - 100 + count);
      const statuses = [];
      for (const count of counts) statuses.push(await world.overwrite(id, count));
      return statuses;
    },
    expected: [200, 200, 400],
  }),
];
