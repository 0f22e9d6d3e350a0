import type { LobbyMemberDispatch } from '../../../model/gateway.ts';
import type {
  GatewayLobby,
  GatewayLobbyMember,
  Lobby,
  LobbyMember,
  LobbyVoiceServer,
  LobbyVoiceState,
} from '../../../model/lobby.ts';
import type { GatewayLobbyMessage } from '../../../model/lobby-message.ts';
import type { LobbyId, UserId } from '../../../model/snowflake.ts';
import { lazyEvent, lazyText, topics } from '../../events/announcement.ts';
import type { Transaction } from '../../store/contract.ts';
import type { LobbyMemberRecord, LobbyRecord, LobbyVoice, UserRecord } from '../../store/records.ts';
import { userView } from '../accounts/user-view.ts';

/** How lobbies and members are shown in HTTP answers and in dispatches, and the announcements that carry the dispatches. */

/** Unspecified: there is at most one voice server, which the operator names, so every lobby is in one region. */
const region = 'local';

/** A member as HTTP answers show it. @see docs/spec/lobbies.md#member */
export function showMember({ user_id, metadata, flags, additional_name }: LobbyMemberRecord): LobbyMember {
  return { id: user_id, metadata, flags, ...(additional_name !== null && { additional_name }) };
}

/** A lobby as HTTP answers show it, without its idle timeout. @see docs/spec/lobbies.md#lobby */
export function showLobby(lobby: LobbyRecord, members: readonly LobbyMemberRecord[]): Lobby {
  return {
    id: lobby.id,
    application_id: lobby.application_id,
    metadata: lobby.metadata,
    members: members.map(showMember),
    flags: lobby.flags,
    ...showOptional(lobby),
  };
}

/** What dispatches show of members besides their records. */
export interface MemberPresence {
  /** The members' users; a deleted account is left out. */
  readonly users: ReadonlyMap<UserId, UserRecord>;
  /** The members who are connected. */
  readonly connected: ReadonlySet<UserId>;
}

/** A member as dispatches show it. @see docs/spec/lobbies.md#shapes-over-the-gateway */
function showGatewayMember(member: LobbyMemberRecord, { users, connected }: MemberPresence): GatewayLobbyMember {
  const { user_id, metadata, flags, additional_name } = member;
  const user = users.get(user_id);
  return {
    user_id,
    ...(user && { user: userView(user) }),
    metadata,
    flags,
    ...(additional_name !== null && { additional_name }),
    connected: connected.has(user_id),
  };
}

/** A lobby as dispatches show it. */
export function showGatewayLobby(
  lobby: LobbyRecord,
  members: readonly LobbyMemberRecord[],
  presence: MemberPresence,
): GatewayLobby {
  return {
    id: lobby.id,
    application_id: lobby.application_id,
    metadata: lobby.metadata,
    members: members.map(member => showGatewayMember(member, presence)),
    flags: lobby.flags,
    ...showOptional(lobby),
    voice_states: members.flatMap(showVoice),
    region,
  };
}

/**
 * As {@link showGatewayLobby}, encoded as JSON. Each member is encoded once for as long as its record stays the same.
 */
export function encodeGatewayLobby(
  lobby: LobbyRecord,
  members: readonly LobbyMemberRecord[],
  presence: MemberPresence,
): string {
  // The lobby is small without members, which then replace the empty list.
  const { members: none, voice_states: noStates, ...rest } = showGatewayLobby(lobby, [], presence);
  const shown = members.map(member => encodedMember(member, presence)).join(',');
  const states = JSON.stringify(members.flatMap(showVoice));
  return `${JSON.stringify(rest).slice(0, -1)},"members":[${shown}],"voice_states":${states}}`;
}

interface EncodedMember {
  readonly user: UserRecord | undefined;
  readonly connected: boolean;
  readonly text: string;
}

/** Records are shared and never change, so the text of one stays valid while its user and presence are the same. */
const encodedMembers = new WeakMap<LobbyMemberRecord, EncodedMember>();

function encodedMember(member: LobbyMemberRecord, presence: MemberPresence): string {
  const user = presence.users.get(member.user_id);
  const connected = presence.connected.has(member.user_id);
  const known = encodedMembers.get(member);
  if (known && known.user === user && known.connected === connected) return known.text;
  const text = JSON.stringify(showGatewayMember(member, presence));
  encodedMembers.set(member, { user, connected, text });
  return text;
}

const nothing: readonly LobbyVoiceState[] = [];

/** A member's state in the call, if it is in the call. */
function showVoice(member: LobbyMemberRecord): readonly LobbyVoiceState[] {
  return member.voice ? [showVoiceState(member, member.voice, member.lobby_id)] : nothing;
}

/**
 * A member's state in a call as dispatches show it. Unspecified: members cannot mute or deafen one another.
 *
 * @param channelId null: the member has left the call
 */
function showVoiceState(
  { lobby_id, user_id, voice_session_id }: LobbyMemberRecord,
  { self_deaf, self_mute, self_video }: LobbyVoice,
  channelId: LobbyId | null,
): LobbyVoiceState {
  return {
    lobby_id,
    channel_id: channelId,
    user_id,
    session_id: voice_session_id ?? '',
    ...{ deaf: false, mute: false, self_deaf, self_mute, self_video },
    ...{ suppress: false, request_to_speak_timestamp: null },
  };
}

function showOptional({ link, override_event_webhooks_url }: LobbyRecord) {
  return {
    ...(link && { linked_channel: link.channel }),
    ...(override_event_webhooks_url !== null && { override_event_webhooks_url }),
  };
}

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
