import type { LobbyVoiceStateInput } from '../../../model/lobby.ts';
import type { ApplicationId, LobbyId, UserId } from '../../../model/snowflake.ts';
import type { Core } from '../../core.ts';
import type { StoreView, Transaction } from '../../store/contract.ts';
import type { LobbyMemberRecord, LobbyVoice } from '../../store/records.ts';
import type { MaybePromise } from '../../support/maybe-promise.ts';
import { lobbyScope, readId, silent } from './records.ts';
import { announceVoice, announceVoiceEnd, announceVoiceServer } from './view.ts';
import type { VoiceServer } from './voice-server.ts';

/** A player's gateway session, as far as calls need it. */
export interface CallSession {
  readonly id: string;
  readonly applicationId: ApplicationId;
  readonly userId: UserId;
  readonly hasEnded: boolean;
  /** On a node of a cluster: the session may have gone on at another node, or have been ended by one. */
  readonly claim?: CallSessionClaim;
}

export interface CallSessionClaim {
  /** The store scope of the claim. */
  readonly scope: string;
  /** Whether the session is still this node's. */
  holds(view: StoreView): Promise<boolean>;
}

/**
 * The calls of lobbies: which members take part, by which session, and how they find the voice server. The service
 * carries no sound.
 *
 * Taking part in a call belongs to a session: it ends with the session and with the membership. A member takes part
 * in a lobby's call by one session at a time; another session of the member takes over.
 *
 * Unspecified: a call does not keep a lobby from being idle, because its participants are connected anyway.
 *
 * @see docs/spec/lobbies.md#events; docs/spec/gateway.md#calls
 */
export interface LobbyCalls {
  /**
   * Makes `states` the complete list of the session's calls: the session joins those that are new, leaves those that
   * are missing, and updates the others. A lobby in which the user is not a member is ignored.
   *
   * Unspecified: the list is complete, because the known clients send it that way; there is no other way to leave.
   */
  update(session: CallSession, states: readonly LobbyVoiceStateInput[]): Promise<void>;
  /** Sends the session the address of the voice server with a new token; does nothing when it is not in the call. */
  sendServer(session: CallSession, lobbyId: LobbyId): Promise<void>;
  /** Leaves all calls of a session that has ended. */
  end(sessionId: string): Promise<void>;
  /** Leaves the calls of all sessions that no longer exist; nobody may join a call meanwhile. */
  endOthers(isThere: (sessionId: string) => MaybePromise<boolean>): Promise<void>;
  /** Sends the voice server to everybody in a call if it is not the one of the last start. */
  announceNewServer(): Promise<void>;
}

/** The setting with the voice server that clients have received. */
const serverSetting = 'voice_endpoint';

