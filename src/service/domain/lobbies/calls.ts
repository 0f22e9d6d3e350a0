import type { LobbyVoiceStateInput } from '../../../model/lobby.ts';
import type { ApplicationId, LobbyId, UserId } from '../../../model/snowflake.ts';
import type { Core } from '../../core.ts';
import type { Transaction } from '../../store/contract.ts';
import type { LobbyMemberRecord, LobbyVoice } from '../../store/records.ts';
import { announceVoice, announceVoiceEnd, announceVoiceServer } from './events.ts';
import { readId, silent } from './input.ts';
import { lobbyScope } from './records.ts';
import type { VoiceServer } from './voice-server.ts';

/** A player's gateway session, as far as calls go. */
export interface CallSession {
  readonly id: string;
  readonly applicationId: ApplicationId;
  readonly userId: UserId;
  readonly hasEnded: boolean;
}

/**
 * The calls of lobbies: which members are in them, by which session, and how they find the voice server. No sound comes
 * by here.
 *
 * A part in a call belongs to a session: it ends with the session, and with the membership. A member has one part in a
 * lobby's call; another of its sessions takes it over.
 *
 * Our choice: a call does not keep a lobby from being idle, for whoever is in it is connected anyway.
 *
 * @see docs/spec/lobbies.md#events; docs/spec/gateway.md#calls
 */
export interface LobbyCalls {
  /**
   * Makes `states` the calls that the session is in: it comes into those that are new to it, leaves those that are
   * missing, and is in the others as it says now. A lobby in which the user is no member is passed over.
   *
   * Our choice: the list is the whole one, as the clients that are known keep it; there is no other way to leave.
   */
  update(session: CallSession, states: readonly LobbyVoiceStateInput[]): Promise<void>;
  /** Tells the session anew where the call is and by which token it is let in; nothing when it is not in the call. */
  tellServer(session: CallSession, lobbyId: LobbyId): Promise<void>;
  /** The session has ended. */
  end(sessionId: string): Promise<void>;
  /** Ends what belongs to sessions that are not there any more; nobody is to come into a call meanwhile. */
  endOthers(isThere: (sessionId: string) => boolean): Promise<void>;
  /** Tells everybody in a call where it is when that is elsewhere than where the state was left: after a start. */
  tellNewServer(): Promise<void>;
}

/** The setting that says which voice server clients were told of. */
const serverSetting = 'voice_endpoint';

export function createLobbyCalls({ store }: Core, server: VoiceServer): LobbyCalls {
  async function update(session: CallSession, states: readonly LobbyVoiceStateInput[]): Promise<void> {
    const wanted = new Map(states.map(state => [readId(state.lobby_id), voiceOf(state)]));
    for (const { lobby_id } of await partsOf(session.id)) if (!wanted.has(lobby_id)) await leave(lobby_id, session);
    for (const [lobbyId, voice] of wanted) {
      if (await comeIn(session, lobbyId, voice)) await tellServer(session, lobbyId);
    }
    // It may have ended while it came in, and then looked for its calls too early.
    if (session.hasEnded) await end(session.id);
  }

  /** @returns whether it was not in the call before */
  async function comeIn(session: CallSession, lobbyId: LobbyId, voice: LobbyVoice): Promise<boolean> {
    const { id, applicationId, userId } = session;
    // Nothing is written about lobbies that are not there.
    if (!(await store.get('lobby_members', lobbyId, userId))) return false;
    return store.transact(lobbyScope(lobbyId), async transaction => {
      const member = await transaction.get('lobby_members', lobbyId, userId);
      if (member?.application_id !== applicationId || session.hasEnded) return false;
      const isNew = member.voice_session_id !== id;
      if (!isNew && isSame(member.voice, voice)) return false;
      const speaking = { ...member, voice, voice_session_id: id };
      transaction.put('lobby_members', speaking);
      announceVoice(transaction, speaking, voice);
      return isNew;
    });
  }

  async function tellServer(session: CallSession, lobbyId: LobbyId): Promise<void> {
    const { id, applicationId, userId } = session;
    if ((await store.get('lobby_members', lobbyId, userId))?.voice_session_id !== id) return;
    const token = await server.token({ lobbyId, applicationId, userId, sessionId: id });
    // In a scope of its own: a session that was just given the lobby's state would take it for something it has seen.
    const work = async (transaction: Transaction) => {
      const member = await transaction.get('lobby_members', lobbyId, userId);
      if (member?.voice_session_id !== id) return;
      announceVoiceServer(transaction, member, { token, lobby_id: lobbyId, endpoint: server.endpoint });
    };
    await store.transact(`voice/${id}`, work, [lobbyScope(lobbyId)]);
  }

  function partsOf(sessionId: string): Promise<readonly LobbyMemberRecord[]> {
    return Promise.resolve(store.list('lobby_members', { index: 'byVoice', equals: [sessionId] }));
  }

  async function leave(lobbyId: LobbyId, { id, userId }: Pick<CallSession, 'id' | 'userId'>): Promise<void> {
    await store.transact(lobbyScope(lobbyId), async transaction => {
      const member = await transaction.get('lobby_members', lobbyId, userId);
      if (!member?.voice || member.voice_session_id !== id) return;
      transaction.put('lobby_members', { ...member, ...silent });
      announceVoiceEnd(transaction, member, member.voice);
    });
  }

  async function end(sessionId: string): Promise<void> {
    for (const { lobby_id, user_id } of await partsOf(sessionId)) {
      await leave(lobby_id, { id: sessionId, userId: user_id });
    }
  }

  async function endOthers(isThere: (sessionId: string) => boolean): Promise<void> {
    const parts = await store.list('lobby_members', { index: 'byVoice' });
    for (const { lobby_id, user_id, voice_session_id: id } of parts) {
      if (id !== null && !isThere(id)) await leave(lobby_id, { id, userId: user_id });
    }
  }

  async function tellNewServer(): Promise<void> {
    const told = (await store.get('settings', serverSetting))?.value ?? null;
    if (told === server.endpoint) return;
    const setting = { name: serverSetting, value: server.endpoint };
    await store.transact('settings', transaction => transaction.put('settings', setting));
    for (const part of await store.list('lobby_members', { index: 'byVoice' })) {
      const { lobby_id, application_id: applicationId, user_id: userId, voice_session_id: id } = part;
      if (id !== null) await tellServer({ id, applicationId, userId, hasEnded: false }, lobby_id);
    }
  }

  return { update, tellServer, end, endOthers, tellNewServer };
}

function voiceOf({ self_mute, self_deaf, self_video }: LobbyVoiceStateInput): LobbyVoice {
  return { self_mute, self_deaf, self_video: self_video ?? false };
}

function isSame(a: LobbyVoice | null, b: LobbyVoice): boolean {
  return a?.self_mute === b.self_mute && a.self_deaf === b.self_deaf && a.self_video === b.self_video;
}
