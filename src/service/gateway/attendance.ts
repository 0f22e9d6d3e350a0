import type { ApplicationId, UserId } from '../../model/snowflake.ts';
import { type Topic, topics } from '../announcement.ts';
import type { Bus } from '../bus/contract.ts';

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

/** One session's being there. */
export interface Stay {
  /** Sessions that are there for the same user (or bot), this one included. */
  readonly sessions: number;
  depart(): Promise<void>;
}

interface Standing {
  sessions: number;
  /** What the watch was told last; when that failed it may know in part, and is told the next change all the same. */
  told: boolean;
  work: Promise<void>;
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
    const depart = async () => {
      await leave();
      if (player) await this.#change(player, -1);
    };
    try {
      if (player) await this.#change(player, 1);
      return { sessions: await this.#bus.present(home), depart };
    } catch (error) {
      await depart().catch(() => {}); // the first failure is the one to be told
      throw error;
    }
  }

  /** As {@link arrive}, for a session that everybody knows of already. */
  async stay(home: Topic, sessionId: string, player: Player | undefined): Promise<Stay> {
    if (player) {
      const key = topics.player(player.applicationId, player.userId);
      this.#standings.set(key, this.#standings.get(key) ?? { sessions: 0, told: true, work: Promise.resolve() });
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
    const standing = this.#standings.get(key) ?? { sessions: 0, told: false, work: Promise.resolve() };
    this.#standings.set(key, standing);
    standing.sessions += by;
    const work = standing.work.then(() => this.#tell(key, player, standing));
    standing.work = work
      .catch(() => {}) // whoever changed it was told
      .then(() => {
        if (standing.sessions === 0 && !standing.told) this.#standings.delete(key);
      });
    return work;
  }

  async #tell(key: Topic, { applicationId, userId }: Player, standing: Standing): Promise<void> {
    const isThere = standing.sessions > 0;
    if (isThere === standing.told) return;
    standing.told = isThere;
    if (isThere) await this.#watch.connected(applicationId, userId);
    else if ((await this.#bus.present(key)) === 0) await this.#watch.disconnected(applicationId, userId);
  }
}
