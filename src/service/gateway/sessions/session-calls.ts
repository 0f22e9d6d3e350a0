import type { LobbyVoiceStateInput } from '../../../model/lobby.ts';
import type { LobbyId } from '../../../model/snowflake.ts';
import type { CallSession, LobbyCalls } from '../../domain/lobbies/calls.ts';
import type { Session } from './session.ts';
import { playerOf } from './session-record.ts';

/** What sessions do in calls: for each of them in the order in which its client asked. */
export class SessionCalls {
  readonly #calls: LobbyCalls;
  /** What each session asked for last. */
  readonly #last = new WeakMap<Session, Promise<void>>();

  constructor(calls: LobbyCalls) {
    this.#calls = calls;
  }

  /**
   * What becomes of op 17.
   *
   * Our choice: from a session that may not take part in calls it has no effect, nor has it from one that is no player's.
   */
  update(session: Session, states: readonly LobbyVoiceStateInput[]): Promise<void> {
    const caller = session.record.may_call ? callerOf(session) : undefined;
    return this.#inTurn(session, async () => caller && this.#calls.update(caller, states));
  }

  /** What becomes of op 42. */
  sendServer(session: Session, lobbyId: LobbyId): Promise<void> {
    const caller = callerOf(session);
    return this.#inTurn(session, async () => caller && this.#calls.sendServer(caller, lobbyId));
  }

  #inTurn(session: Session, work: () => Promise<void>): Promise<void> {
    const turn = (this.#last.get(session) ?? Promise.resolve()).then(work);
    this.#last.set(
      session,
      turn.catch(() => {}), // whoever asked for it is told
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
  };
}
