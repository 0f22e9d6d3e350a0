import type { ApplicationId, UserId } from '../../../model/snowflake.ts';
import type { Bus } from '../../bus/contract.ts';
import { type Topic, topics } from '../../events/announcement.ts';
import type { MaybePromise } from '../../support/maybe-promise.ts';

/** A user in a game. */
export interface Player {
  readonly applicationId: ApplicationId;
  readonly userId: UserId;
}

/** Is notified when players connect and disconnect; a notification may be repeated. */
export interface PlayerWatch {
  connected(applicationId: ApplicationId, userId: UserId): Promise<void>;
  disconnected(applicationId: ApplicationId, userId: UserId): Promise<void>;
}

type Leave = () => MaybePromise<void>;

/** The registration of one session. */
export interface Registration {
  /** Sessions of the same user (or bot) when it was registered, including this one. */
  readonly sessions: number;
  /** Resolves once all parts have been notified. */
  remove(): Promise<void>;
  /** The session is not this node's any more: nobody is notified. */
  forget(): Promise<void>;
}

/** Registers sessions, and notifies the watch of players when the first one begins and when the last one ends. */
export interface Users {
  /** Resolves once all parts have been notified. */
  add(home: Topic, sessionId: string, player: Player | undefined): Promise<Registration>;
  /** As {@link add}, for a session that was registered before, by another process. */
  restore(home: Topic, sessionId: string, player: Player | undefined): Promise<Registration>;
}

interface PlayerState {
  sessions: number;
  /** The state of the last notification; if that failed, the next change is notified all the same. */
  notified: boolean;
  /** The notification in progress, if any. */
  work: Promise<void> | undefined;
}

/** The users of a service in one process, registered at its bus. */
export class ConnectedUsers implements Users {
  readonly #bus: Bus;
  readonly #watch: PlayerWatch;
  readonly #players = new Map<Topic, PlayerState>();

  constructor(bus: Bus, watch: PlayerWatch) {
    this.#bus = bus;
    this.#watch = watch;
  }

  async add(home: Topic, sessionId: string, player: Player | undefined): Promise<Registration> {
    const leave = await this.#bus.enter(home, sessionId);
    try {
      if (player) await this.#change(player, 1);
      const sessions = await this.#bus.present(home);
      return { sessions, remove: () => this.#remove(leave, player), forget: async () => leave() };
    } catch (error) {
      await this.#remove(leave, player).catch(() => {}); // Report the first failure.
      throw error;
    }
  }

  async #remove(leave: Leave, player: Player | undefined): Promise<void> {
    await leave();
    if (player) await this.#change(player, -1);
  }

  async restore(home: Topic, sessionId: string, player: Player | undefined): Promise<Registration> {
    if (player) {
      const key = topics.player(player.applicationId, player.userId);
      this.#players.set(key, this.#players.get(key) ?? { sessions: 0, notified: true, work: undefined });
    }
    return this.add(home, sessionId, player);
  }

  /**
   * Notifies that a player has disconnected whose sessions ended without a notification, unless it has another
   * session.
   */
  async missed(player: Player): Promise<void> {
    const key = topics.player(player.applicationId, player.userId);
    if ((await this.#bus.present(key)) > 0) return;
    await this.#watch.disconnected(player.applicationId, player.userId);
  }

  // One after another for each player, and each notifies the state at that time: leaving and returning quickly
  // notifies nothing.
  #change(player: Player, by: 1 | -1): Promise<void> {
    const key = topics.player(player.applicationId, player.userId);
    const state: PlayerState = this.#players.get(key) ?? { sessions: 0, notified: false, work: undefined };
    this.#players.set(key, state);
    state.sessions += by;
    const notified = (state.work ?? Promise.resolve()).then(() => this.#notify(key, player, state));
    const work: Promise<void> = notified
      .catch(() => {}) // The caller of the change receives the error.
      .then(() => {
        if (state.work === work) state.work = undefined;
        if (state.sessions === 0 && !state.notified) this.#players.delete(key);
      });
    state.work = work;
    return notified;
  }

  async #notify(key: Topic, { applicationId, userId }: Player, state: PlayerState): Promise<void> {
    const isThere = state.sessions > 0;
    if (isThere === state.notified) return;
    state.notified = isThere;
    if (isThere) await this.#watch.connected(applicationId, userId);
    else if ((await this.#bus.present(key)) === 0) await this.#watch.disconnected(applicationId, userId);
  }
}
