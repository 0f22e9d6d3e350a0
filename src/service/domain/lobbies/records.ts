import type { ChannelId, GuildId, LobbyId, UserId } from '../../../model/snowflake.ts';
import type { StoreView } from '../../store/contract.ts';
import type { ApplicationRecord, LobbyMemberRecord, LobbyRecord } from '../../store/records.ts';
import type { MaybePromise } from '../../support/maybe-promise.ts';
import { all, andThen } from '../../support/maybe-promise.ts';
import { RequestError } from '../../support/request-error.ts';

/** How lobbies and their members are found in the store. */

/** The store scope of everything that is written about one lobby. */
export function lobbyScope(id: LobbyId): string {
  return `lobby/${id}`;
}

/** @throws RequestError `unknown_lobby` also when it is another application's */
export function ownLobby(view: StoreView, application: ApplicationRecord, id: LobbyId): MaybePromise<LobbyRecord> {
  return andThen(view.get('lobbies', id), lobby => {
    if (lobby?.application_id !== application.id) throw new RequestError('unknown_lobby');
    return lobby;
  });
}

/** @throws RequestError `not_a_lobby_member` */
export async function requireMember(view: StoreView, id: LobbyId, userId: UserId): Promise<LobbyMemberRecord> {
  const member = await view.get('lobby_members', id, userId);
  if (!member) throw new RequestError('not_a_lobby_member');
  return member;
}

/** The lobbies that are linked to channels of a guild, or to one channel. */
export function linkedLobbies(
  view: StoreView,
  ...place: readonly [guild: GuildId, channel?: ChannelId]
): MaybePromise<readonly LobbyRecord[]> {
  return view.list('lobbies', { index: 'byChannel', equals: place.filter(id => id !== undefined) });
}

/** Linked lobbies by their channels. */
export function byChannel(linked: readonly LobbyRecord[]): ReadonlyMap<ChannelId | null, LobbyRecord> {
  return new Map(linked.map(lobby => [lobby.linked_channel_id, lobby]));
}

/** The lobby's members in the order of their ids' text. */
export function membersOf(view: StoreView, id: LobbyId): MaybePromise<readonly LobbyMemberRecord[]> {
  return view.list('lobby_members', { equals: [id] });
}

export function userIdsOf(members: readonly LobbyMemberRecord[]): UserId[] {
  return members.map(({ user_id }) => user_id);
}

/**
 * Unspecified: an unknown user fails every call that would make it a member, as the bulk call does
 * (docs/spec/lobbies.md#bulk-update).
 *
 * @throws RequestError `unknown_user`
 */
export function requireUsers(view: StoreView, userIds: readonly UserId[]): MaybePromise<void> {
  return andThen(all(userIds.map(userId => view.get('users', userId))), users => {
    if (users.includes(undefined)) throw new RequestError('unknown_user');
  });
}
