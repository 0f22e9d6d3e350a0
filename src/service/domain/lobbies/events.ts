import type { LobbyMemberDispatch } from '../../../model/gateway.ts';
import type { LobbyVoiceServer, LobbyVoiceState } from '../../../model/lobby.ts';
import type { GatewayLobbyMessage } from '../../../model/lobby-message.ts';
import type { UserId } from '../../../model/snowflake.ts';
import { lazyEvent, lazyText, topics } from '../../events/announcement.ts';
import type { Transaction } from '../../store/contract.ts';
import type { LobbyMemberRecord, LobbyRecord, LobbyVoice } from '../../store/records.ts';
import { encodeGatewayLobby, type MemberPresence, showGatewayMember, showVoiceState } from './view.ts';

/**
 * The announcements of each change of a lobby, one function for each. A player who gains or loses a lobby receives an
 * event about the whole lobby, the other members one about the player; nobody receives both.
 *
 * @see docs/spec/lobbies.md#events
 */

/** These players receive the whole lobby, then follow it. */
export function announceLobby(
  transaction: Transaction,
  lobby: LobbyRecord,
  members: readonly LobbyMemberRecord[],
  presence: MemberPresence,
  to: Iterable<UserId>,
): void {
  const event = lazyText('LOBBY_CREATE', () => encodeGatewayLobby(lobby, members, presence));
  const follow = topics.lobby(lobby.id);
  for (const userId of to) transaction.announce({ to: topics.player(lobby.application_id, userId), event, follow });
}

/** What the lobby shows has changed. */
export function announceLobbyUpdate(
  transaction: Transaction,
  lobby: LobbyRecord,
  members: readonly LobbyMemberRecord[],
  presence: MemberPresence,
): void {
  const event = lazyText('LOBBY_UPDATE', () => encodeGatewayLobby(lobby, members, presence));
  transaction.announce({ to: topics.lobby(lobby.id), event });
}

/** The lobby was deleted. */
export function announceLobbyEnd(transaction: Transaction, { id }: LobbyRecord): void {
  const topic = topics.lobby(id);
  const event = lazyEvent('LOBBY_DELETE', () => ({ id, reason: 'deleted' }));
  transaction.announce({ to: topic, event, unfollow: topic });
}

/** The others receive the new member; announce the lobby to the member itself after this. */
export function announceMemberAdd(transaction: Transaction, member: LobbyMemberRecord, presence: MemberPresence): void {
  announceMember(transaction, 'LOBBY_MEMBER_ADD', member, presence, member.user_id);
}

export function announceMemberUpdate(
  transaction: Transaction,
  member: LobbyMemberRecord,
  presence: MemberPresence,
): void {
  announceMember(transaction, 'LOBBY_MEMBER_UPDATE', member, presence);
}

/** The member's own sessions lose the lobby, the others lose the member; the member leaves the call before that. */
export function announceMemberRemove(
  transaction: Transaction,
  member: LobbyMemberRecord,
  presence: MemberPresence,
): void {
  const { lobby_id, application_id, user_id, voice } = member;
  if (voice) announceVoiceEnd(transaction, member, voice);
  const event = lazyEvent('LOBBY_DELETE', () => ({ id: lobby_id, reason: 'removed' }));
  transaction.announce({ to: topics.player(application_id, user_id), event, unfollow: topics.lobby(lobby_id) });
  announceMember(transaction, 'LOBBY_MEMBER_REMOVE', member, presence, user_id);
}

/** The others receive that a member's first session began or its last one ended; its own sessions do not. */
export function announceConnection(
  transaction: Transaction,
  member: LobbyMemberRecord,
  presence: MemberPresence,
): void {
  const isThere = presence.connected.has(member.user_id);
  const event = lazyEvent(isThere ? 'LOBBY_MEMBER_CONNECT' : 'LOBBY_MEMBER_DISCONNECT', () => ({
    member: showGatewayMember(member, presence),
    lobby_id: member.lobby_id,
  }));
  transaction.announce({ to: topics.lobby(member.lobby_id), event, except: member.user_id });
}

/** A member joined the lobby's call or changed its state in it; the member's own sessions receive it, too. */
export function announceVoice(transaction: Transaction, member: LobbyMemberRecord, voice: LobbyVoice): void {
  announceVoiceState(transaction, showVoiceState(member, voice, member.lobby_id));
}

/** The member left the call. @param member as it was in the call */
export function announceVoiceEnd(transaction: Transaction, member: LobbyMemberRecord, voice: LobbyVoice): void {
  announceVoiceState(transaction, showVoiceState(member, voice, null));
}

function announceVoiceState(transaction: Transaction, state: LobbyVoiceState): void {
  const event = lazyEvent('LOBBY_VOICE_STATE_UPDATE', () => state);
  transaction.announce({ to: topics.lobby(state.lobby_id), event });
}

/** To the session with which the member is in the call, and to no other. */
export function announceVoiceServer(
  transaction: Transaction,
  { application_id, user_id, voice_session_id }: LobbyMemberRecord,
  server: LobbyVoiceServer,
): void {
  const event = lazyEvent('LOBBY_VOICE_SERVER_UPDATE', () => server);
  transaction.announce({ to: topics.player(application_id, user_id), only: voice_session_id ?? '', event });
}

function announceMember(
  transaction: Transaction,
  name: 'LOBBY_MEMBER_ADD' | 'LOBBY_MEMBER_UPDATE' | 'LOBBY_MEMBER_REMOVE',
  member: LobbyMemberRecord,
  presence: MemberPresence,
  except?: UserId,
): void {
  const event = lazyEvent(
    name,
    (): LobbyMemberDispatch => ({
      member: showGatewayMember(member, presence),
      lobby_id: member.lobby_id,
      application_id: member.application_id,
    }),
  );
  transaction.announce({ to: topics.lobby(member.lobby_id), event, ...(except !== undefined && { except }) });
}

/** A message to all members, its author included. */
export function announceMessage(
  transaction: Transaction,
  name: 'LOBBY_MESSAGE_CREATE' | 'LOBBY_MESSAGE_UPDATE',
  message: GatewayLobbyMessage,
): void {
  transaction.announce({ to: topics.lobby(message.lobby_id), event: lazyEvent(name, () => message) });
}
