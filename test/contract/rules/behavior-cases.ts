import type { Command } from '../../../src/model/command.ts';
import { permissionBits } from '../../../src/model/guild.ts';
import { limits } from '../../../src/model/limits/limits.ts';
import { commandTextLength } from '../../../src/model/rules/commands/command-size.ts';
import { isOfferedIn } from '../../../src/model/rules/commands/offered.ts';
import type { MemberPlace } from '../../../src/model/rules/permissions/member-place.ts';
import { permit } from '../../../src/model/rules/permissions/permit.ts';
import { chatCommand, option, times } from '../../support/commands/command-samples.ts';
import { atMost, type RuleCase, refused, story, valid } from './case.ts';
import { channels, guildId, people, RuleWorld } from './world.ts';

const guildScope = `/guilds/${guildId}/commands`;
const same = { name: 'same', description: 'x' };
const { VIEW_CHANNEL, USE_APPLICATION_COMMANDS, SEND_MESSAGES } = permissionBits;
const plainMember = VIEW_CHANNEL | USE_APPLICATION_COMMANDS;

/** A member in a channel, as the rule of who may use a command sees it. */
function place(more: { adult?: boolean; nsfw?: boolean; permissions?: bigint } = {}): MemberPlace {
  const { adult = true, nsfw = false, permissions = plainMember | SEND_MESSAGES } = more;
  return {
    guildId,
    member: { user_id: people.adult, roles: [], adult },
    permissions,
    channel: { id: channels.open, nsfw, isThread: false },
  };
}

function mayUse(command: Partial<Command>, where: MemberPlace): boolean {
  const asked = { type: 1, default_member_permissions: null, nsfw: false, ...command } as const;
  return permit({ command: asked, place: where, overwrites: { command: [], application: [] } }).allowed;
}

/** A command whose texts have this many characters together: 9 + 100 of its own, the rest in one choice each. */
function sized(length: number, translate = (name: string): object => ({ name })): Readonly<Record<string, unknown>> {
  const own = { name: 'nineletrs', description: 'd'.repeat(100) };
  const options = times(20, o => ({
    ...option({ name: `option${String(o).padStart(2, '0')}`, description: 'o'.repeat(92) }),
    choices: times(3, c => ({ ...translate(`${c}${'n'.repeat(79)}`), value: `${c}` })),
  }));
  const filler = option({ name: 'x', description: 'y', choices: [] });
  const missing = length - commandTextLength({ ...own, options: [...options, filler] });
  const choices = times(Math.ceil(missing / 150), c => {
    const share = Math.min(150, missing - c * 150);
    const value = 'v'.repeat(Math.max(1, share - 75));
    return { name: 'n'.repeat(share - value.length), value };
  });
  return { ...own, options: [...options, { ...filler, choices }] };
}

