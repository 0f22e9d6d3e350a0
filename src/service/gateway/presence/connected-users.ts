import type { ApplicationId, UserId } from '../../../model/snowflake.ts';
import type { Bus } from '../../bus/contract.ts';
import { type Topic, topics } from '../../events/announcement.ts';
import type { MaybePromise } from '../../support/maybe-promise.ts';

/** A user in a game. */
export interface Player {
  readonly applicationId: ApplicationId;
  readonly userId: UserId;
}

/** Who wants to know when players come and go. Both may be told again what they know. */
export interface PlayerWatch {
  connected(applicationId: ApplicationId, userId: UserId): Promise<void>;
  disconnected(applicationId: ApplicationId, userId: UserId): Promise<void>;
}

type Leave = () => MaybePromise<void>;

/** One session's being there. */
export class Stay {
  /** Sessions that were there for the same user (or bot) when it began, this one included. */
  readonly sessions: number;
  readonly #attendance: Attendance;
  readonly #leave: Leave;
  readonly #player: Player | undefined;

  constructor(attendance: Attendance, leave: Leave, player: Player | undefined, sessions: number) {
    this.sessions = sessions;
    this.#attendance = attendance;
    this.#leave = leave;
    this.#player = player;
  }

  /** Resolves once everybody knows. */
  depart(): Promise<void> {
    return this.#attendance.depart(this.#leave, this.#player);
  }
}

interface Standing {
  sessions: number;
  /** What the watch was told last; when that failed it may know in part, and is told the next change all the same. */
  told: boolean;
  /** Being done; undefined: nothing is. */
  work: Promise<void> | undefined;
}

/** Keeps the bus told which sessions are there, and the watch which players are: first session in, last session out. */
export class Attendance {
  readonly #bus: Bus;
  readonly #watch: PlayerWatch;
  readonly #standings = new Map<Topic, Standing>();

  constructor(bus: Bus, watch: PlayerWatch) {
    this.#bus = bus;
    this.#watch = watch;
  }

  /** Resolves once everybody knows. */
  async arrive(home: Topic, sessionId: string, player: Player | undefined): Promise<Stay> {
    const leave = await this.#bus.enter(home, sessionId);
    try {
      if (player) await this.#change(player, 1);
      return new Stay(this, leave, player, await this.#bus.present(home));
    } catch (error) {
      await this.depart(leave, player).catch(() => {}); // the first failure is the one to be told
      throw error;
    }
  }

  /** @see Stay.depart */
  async depart(leave: Leave, player: Player | undefined): Promise<void> {
    await leave();
    if (player) await this.#change(player, -1);
  }

  /** As {@link arrive}, for a session that everybody knows of already. */
  async stay(home: Topic, sessionId: string, player: Player | undefined): Promise<Stay> {
    if (player) {
      const key = topics.player(player.applicationId, player.userId);
      this.#standings.set(key, this.#standings.get(key) ?? { sessions: 0, told: true, work: undefined });
    }
    return this.arrive(home, sessionId, player);
  }

  /** Tells that a player is gone whose sessions ended untold, unless it has another. */
  async missed(player: Player): Promise<void> {
    const key = topics.player(player.applicationId, player.userId);
    if ((await this.#bus.present(key)) > 0) return;
    await this.#watch.disconnected(player.applicationId, player.userId);
  }

  // One after another for each player, and each tells what is so by then: a quick leave-and-return tells nothing.
  #change(player: Player, by: 1 | -1): Promise<void> {
    const key = topics.player(player.applicationId, player.userId);
    const standing: Standing = this.#standings.get(key) ?? { sessions: 0, told: false, work: undefined };
    this.#standings.set(key, standing);
    standing.sessions += by;
    const told = (standing.work ?? Promise.resolve()).then(() => this.#tell(key, player, standing));
    const work: Promise<void> = told
      .catch(() => {}) // whoever changed it was told
      .then(() => {
        if (standing.work === work) standing.work = undefined;
        if (standing.sessions === 0 && !standing.told) this.#standings.delete(key);
      });
    standing.work = work;
    return told;
  }

  async #tell(key: Topic, { applicationId, userId }: Player, standing: Standing): Promise<void> {
    const isThere = standing.sessions > 0;
    if (isThere === standing.told) return;
    standing.told = isThere;
    if (isThere) await this.#watch.connected(applicationId, userId);
    else if ((await this.#bus.present(key)) === 0) await this.#watch.disconnected(applicationId, userId);
  }
}