export function createLobbyCalls({ store }: Core, server: VoiceServer): LobbyCalls {
  async function update(session: CallSession, states: readonly LobbyVoiceStateInput[]): Promise<void> {
    const wanted = new Map(states.map(state => [readId(state.lobby_id), voiceOf(state)]));
    for (const { lobby_id } of await callMembersOf(session.id))
      if (!wanted.has(lobby_id)) await leave(lobby_id, session);
    for (const [lobbyId, voice] of wanted) {
      if (await join(session, lobbyId, voice)) await sendServer(session, lobbyId);
    }
    // The session may have ended while it joined, and then left its calls too early. A claim prevents that.
    if (session.hasEnded && !session.claim) await end(session.id);
  }

  /** @returns whether the session was not in the call before */
  async function join(session: CallSession, lobbyId: LobbyId, voice: LobbyVoice): Promise<boolean> {
    const { id, applicationId, userId } = session;
    // Without this read, a transaction would run for lobbies that do not exist.
    if (!(await store.get('lobby_members', lobbyId, userId))) return false;
    const work = async (transaction: Transaction) => {
      const member = await transaction.get('lobby_members', lobbyId, userId);
      if (member?.application_id !== applicationId || !(await isLive(transaction, session))) return false;
      const isNew = member.voice_session_id !== id;
      if (!isNew && isSame(member.voice, voice)) return false;
      const speaking = { ...member, voice, voice_session_id: id };
      transaction.put('lobby_members', speaking);
      announceVoice(transaction, speaking, voice);
      return isNew;
    };
    return store.transact(lobbyScope(lobbyId), work, guardsOf(session));
  }

  async function sendServer(session: CallSession, lobbyId: LobbyId): Promise<void> {
    const { id, applicationId, userId } = session;
    if ((await store.get('lobby_members', lobbyId, userId))?.voice_session_id !== id) return;
    const token = await server.token({ lobbyId, applicationId, userId, sessionId: id });
    // In a store scope of its own: a session that has just received the lobby's state would ignore an event of the
    // lobby's scope.
    const work = async (transaction: Transaction) => {
      const member = await transaction.get('lobby_members', lobbyId, userId);
      if (member?.voice_session_id !== id) return;
      announceVoiceServer(transaction, member, { token, lobby_id: lobbyId, endpoint: server.endpoint });
    };
    await store.transact(`voice/${id}`, work, [lobbyScope(lobbyId)]);
  }

  function callMembersOf(sessionId: string): Promise<readonly LobbyMemberRecord[]> {
    return Promise.resolve(store.list('lobby_members', { index: 'byVoice', equals: [sessionId] }));
  }

  async function leave(
    lobbyId: LobbyId,
    session: Pick<CallSession, 'id' | 'userId'> & Partial<CallSession>,
  ): Promise<void> {
    const { id, userId, claim } = session;
    const work = async (transaction: Transaction) => {
      const member = await transaction.get('lobby_members', lobbyId, userId);
      if (!member?.voice || member.voice_session_id !== id) return;
      if (claim && !(await claim.holds(transaction))) return;
      transaction.put('lobby_members', { ...member, ...silent });
      announceVoiceEnd(transaction, member, member.voice);
    };
    await store.transact(lobbyScope(lobbyId), work, guardsOf(session));
  }

  async function end(sessionId: string): Promise<void> {
    for (const { lobby_id, user_id } of await callMembersOf(sessionId)) {
      await leave(lobby_id, { id: sessionId, userId: user_id });
    }
  }

  async function endOthers(isThere: (sessionId: string) => MaybePromise<boolean>): Promise<void> {
    const parts = await store.list('lobby_members', { index: 'byVoice' });
    for (const { lobby_id, user_id, voice_session_id: id } of parts) {
      if (id !== null && !(await isThere(id))) await leave(lobby_id, { id, userId: user_id });
    }
  }

  async function announceNewServer(): Promise<void> {
    const announced = (await store.get('settings', serverSetting))?.value ?? null;
    if (announced === server.endpoint) return;
    const setting = { name: serverSetting, value: server.endpoint };
    await store.transact('settings', transaction => transaction.put('settings', setting));
    for (const part of await store.list('lobby_members', { index: 'byVoice' })) {
      const { lobby_id, application_id: applicationId, user_id: userId, voice_session_id: id } = part;
      if (id !== null) await sendServer({ id, applicationId, userId, hasEnded: false }, lobby_id);
    }
  }

  return { update, sendServer, end, endOthers, announceNewServer };
}

async function isLive(view: StoreView, { hasEnded, claim }: CallSession): Promise<boolean> {
  return !hasEnded && (!claim || claim.holds(view));
}

function guardsOf({ claim }: Pick<CallSession, 'claim'>): readonly string[] {
  return claim ? [claim.scope] : [];
}

function voiceOf({ self_mute, self_deaf, self_video }: LobbyVoiceStateInput): LobbyVoice {
  return { self_mute, self_deaf, self_video: self_video ?? false };
}

function isSame(a: LobbyVoice | null, b: LobbyVoice): boolean {
  return a?.self_mute === b.self_mute && a.self_deaf === b.self_deaf && a.self_video === b.self_video;
}
