import { type Command, interactionContexts } from '../../command.ts';
import { ArgumentError } from '../../errors/errors.ts';
import { permissionBits } from '../../guild.ts';
import { allChannelsId, type CommandOverwrite, everyoneId, overwriteTypes } from '../../overwrite.ts';
import type { ChannelId, GuildId } from '../../snowflake.ts';
import { isOfferedIn } from '../commands/offered.ts';
import { memberPlace, type PlaceGuild, type PlaceMember } from './member-place.ts';
import { type OverwriteLayers, type Permit, type PermitStep, type PermitStepName, permit } from './permit.ts';

/** May this member use this command in this place of a guild? */
export interface PermissionQuestion {
  readonly command: Command;
  /** As GUILD_CREATE shows it: id, owner, roles and channels count. */
  readonly guild: PlaceGuild;
  readonly member: PlaceMember;
  /** A channel or thread; absent: in the guild as a whole. */
  readonly channelId?: ChannelId | undefined;
}

export interface Explanation {
  readonly allowed: boolean;
  /** What decided: the command's contexts, or the step of the evaluation. */
  readonly decidedBy: 'contexts' | PermitStepName;
  /** The overwrites that decided; empty when none did. */
  readonly overwrites: readonly CommandOverwrite[];
  /** In a sentence, for people. */
  readonly reason: string;
  /** Every step looked at; absent when the contexts decided. */
  readonly permit?: Permit | undefined;
}

/**
 * Answers a permission question from what is known of the guild and the overwrites that count.
 *
 * @throws ArgumentError `unknown_channel`: the guild has no such channel
 * @see docs/spec/permissions.md#evaluation
 */
export function explain(question: PermissionQuestion, overwrites: OverwriteLayers): Explanation {
  const { command, guild, member, channelId } = question;
  if (!isOfferedIn(command, interactionContexts.GUILD)) {
    const reason = `"${command.name}" is not for guilds: its contexts do not contain GUILD.`;
    return { allowed: false, decidedBy: 'contexts', overwrites: [], reason };
  }
  const place = memberPlace(guild, member, channelId);
  if (!place) throw new ArgumentError('unknown_channel', `The guild ${guild.id} has no channel ${channelId}.`);
  const permitted = permit({ command, place, overwrites });
  const { allowed, decision } = permitted;
  return {
    allowed,
    decidedBy: decision.step,
    overwrites: decision.entries ?? [],
    reason: `${allowed ? 'Allowed' : 'Denied'}: ${becauseOf(decision, question)}.`,
    permit: permitted,
  };
}

function becauseOf(step: PermitStep, { command, guild }: PermissionQuestion): string {
  const { default_member_permissions: bits } = command;
  switch (step.step) {
    case 'age':
      return 'the command is age-restricted, and takes an adult in an age-restricted channel';
    case 'administrator':
      return 'the member is an administrator, and those may use every command';
    case 'access':
      return `the member lacks ${nameBits(step.missing)} here`;
    case 'send':
      return `a command used on a user takes ${nameBits(step.missing)} here`;
    case 'channel':
    case 'member':
      return `${whose(step)} overwrite of ${(step.entries ?? []).map(entry => describe(entry, guild.id)).join(', ')}`;
    case 'default':
      if (bits === null) return 'no overwrite speaks of it, and the command asks for no permissions';
      if (step.outcome === 'allow') return 'the member has the permissions the command asks for by default';
      if (step.missing === undefined) return 'by default the command is for administrators only';
      return `by default the command asks for ${nameBits(step.missing)}`;
  }
}

function whose({ layer }: PermitStep): string {
  return layer === 'command' ? "the command's" : "the application's";
}

function describe({ id, type, permission }: CommandOverwrite, guildId: GuildId): string {
  return `${targetOf(id, type, guildId)} ${permission ? 'allows' : 'denies'} it`;
}

function targetOf(id: string, type: CommandOverwrite['type'], guildId: GuildId): string {
  if (type === overwriteTypes.CHANNEL) return id === allChannelsId(guildId) ? 'all channels' : `channel ${id}`;
  if (type === overwriteTypes.USER) return `user ${id}`;
  return id === everyoneId(guildId) ? '@everyone' : `role ${id}`;
}

/** Names of permission bits; one without a name as its number. */
function nameBits(bits = 0n): string {
  const named = Object.entries(permissionBits).filter(([, bit]) => bits & bit);
  const rest = named.reduce((left, [, bit]) => left & ~bit, bits);
  return [...named.map(([name]) => name), ...(rest ? [`permission bits ${rest}`] : [])].join(' and ');
}
