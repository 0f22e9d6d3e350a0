import type { Command } from '../../../model/command.ts';
import {
  allChannelsId,
  type CommandOverwrite,
  everyoneId,
  type GuildCommandPermissions,
  type OverwriteType,
  overwriteTypes,
} from '../../../model/overwrite.ts';
import type { GuildId, Snowflake } from '../../../model/snowflake.ts';

/** What the overwrite of one command says of one target. */
export type Ruling = 'allow' | 'deny' | 'unset';

/** A role, a user or a channel that overwrites may be about. */
export interface Target {
  readonly type: OverwriteType;
  readonly id: Snowflake;
  readonly name: string;
  /** Stands for all: @everyone, all channels. */
  readonly isAll: boolean;
}

/** What the targets of a guild are made from. */
export interface TargetSources {
  readonly id: GuildId;
  readonly roles: readonly { readonly id: Snowflake; readonly name: string }[];
  readonly channels: readonly { readonly id: Snowflake; readonly name: string; readonly type: number }[];
  readonly members: readonly {
    readonly user_id: Snowflake;
    readonly username: string | null;
    readonly global_name: string | null;
  }[];
}

const threads: ReadonlySet<number> = new Set([10, 11, 12]);

/** Every target of a guild, in the order of the matrix: roles, users, channels; first what stands for all. */
export function targetsOf({ id, roles, channels, members }: TargetSources): readonly Target[] {
  const everyone = everyoneId(id);
  const { ROLE, USER, CHANNEL } = overwriteTypes;
  return [
    { type: ROLE, id: everyone, name: '@everyone', isAll: true },
    ...roles
      .filter(role => role.id !== everyone)
      .map(role => ({ type: ROLE, id: role.id, name: role.name, isAll: false })),
    ...members.map(({ user_id, username, global_name }) => {
      return { type: USER, id: user_id, name: global_name ?? username ?? user_id, isAll: false };
    }),
    { type: CHANNEL, id: allChannelsId(id), name: '', isAll: true },
    ...channels
      .filter(({ type }) => !threads.has(type))
      .map(channel => ({ type: CHANNEL, id: channel.id, name: channel.name, isAll: false })),
  ];
}

/** The overwrites under each id: those of commands, and those of the application for all commands without any. */
export type Overwrites = ReadonlyMap<Snowflake, readonly CommandOverwrite[]>;

export function overwritesById(list: readonly GuildCommandPermissions[]): Overwrites {
  return new Map(list.map(({ id, permissions }) => [id, permissions]));
}

export function rulingOf(
  overwrites: readonly CommandOverwrite[] | undefined,
  { type, id }: Pick<Target, 'type' | 'id'>,
): Ruling {
  const found = overwrites?.find(one => one.type === type && one.id === id);
  if (!found) return 'unset';
  return found.permission ? 'allow' : 'deny';
}

/** The list with one target's ruling replaced; the order of the others stays. */
export function withRuling(
  overwrites: readonly CommandOverwrite[],
  { type, id }: Pick<Target, 'type' | 'id'>,
  ruling: Ruling,
): readonly CommandOverwrite[] {
  const isIt = (one: CommandOverwrite) => one.type === type && one.id === id;
  const entry = { id, type, permission: ruling === 'allow' };
  if (ruling === 'unset') return overwrites.filter(one => !isIt(one));
  return overwrites.some(isIt) ? overwrites.map(one => (isIt(one) ? entry : one)) : [...overwrites, entry];
}

const nextRuling = { unset: 'allow', allow: 'deny', deny: 'unset' } as const satisfies Record<Ruling, Ruling>;

/** What a press changes a ruling to. */
export function rulingAfter(ruling: Ruling): Ruling {
  return nextRuling[ruling];
}

/** Whether two lists say the same, whatever their order. */
export function sameOverwrites(a: readonly CommandOverwrite[] = [], b: readonly CommandOverwrite[] = []): boolean {
  if (a.length !== b.length) return false;
  return a.every(one => rulingOf(b, one) === (one.permission ? 'allow' : 'deny'));
}

/** The commands that a guild's members can see: its own and the global ones, and first the application as a whole. */
export function matrixRows(
  applicationId: Snowflake,
  scopes: readonly { readonly guild_id: Snowflake | null; readonly commands: readonly Command[] }[],
  guildId: Snowflake,
): readonly { readonly id: Snowflake; readonly command: Command | undefined }[] {
  const commands = scopes
    .filter(({ guild_id }) => guild_id === null || guild_id === guildId)
    .flatMap(({ commands }) => commands);
  return [{ id: applicationId, command: undefined }, ...commands.map(command => ({ id: command.id, command }))];
}
