import type { Core } from '../../core.ts';
import type { GatewaySessionRecord } from '../../store/records.ts';
import type { PendingWork } from '../../support/pending-work.ts';
import type { Hub } from '../hub.ts';
import type { RestartStorage } from './restart-storage.ts';
import type { Session } from './session.ts';

/** What a restoration needs of the sessions of this process. */
export interface RestoredSessions {
  readonly byId: ReadonlyMap<string, Session>;
  readonly hub: Hub;
  /** Creates a restored session, which holds new events until it has received the earlier ones. */
  revive(record: GatewaySessionRecord): Promise<Session>;
  /** Ends a restored session when its credential ends. @returns whether that has not happened yet */
  watch(session: Session): Promise<boolean>;
  /** Notifies everybody that a session of the former process has ended. */
  leave(record: GatewaySessionRecord): Promise<void>;
  end(session: Session): void;
  endLostCalls(): Promise<void>;
}

/**
 * Restores the sessions of a former process. From {@link Restoration.begin} on the users count as connected, while the sessions hold new
 * events: what they missed is read while requests are answered.
 */
export class Restoration {
  readonly #core: Core;
  readonly #sessions: RestoredSessions;
  readonly #pendingWork: PendingWork;
  readonly #stopping = new AbortController();
  #under: Promise<void> | undefined;

  constructor(core: Core, sessions: RestoredSessions, pendingWork: PendingWork) {
    this.#core = core;
    this.#sessions = sessions;
    this.#pendingWork = pendingWork;
  }

  /** Resolves when it is complete; undefined when it is already. */
  get under(): Promise<void> | undefined {
    return this.#under;
  }

  /** Call it before anything is announced. */
  async begin(storage: RestartStorage): Promise<void> {
    const { resumable, ended } = await storage.leftovers();
    await storage.begin();
    const revived: Session[] = [];
    for (const record of resumable) {
      const session = await this.#tryRevive(record);
      if (session) revived.push(session);
    }
    if (revived.length === 0 && ended.length === 0 && storage.isEmpty) return this.#sessions.endLostCalls();
    this.#under = this.#pendingWork
      .runAside(() => this.#catchUp(storage, revived, ended))
      .catch((error: unknown) => {
        this.#core.log.error({ error }, 'The sessions of a former process could not be restored.');
        for (const session of revived) if (session.isHolding) this.#sessions.end(session);
      })
      .finally(() => {
        this.#under = undefined;
      });
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#under;
  }

  /** Undefined for a session that cannot be restored: its client must identify, and the others continue. */
  async #tryRevive(record: GatewaySessionRecord): Promise<Session | undefined> {
    try {
      return await this.#sessions.revive(record);
    } catch (error) {
      this.#core.log.error({ error, session: record.id }, 'A session of a former process could not be resumed.');
      const begun = this.#sessions.byId.get(record.id);
      if (begun) this.#sessions.end(begun);
      return undefined;
    }
  }

  /** Passes the earlier events to restored sessions, and ends those that are over. */
  async #catchUp(
    storage: RestartStorage,
    revived: readonly Session[],
    ended: readonly GatewaySessionRecord[],
  ): Promise<void> {
    const sessions = this.#sessions;
    const { signal } = this.#stopping;
    const from = Math.min(...revived.map(({ receivedUpTo }) => receivedUpTo));
    if (revived.length > 0 && !(await storage.repeat(from, announced => sessions.hub.repeat(announced), signal))) {
      if (signal.aborted) return;
      this.#core.log.warn(
        { sessions: revived.length },
        'Not all stored events can be read; these sessions are closed, and their clients identify again.',
      );
      for (const session of revived) sessions.end(session);
    }
    for (const session of revived) {
      if (signal.aborted) return;
      if (session.hasEnded) continue;
      if (!(await sessions.watch(session))) sessions.end(session);
      else if (!session.hasEnded) {
        storage.put(session);
        session.goOn();
      }
    }
    await sessions.endLostCalls();
    for (const record of ended) {
      if (signal.aborted) return;
      await sessions.leave(record);
    }
    if (sessions.byId.size === 0) await storage.clear();
  }
}
