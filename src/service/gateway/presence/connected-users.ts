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
export class Registration {
  /** Sessions of the same user (or bot) when it was registered, including this one. */
  readonly sessions: number;
  readonly #users: ConnectedUsers;
  readonly #leave: Leave;
  readonly #player: Player | undefined;

  constructor(users: ConnectedUsers, leave: Leave, player: Player | undefined, sessions: number) {
    this.sessions = sessions;
    this.#users = users;
    this.#leave = leave;
    this.#player = player;
  }

  /** Resolves once all parts have been notified. */
  remove(): Promise<void> {
    return this.#users.remove(this.#leave, this.#player);
  }
}

interface PlayerState {
  sessions: number;
  /** The state of the last notification; if that failed, the next change is notified all the same. */
  notified: boolean;
  /** The notification in progress, if any. */
  work: Promise<void> | undefined;
}

/**
 * Registers sessions at the bus, and notifies the watch of players: when the first session begins and when the last
 * one ends.
 */
export class ConnectedUsers {
  readonly #bus: Bus;
  readonly #watch: PlayerWatch;
  readonly #players = new Map<Topic, PlayerState>();

  constructor(bus: Bus, watch: PlayerWatch) {
    this.#bus = bus;
    this.#watch = watch;
  }

  /** Resolves once all parts have been notified. */
  async add(home: Topic, sessionId: string, player: Player | undefined): Promise<Registration> {
    const leave = await this.#bus.enter(home, sessionId);
    try {
      if (player) await this.#change(player, 1);
      return new Registration(this, leave, player, await this.#bus.present(home));
    } catch (error) {
      await this.remove(leave, player).catch(() => {}); // Report the first failure.
      throw error;
    }
  }

  /** @see Registration.remove */
  async remove(leave: Leave, player: Player | undefined): Promise<void> {
    await leave();
    if (player) await this.#change(player, -1);
  }

  /** As {@link add}, for a session that was registered before a restart. */
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
