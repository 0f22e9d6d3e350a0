import type { LobbyVoiceStateInput } from '../../../model/lobby.ts';
import type { LobbyId } from '../../../model/snowflake.ts';
import type { CallSession, LobbyCalls } from '../../features/lobbies/calls.ts';
import type { Session } from './session.ts';
import { holdsClaim, playerOf } from './session-record.ts';
import { sessionScope } from './storage.ts';

/** Handles the calls of sessions, for each session in the order of its client's requests. */
export class SessionCalls {
  readonly #calls: LobbyCalls;
  /** The last request of each session. */
  readonly #last = new WeakMap<Session, Promise<void>>();

  constructor(calls: LobbyCalls) {
    this.#calls = calls;
  }

  /**
   * Handles op 17.
   *
   * Unspecified: it has no effect from a session that may not take part in calls, or is not a player's.
   */
  update(session: Session, states: readonly LobbyVoiceStateInput[]): Promise<void> {
    const caller = session.record.may_call ? callerOf(session) : undefined;
    return this.#inTurn(session, async () => caller && this.#calls.update(caller, states));
  }

  /** Handles op 42. */
  sendServer(session: Session, lobbyId: LobbyId): Promise<void> {
    const caller = callerOf(session);
    return this.#inTurn(session, async () => caller && this.#calls.sendServer(caller, lobbyId));
  }

  #inTurn(session: Session, work: () => Promise<void>): Promise<void> {
    const turn = (this.#last.get(session) ?? Promise.resolve()).then(work);
    this.#last.set(
      session,
      turn.catch(() => {}), // The caller receives the error.
    );
    return turn;
  }
}

function callerOf(session: Session): CallSession | undefined {
  const player = playerOf(session.record);
  if (!player) return undefined;
  return {
    id: session.id,
    ...player,
    get hasEnded() {
      return session.hasEnded;
    },
    ...(session.record.node !== null && {
      claim: { scope: sessionScope(session.id), holds: view => holdsClaim(view, session.record) },
    }),
  };
}
