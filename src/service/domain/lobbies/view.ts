import type { GatewayLobby, GatewayLobbyMember, Lobby, LobbyMember, LobbyVoiceState } from '../../../model/lobby.ts';
import type { LobbyId, UserId } from '../../../model/snowflake.ts';
import type { LobbyMemberRecord, LobbyRecord, LobbyVoice, UserRecord } from '../../store/records.ts';
import { userView } from '../accounts/user-view.ts';

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
export function showGatewayMember(member: LobbyMemberRecord, { users, connected }: MemberPresence): GatewayLobbyMember {
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
export function showVoiceState(
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
