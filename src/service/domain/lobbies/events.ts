import type { LobbyMemberDispatch } from '../../../model/gateway.ts';
import type { LobbyVoiceServer, LobbyVoiceState } from '../../../model/lobby.ts';
import type { GatewayLobbyMessage } from '../../../model/lobby-message.ts';
import type { UserId } from '../../../model/snowflake.ts';
import { lazyEvent, lazyText, topics } from '../../events/announcement.ts';
import type { Transaction } from '../../store/contract.ts';
import type { LobbyMemberRecord, LobbyRecord, LobbyVoice } from '../../store/records.ts';
import { type Attendees, encodeGatewayLobby, showGatewayMember, showVoiceState } from './view.ts';

/**
 * Which announcements a change of a lobby makes, one function a change. A player who gains or loses a lobby hears of
 * the whole lobby, the other members of the player; nobody hears both.
 *
 * @see docs/spec/lobbies.md#events
 */

/** The lobby begins for these players: each gets it whole, then follows it. */
export function announceLobby(
  transaction: Transaction,
  lobby: LobbyRecord,
  members: readonly LobbyMemberRecord[],
  attendees: Attendees,
  to: Iterable<UserId>,
): void {
  const event = lazyText('LOBBY_CREATE', () => encodeGatewayLobby(lobby, members, attendees));
  const follow = topics.lobby(lobby.id);
  for (const userId of to) transaction.announce({ to: topics.player(lobby.application_id, userId), event, follow });
}

/** What the lobby shows has changed. */
export function announceLobbyUpdate(
  transaction: Transaction,
  lobby: LobbyRecord,
  members: readonly LobbyMemberRecord[],
  attendees: Attendees,
): void {
  const event = lazyText('LOBBY_UPDATE', () => encodeGatewayLobby(lobby, members, attendees));
  transaction.announce({ to: topics.lobby(lobby.id), event });
}

/** The lobby is gone. */
export function announceLobbyEnd(transaction: Transaction, { id }: LobbyRecord): void {
  const topic = topics.lobby(id);
  const event = lazyEvent('LOBBY_DELETE', () => ({ id, reason: 'deleted' }));
  transaction.announce({ to: topic, event, unfollow: topic });
}

/** The others learn of a new member; announce the lobby to the member itself after this. */
export function announceMemberAdd(transaction: Transaction, member: LobbyMemberRecord, attendees: Attendees): void {
  announceMember(transaction, 'LOBBY_MEMBER_ADD', member, attendees, member.user_id);
}

export function announceMemberUpdate(transaction: Transaction, member: LobbyMemberRecord, attendees: Attendees): void {
  announceMember(transaction, 'LOBBY_MEMBER_UPDATE', member, attendees);
}

/** The member's own sessions lose the lobby, the others the member; its part in a call ends before. */
export function announceMemberRemove(transaction: Transaction, member: LobbyMemberRecord, attendees: Attendees): void {
  const { lobby_id, application_id, user_id, voice } = member;
  if (voice) announceVoiceEnd(transaction, member, voice);
  const event = lazyEvent('LOBBY_DELETE', () => ({ id: lobby_id, reason: 'removed' }));
  transaction.announce({ to: topics.player(application_id, user_id), event, unfollow: topics.lobby(lobby_id) });
  announceMember(transaction, 'LOBBY_MEMBER_REMOVE', member, attendees, user_id);
}

/** The others learn that a member's first session began or its last one ended; its own sessions know. */
export function announceAttendance(transaction: Transaction, member: LobbyMemberRecord, attendees: Attendees): void {
  const isThere = attendees.connected.has(member.user_id);
  const event = lazyEvent(isThere ? 'LOBBY_MEMBER_CONNECT' : 'LOBBY_MEMBER_DISCONNECT', () => ({
    member: showGatewayMember(member, attendees),
    lobby_id: member.lobby_id,
  }));
  transaction.announce({ to: topics.lobby(member.lobby_id), event, except: member.user_id });
}

/** A member came into the lobby's call, or is otherwise in it than before; the member's own sessions hear of it, too. */
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

/** To the session alone by which the member is in the call. */
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
  attendees: Attendees,
  except?: UserId,
): void {
  const event = lazyEvent(
    name,
    (): LobbyMemberDispatch => ({
      member: showGatewayMember(member, attendees),
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
