import { type Command, commandTypes } from '../../command.ts';
import { permissionBits } from '../../guild.ts';
import { allChannelsId, type CommandOverwrite, everyoneId, overwriteTypes } from '../../overwrite.ts';
import type { Snowflake } from '../../snowflake.ts';
import { type MemberPlace, sendPermission } from './member-place.ts';

/** May this member use this command in this place of a guild? */
export interface PermitQuestion {
  readonly command: Pick<Command, 'type' | 'default_member_permissions' | 'nsfw'>;
  readonly place: MemberPlace;
  readonly overwrites: OverwriteLayers;
}

/** The overwrites that count for a command in a guild. A command's own come first. */
export interface OverwriteLayers {
  /** Those under the command's id. */
  readonly command: readonly CommandOverwrite[];
  /** Those under the application's id. */
  readonly application: readonly CommandOverwrite[];
}

export type OverwriteLayer = keyof OverwriteLayers;

/**
 * What one step of the evaluation looks at, in the order of the steps:
 *
 * - `age`: an age-restricted command is for adults, and in a channel only if that is age-restricted as well
 * - `administrator`: administrators and the owner may use everything else
 * - `access`: the member sees the channel and may use application commands there
 * - `send`: what is used on a user asks for the right to send messages
 * - `channel`: the overwrites of the channel, or of all channels
 * - `member`: the overwrites of the user, of the roles, or of everyone
 * - `default`: the command's `default_member_permissions`
 */
export type PermitStepName = 'age' | 'administrator' | 'access' | 'send' | 'channel' | 'member' | 'default';

export interface PermitStep {
  readonly step: PermitStepName;
  /** `next`: this step leaves it to the following one. */
  readonly outcome: 'allow' | 'deny' | 'next';
  /** Where the overwrites that spoke stand; absent when none did. */
  readonly layer?: OverwriteLayer;
  /** The overwrites that spoke. */
  readonly entries?: readonly CommandOverwrite[];
  /** Permission bits that were asked for and are missing. */
  readonly missing?: bigint;
}

export interface Permit {
  readonly allowed: boolean;
  /** The step that decided: the last of `steps`. */
  readonly decision: PermitStep;
  /** Every step looked at, in order. */
  readonly steps: readonly PermitStep[];
}

/**
 * Decides whether a member may use a command in a place of a guild, and explains why. Whether the command is offered there
 * at all (contexts, installations) is another question: `isOfferedIn`, `isInstalledBy`.
 *
 * In a place that is not a channel, overwrites and permissions of channels have no effect.
 *
 * Unspecified: age is checked first, also for administrators, because the interface states it for every user of the command;
 * application-wide overwrites never override `default_member_permissions`.
 *
 * @see docs/spec/permissions.md#evaluation; docs/spec/commands.md#age-restricted-commands; docs/spec/interactions.md#using-a-command
 */
export function permit(question: PermitQuestion): Permit {
  const steps: PermitStep[] = [];
  for (const check of checks) {
    const step = check(question);
    steps.push(step);
    if (step.outcome !== 'next') return { allowed: step.outcome === 'allow', decision: step, steps };
  }
  throw new Error('The last step always decides.');
}

type Check = (question: PermitQuestion) => PermitStep;

const checks: readonly Check[] = [
  validateAge,
  validateAdministrator,
  validateAccess,
  validateSending,
  validateChannel,
  validateMember,
  validateDefault,
];

function validateAge({ command, place: { member, channel } }: PermitQuestion): PermitStep {
  const isOpen = !command.nsfw || (member.adult && (channel?.nsfw ?? true));
  return { step: 'age', outcome: isOpen ? 'next' : 'deny' };
}

function validateAdministrator({ place: { permissions } }: PermitQuestion): PermitStep {
  return { step: 'administrator', outcome: permissions & permissionBits.ADMINISTRATOR ? 'allow' : 'next' };
}

function validateAccess({ place }: PermitQuestion): PermitStep {
  const { VIEW_CHANNEL, USE_APPLICATION_COMMANDS } = permissionBits;
  return demand('access', place, place.channel ? VIEW_CHANNEL | USE_APPLICATION_COMMANDS : USE_APPLICATION_COMMANDS);
}

function validateSending({ command, place }: PermitQuestion): PermitStep {
  return demand('send', place, command.type === commandTypes.USER ? sendPermission(place) : 0n);
}

function demand(step: PermitStepName, { permissions }: MemberPlace, needed: bigint): PermitStep {
  const missing = needed & ~permissions;
  return missing === 0n ? { step, outcome: 'next' } : { step, outcome: 'deny', missing };
}

/** Only a deny of the channel is final: where a channel allows, the member must be allowed as well. */
function validateChannel({ overwrites, place: { channel, guildId } }: PermitQuestion): PermitStep {
  const step = 'channel';
  if (!channel) return { step, outcome: 'next' };
  for (const layer of layers) {
    const entry =
      find(overwrites[layer], overwriteTypes.CHANNEL, channel.id) ??
      find(overwrites[layer], overwriteTypes.CHANNEL, allChannelsId(guildId));
    if (entry) return { step, outcome: entry.permission ? 'next' : 'deny', layer, entries: [entry] };
  }
  return { step, outcome: 'next' };
}

/** A command's own overwrite is final; one for the whole application is final only when it denies. */
function validateMember({ overwrites, place }: PermitQuestion): PermitStep {
  const step = 'member';
  for (const layer of layers) {
    const entries = entriesOf(overwrites[layer], place);
    if (entries.length === 0) continue;
    const isAllowed = entries.some(({ permission }) => permission);
    const allowing = layer === 'command' ? 'allow' : 'next';
    return { step, outcome: isAllowed ? allowing : 'deny', layer, entries };
  }
  return { step, outcome: 'next' };
}

/** The most particular overwrites for this member: its own, else those of its roles, else that of @everyone. */
function entriesOf(
  entries: readonly CommandOverwrite[],
  { member, guildId }: MemberPlace,
): readonly CommandOverwrite[] {
  const own = find(entries, overwriteTypes.USER, member.user_id);
  if (own) return [own];
  const everyone = everyoneId(guildId);
  const ofRoles = entries.filter(
    ({ id, type }) =>
      type === overwriteTypes.ROLE && id !== everyone && (member.roles as readonly string[]).includes(id),
  );
  if (ofRoles.length > 0) return ofRoles;
  const ofAll = find(entries, overwriteTypes.ROLE, everyone);
  return ofAll ? [ofAll] : [];
}

function validateDefault({ command: { default_member_permissions: bits }, place }: PermitQuestion): PermitStep {
  const step = 'default';
  if (bits === null) return { step, outcome: 'allow' };
  const needed = BigInt(bits);
  const missing = needed & ~place.permissions;
  // No bits at all is for administrators, who have been let in before.
  if (needed !== 0n && missing === 0n) return { step, outcome: 'allow' };
  return { step, outcome: 'deny', ...(missing !== 0n && { missing }) };
}

const layers = ['command', 'application'] as const satisfies readonly OverwriteLayer[];

function find(
  entries: readonly CommandOverwrite[],
  ofType: CommandOverwrite['type'],
  ofId: Snowflake,
): CommandOverwrite | undefined {
  return entries.find(({ id, type }) => type === ofType && id === ofId);
}