/** Rules of what commands do. @see docs/spec/commands.md#uniqueness */
export const behaviorCases: readonly RuleCase[] = [
  story('behavior 1', 'POST updates the command of that name and type', {
    async http(world) {
      const first = await world.create(same);
      const second = await world.create({ ...same, description: 'y' });
      return [second.id === first.id, (await world.list()).filter(({ name }) => name === 'same').length];
    },
    expected: [true, 1],
  }),
  story('behavior 2', 'stands beside its like in another scope, of another type, of another app', {
    async http(world) {
      const ids = [
        await world.create(same),
        await world.create(same, 'game', guildScope),
        await world.create({ type: 2, name: 'same' }),
        await world.create({ type: 3, name: 'same' }),
        await world.create(same, 'plain'),
      ].map(({ id }) => id);
      return new Set(ids).size;
    },
    expected: 5,
  }),
  ...[1, 2, 3].map(type =>
    story('behavior 3', `type ${type} has a name once in a scope`, {
      async http(world) {
        const body = { type, name: 'same', ...(type === 1 && { description: 'x' }) };
        for (const scope of ['/commands', guildScope]) {
          await world.create(body, 'game', scope);
          await world.create(body, 'game', scope);
        }
        const lists = [await world.list(), (await world.call('GET', guildScope)).body as Command[]];
        return lists.map(list => list.filter(command => command.type === type).length);
      },
      expected: [1, 1],
    }),
  ),
  refused(
    'behavior 3',
    'an entry point in a guild',
    { type: 4, name: 'Launch', description: 'x' },
    ['type APPLICATION_COMMAND_ENTRY_POINT_GUILD_INVALID'],
    { scope: 'guild' },
  ),
  story('behavior 4', 'a guild command is not offered in DMs, a global one by its contexts', {
    model: () =>
      [{ guild_id: guildId }, { contexts: [0] as const }, { contexts: [1] as const }, { contexts: null }].map(command =>
        isOfferedIn(command, 1),
      ),
    async http(world) {
      const commands = [
        await world.create({ ...same, name: 'guild' }, 'game', guildScope),
        await world.create({ ...same, name: 'places', contexts: [0] }),
        await world.create({ ...same, name: 'direct', contexts: [1] }),
        await world.create({ ...same, name: 'any', contexts: null }),
      ];
      const uses = [];
      for (const command of commands) uses.push((await world.use(command, { direct: true })).status === 204);
      return uses;
    },
    expected: [false, false, true, true],
  }),

  ...atMost(limits.commandTextLengthMax, 'behavior 5', 'characters', sized, ['(body) APPLICATION_COMMAND_TOO_LARGE']),
  valid(
    'behavior 5',
    'translations that are not longer count nothing',
    sized(limits.commandTextLengthMax, name => ({ name, name_localizations: { de: name.replace('n', 'm') } })),
  ),
  refused(
    'behavior 5',
    'a translation that is one longer counts',
    { ...sized(limits.commandTextLengthMax), name_localizations: { de: 'tenletters' } },
    ['(body) APPLICATION_COMMAND_TOO_LARGE'],
  ),

  story('behavior 6', 'Launch is there, with handler 2, and in the list', {
    async http() {
      const world = await RuleWorld.open();
      const commands = await world.list();
      await world.close();
      return commands.map(({ name, type, handler }) => ({ name, type, handler }));
    },
    expected: [{ name: 'Launch', type: 4, handler: 2 }],
  }),
  story('behavior 7', 'the app hears of the use of an entry point with handler 1', {
    async http(world) {
      const launch = await world.create({ type: 4, name: 'Launch', description: 'x', handler: 1 });
      const { status } = await world.use(launch);
      return [status, (await world.heard('Launch')).data?.type];
    },
    expected: [204, 4],
  }),

  refused(
    'behavior 8',
    'of an app with discovery',
    { ...same, nsfw: true },
    ['nsfw APPLICATION_COMMAND_NSFW_INVALID'],
    {
      application: 'listed',
    },
  ),
  valid(
    'behavior 8',
    'not age-restricted, of an app with discovery',
    { ...same, nsfw: false },
    { application: 'listed' },
  ),
  story('behavior 8', 'for adults, in age-restricted channels', {
    model: () => [
      mayUse({ nsfw: true }, place({ nsfw: true })),
      mayUse({ nsfw: true }, place({ nsfw: true, adult: false })),
      mayUse({ nsfw: true }, place()),
      mayUse({}, place({ adult: false })),
    ],
    async http(world) {
      const restricted = await world.create({ ...same, nsfw: true });
      const open = await world.create({ ...same, name: 'open' });
      const uses = [
        await world.use(restricted, { channel: channels.restricted }),
        await world.use(restricted, { channel: channels.restricted, by: people.child }),
        await world.use(restricted),
        await world.use(open, { by: people.child }),
      ];
      return uses.map(({ status }) => status === 204);
    },
    expected: [true, false, false, true],
  }),
  story('behavior 9', 'on a user, with the permission to send messages', {
    model: () => [
      mayUse({ type: 2 }, place()),
      mayUse({ type: 2 }, place({ permissions: plainMember })),
      mayUse({ type: 1 }, place({ permissions: plainMember })),
    ],
    async http(world) {
      const onUser = await world.create({ type: 2, name: 'Inspect' });
      const chat = await world.create(chatCommand());
      const by = people.child;
      const uses = [
        await world.use(onUser, { by }),
        await world.use(onUser, { by, channel: channels.silent }),
        await world.use(chat, { by, channel: channels.silent }),
      ];
      return uses.map(({ status }) => status === 204);
    },
    expected: [true, false, true],
  }),
];
