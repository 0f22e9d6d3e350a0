import { limits } from '../../model/limits/limits.ts';
import type { Lobby, LobbyInput, LobbyMember, LobbyMemberChange, LobbyMemberInput } from '../../model/lobby.ts';
import { sameMetadata } from '../../model/rules/lobbies/lobby.ts';
import type { UserId } from '../../model/snowflake.ts';
import { requireType } from '../../wire/arguments.ts';
import { chunks } from '../lobbies.ts';
import type { DesiredLobby, DesiredMember } from './desired.ts';

/** One call that changes a lobby. */
export type LobbyCall =
  | { readonly kind: 'edit'; readonly input: LobbyInput }
  | { readonly kind: 'putMember'; readonly userId: UserId; readonly input: LobbyMemberInput }
  | { readonly kind: 'removeMember'; readonly userId: UserId }
  /** Up to `limits.lobbyMembersPerRequestMax` changes. */
  | { readonly kind: 'bulkMembers'; readonly changes: readonly LobbyMemberChange[] };

/** What an edit sets without ever showing it. */
export interface Unseen {
  /** The idle timeout that was last set, if that is known. */
  readonly idleTimeoutSeconds?: number | undefined;
}

/**
 * The fewest calls that make `desired` of `actual`, in the order they are to be made; none when nothing differs.
 *
 * Two ways are weighed. Member by member: one edit if fields differ, and the member changes, 25 to a bulk call, removals
 * first. By the list: one edit whose `members` (all who stay and newcomers, 25 at most) throws out everybody else, and
 * the rest in bulk. The second replaces what others may just have written, so it is taken only where it is shorter, and
 * never when somebody with an additional name stays: no source says whether a list keeps names.
 *
 * @param actual as a service answered it, whose metadata and flags may be absent: the base description has them as optional
 * @param desired as `checkDesired` passed it
 * @see docs/spec/lobbies.md#edit; docs/spec/lobbies.md#put-a-member; docs/spec/lobbies.md#bulk-update
 */
export function planLobby(actual: Lobby, desired: DesiredLobby, unseen: Unseen = {}): LobbyCall[] {
  for (const [name, value] of Object.entries({ actual, desired, unseen })) requireType(name, value, 'object');
  const fields = changedFields(actual, desired, unseen);
  if (!desired.members) return edit(fields);
  const difference = compareMembers(actual.members, desired.members);
  const byMember = [...edit(fields), ...memberCalls(difference.changes)];
  const byList = listCalls(fields, difference);
  return byList && byList.length < byMember.length ? byList : byMember;
}

function edit(fields: LobbyInput): LobbyCall[] {
  return Object.keys(fields).length > 0 ? [{ kind: 'edit', input: fields }] : [];
}

function changedFields(actual: Lobby, desired: DesiredLobby, unseen: Unseen): LobbyInput {
  const { metadata, flags, override_event_webhooks_url: url, idle_timeout_seconds: seconds } = desired;
  return {
    ...(metadata !== undefined && !sameMetadata(metadata, actual.metadata ?? null) && { metadata }),
    ...(flags !== undefined && (flags ?? 0) !== (actual.flags ?? 0) && { flags }),
    ...(url !== undefined &&
      url !== (actual.override_event_webhooks_url ?? null) && { override_event_webhooks_url: url }),
    ...(typeof seconds === 'number' && seconds !== unseen.idleTimeoutSeconds && { idle_timeout_seconds: seconds }),
  };
}

interface Difference {
  readonly changes: readonly LobbyMemberChange[];
  /** Members before and after, as they should be. */
  readonly staying: readonly DesiredMember[];
  readonly newcomers: readonly DesiredMember[];
  /** Somebody who stays has an additional name now. */
  readonly namesAtRisk: boolean;
}

function compareMembers(actual: readonly LobbyMember[], desired: readonly DesiredMember[]): Difference {
  const before = new Map(actual.map(member => [member.id, member]));
  const wanted = new Set(desired.map(({ id }) => id));
  const removals = actual.filter(({ id }) => !wanted.has(id)).map(({ id }) => ({ id, remove_member: true }));
  const staying = desired.filter(({ id }) => before.has(id));
  const newcomers = desired.filter(({ id }) => !before.has(id));
  const updates = staying.filter(member => !isAsDesired(before.get(member.id), member));
  return {
    changes: [...removals, ...updates, ...newcomers],
    staying,
    newcomers,
    namesAtRisk: staying.some(({ id }) => before.get(id)?.additional_name !== undefined),
  };
}

/** Removals go first, so that a full lobby has free places for the additions. */
function memberCalls(changes: readonly LobbyMemberChange[]): LobbyCall[] {
  return chunks(changes).map(chunk => {
    const [first] = chunk;
    return chunk.length === 1 && first ? memberCall(first) : { kind: 'bulkMembers', changes: chunk };
  });
}

function memberCall({ id, remove_member, ...input }: LobbyMemberChange): LobbyCall {
  return remove_member ? { kind: 'removeMember', userId: id } : { kind: 'putMember', userId: id, input };
}

function listCalls(fields: LobbyInput, { staying, newcomers, namesAtRisk }: Difference): LobbyCall[] | undefined {
  const max = limits.lobbyMembersPerRequestMax;
  if (namesAtRisk || staying.length > max) return undefined;
  const nameless = newcomers.filter(member => !isNamed(member)).slice(0, max - staying.length);
  const listed = new Set(nameless);
  const later = [...staying.filter(isNamed), ...newcomers.filter(member => !listed.has(member))];
  const members = [...staying, ...nameless].map(asEntry);
  return [{ kind: 'edit', input: { ...fields, members } }, ...memberCalls(later)];
}

/** A list's entries carry no additional name. @see docs/spec/lobbies.md#create */
function asEntry({ additional_name: _, ...entry }: DesiredMember) {
  return entry;
}

function isNamed({ additional_name }: DesiredMember): boolean {
  return typeof additional_name === 'string';
}

function isAsDesired(actual: LobbyMember | undefined, desired: DesiredMember): boolean {
  if (!actual) return false;
  const { additional_name: name } = desired;
  return (
    sameMetadata(actual.metadata ?? null, desired.metadata ?? null) &&
    (actual.flags ?? 0) === (desired.flags ?? 0) &&
    (name === undefined || name === (actual.additional_name ?? null))
  );
}
