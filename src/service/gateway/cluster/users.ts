import type { Cluster } from '../../cluster/contract.ts';
import type { Topic } from '../../events/announcement.ts';
import type { Player, PlayerWatch, Registration, Users } from '../presence/connected-users.ts';

/**
 * Registers sessions in the cluster, and notifies the watch of players: when the first session of all nodes begins and when the
 * last one ends. What is announced then is the state at that time.
 */
export class ClusterUsers implements Users {
  readonly #cluster: Cluster;
  readonly #watch: PlayerWatch;

  constructor(cluster: Cluster, watch: PlayerWatch) {
    this.#cluster = cluster;
    this.#watch = watch;
  }

  async add(home: Topic, sessionId: string, player: Player | undefined): Promise<Registration> {
    const sessions = await this.#cluster.enter(home, sessionId);
    const registration = this.#registration(home, sessionId, player, sessions);
    try {
      if (player && sessions === 1) await this.#watch.connected(player.applicationId, player.userId);
    } catch (error) {
      await registration.remove().catch(() => {}); // Report the first failure.
      throw error;
    }
    return registration;
  }

  /** A session that another node has registered belongs to this node from now on. */
  async restore(home: Topic, sessionId: string, player: Player | undefined): Promise<Registration> {
    return this.#registration(home, sessionId, player, await this.#cluster.enter(home, sessionId));
  }

  #registration(home: Topic, sessionId: string, player: Player | undefined, sessions: number): Registration {
    return {
      sessions,
      remove: async () => {
        const left = await this.#cluster.leave(home, sessionId);
        if (player && left === 0) await this.#watch.disconnected(player.applicationId, player.userId);
      },
      forget: async () => {
        await this.#cluster.leave(home, sessionId);
      },
    };
  }
}
