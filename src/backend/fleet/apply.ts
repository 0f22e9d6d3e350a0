import type { Lobby, LobbyMember } from '../../model/lobby.ts';
import type { UserId } from '../../model/snowflake.ts';
import type { SendOptions } from '../calls.ts';
import type { Lobbies } from '../lobbies.ts';
import type { LobbyCall } from './plan.ts';

/** The state of a lobby after some calls. */
export interface Applied {
  /** The lobby as the responses describe it. */
  readonly lobby: Lobby;
  /** Users whom the service did not add as members. */
  readonly dropped: readonly UserId[];
}

/**
 * Makes the calls of a plan, one after another.
 *
 * @param next options for the next call; it throws when there must be none
 */
export async function applyPlan(
  calls: Lobbies,
  lobby: Lobby,
  plan: readonly LobbyCall[],
  next: () => Promise<SendOptions>,
): Promise<Applied> {
  let applied: Applied = { lobby, dropped: [] };
  for (const step of plan) applied = await applyCall(calls, applied, step, await next());
  return applied;
}

async function applyCall(
  calls: Lobbies,
  { lobby, dropped }: Applied,
  step: LobbyCall,
  options: SendOptions,
): Promise<Applied> {
  switch (step.kind) {
    case 'edit':
      return { lobby: await calls.edit(lobby.id, step.input, options), dropped };
    case 'putMember': {
      const member = await calls.putMember(lobby.id, step.userId, step.input, options);
      return { lobby: withMembers(lobby, [member], []), dropped };
    }
    case 'removeMember':
      await calls.removeMember(lobby.id, step.userId, options);
      return { lobby: withMembers(lobby, [], [step.userId]), dropped };
    case 'bulkMembers': {
      const changed = await calls.bulkMembers(lobby.id, step.changes, options);
      const removed = step.changes.filter(({ remove_member }) => remove_member).map(({ id }) => id);
      return {
        lobby: withMembers(lobby, changed.members, removed),
        dropped: [...dropped, ...changed.dropped],
      };
    }
  }
}

function withMembers(lobby: Lobby, put: readonly LobbyMember[], removed: readonly UserId[]): Lobby {
  const members = new Map(lobby.members.map(member => [member.id, member]));
  for (const id of removed) members.delete(id);
  for (const member of put) members.set(member.id, member);
  return { ...lobby, members: [...members.values()] };
}
