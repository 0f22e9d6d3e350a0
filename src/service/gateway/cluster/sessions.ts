import { type Cancel, systemClock } from '../../../wire/clock/ports.ts';
import { type Cluster, type DepartedNode, EventsLostError } from '../../cluster/contract.ts';
import type { Core } from '../../core.ts';
import type { Topic } from '../../events/announcement.ts';
import type { GatewaySessionRecord } from '../../store/records.ts';
import { serviceLimits } from '../../support/service-limits.ts';
import type { SessionPrincipal } from '../identify.ts';
import type { PlayerWatch, Registration } from '../presence/connected-users.ts';
import type { Session } from '../sessions/session.ts';
import { holdsClaim, homeOf, mayContinue, playerOf } from '../sessions/session-record.ts';
import { catchUp } from './catch-up.ts';
import { claimSession } from './claims.ts';
import { ClusterPresences } from './presences.ts';
import { ClusterStorage } from './storage.ts';
import { ClusterUsers } from './users.ts';

/** The sessions of this node, as far as their place in the cluster is concerned. */
export interface NodeSessions {
  readonly byId: ReadonlyMap<string, Session>;
  /** Creates a session from its record. It holds what it receives. */
  revive(record: GatewaySessionRecord): Promise<Session>;
  /** Ends a session, and notifies everybody. */
  end(session: Session): void;
  /** Drops a session that another node has, and closes its connection. Nobody else is notified. */
  forget(session: Session): void;
  /** Notifies everybody that a session, which is closed in the store, has ended. */
  bury(record: GatewaySessionRecord, registration: Registration): Promise<void>;
}

/** How often departed nodes and sessions without one are looked for, on the machine's own time. */
const sweepMs = 5000;
/** How often, over all nodes, the sessions of a departed node are read. */
const leaseMs = 10_000;
/** How long a new session waits for events that were committed before it. */
const caughtUpMsMax = 1000;
/** Sessions that are ended together. */
const chunkSize = 32;

/** Lets sessions go on at any node of a cluster, and ends those that nobody continues. */
export class ClusterSessions {
  readonly storage: ClusterStorage;
  readonly presences: ClusterPresences;
  readonly users: ClusterUsers;
  readonly #core: Core;
  readonly #cluster: Cluster;
  readonly #sessions: NodeSessions;
  /** The last resume of each session. */
  readonly #turns = new Map<string, Promise<unknown>>();
  /** Stored sessions of this node that it does not have, and whether they must end now: others can be resumed. */
  readonly #strays = new Map<string, { readonly hasEnded: boolean }>();
  #timer: Cancel | undefined;
  #sweeping: Promise<void> = Promise.resolve();
  #stopListening: Cancel | undefined;
  #isStopped = false;

  constructor(core: Core, cluster: Cluster, sessions: NodeSessions, watch: PlayerWatch) {
    this.#core = core;
    this.#cluster = cluster;
    this.#sessions = sessions;
    this.storage = new ClusterStorage(core, cluster, sessions.byId, session => sessions.forget(session));
    this.presences = new ClusterPresences(core.store);
    this.users = new ClusterUsers(cluster, watch);
  }

  start(): void {
    this.#stopListening = this.#cluster.onLost(() => this.#endAll());
    this.#arm();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#timer?.();
    this.#stopListening?.();
    await this.storage.stop();
    await this.#sweeping;
  }

  /**
   * Resolves when what was committed before the call has been delivered here: a session that follows its topics only then receives
   * no event of what was acknowledged before its Identify. Events can be held back, so it waits no longer than a bounded time.
   */
  async caughtUp(): Promise<void> {
    let cancel: Cancel | undefined;
    const late = new Promise<void>(resolve => {
      cancel = systemClock.schedule(caughtUpMsMax, resolve);
    });
    await Promise.race([this.#cluster.caughtUp().catch(() => {}), late]);
    cancel?.();
  }

  /**
   * The session with all that it received, at this node from now on; undefined when there is no such session, it is another user's, or
   * it cannot go on.
   */
  own(id: string, principal: SessionPrincipal): Promise<Session | undefined> {
    const turn = (this.#turns.get(id) ?? Promise.resolve()).then(() => this.#own(id, principal));
    const done: Promise<void> = turn
      .catch(() => {}) // The caller receives the error.
      .then(() => {
        if (this.#turns.get(id) === done) this.#turns.delete(id);
      });
    this.#turns.set(id, done);
    return turn;
  }

  async #own(id: string, principal: SessionPrincipal): Promise<Session | undefined> {
    const local = this.#sessions.byId.get(id);
    if (local) {
      if (!mayContinue(local.record, principal)) return undefined;
      if (await holdsClaim(this.#core.store, local.record)) return local.hasEnded ? undefined : local;
      if (!local.hasEnded) this.#sessions.forget(local);
    }
    const known = await this.#core.store.get('gateway_sessions', id);
    if (!known?.base || !mayContinue(known, principal)) return undefined;
    if (this.#isOver(known, await this.#departedNode(known.node))) return undefined;
    const detached_at_ms = known.detached_at_ms ?? this.#core.clock.now();
    try {
      const record = await claimSession(this.#core.store, this.#cluster.node, id, stored =>
        stored.base ? { ...stored, detached_at_ms } : undefined,
      );
      if (!record) return undefined;
      this.#core.metrics.takeovers++;
      return await this.#revive(record);
    } catch (error) {
      const begun = this.#sessions.byId.get(id);
      if (begun) this.#sessions.forget(begun);
      this.#strays.set(id, { hasEnded: false }); // Its client will try again.
      throw error;
    }
  }

  async #revive(record: GatewaySessionRecord): Promise<Session | undefined> {
    const session = await this.#sessions.revive(record);
    try {
      await catchUp(this.#cluster, session);
    } catch (error) {
      if (!(error instanceof EventsLostError)) throw error;
      this.#core.log.warn({ error, session: record.id }, 'A session cannot go on; its client identifies again.');
      if (!session.hasEnded) this.#sessions.end(session);
    }
    return session.hasEnded ? undefined : session;
  }

  /** Ends a session of another node that has no connection, so that the user can have a new one. @returns whether there was one */
  async makeRoom(home: Topic, userId: string): Promise<boolean> {
    const departed = new Set((await this.#cluster.departed()).map(({ id }) => id));
    const records = await this.#core.store.list('gateway_sessions', { index: 'byUser', equals: [userId] });
    for (const record of records) {
      if (homeOf(record) !== home || this.#sessions.byId.has(record.id)) continue;
      const isDetached = record.detached_at_ms !== null || departed.has(record.node ?? '');
      if (isDetached && (await this.#end(record))) return true;
    }
    return false;
  }

  async #departedNode(id: string | null): Promise<DepartedNode | undefined> {
    if (id === this.#cluster.node) return undefined;
    return (await this.#cluster.departed()).find(node => node.id === id);
  }

  /** Whether a session can no longer be resumed. */
  #isOver({ base, detached_at_ms }: GatewaySessionRecord, node: DepartedNode | undefined): boolean {
    const { gatewayResumeWindowMs: windowMs } = serviceLimits;
    if (base === null || (node && node.goneForMs >= windowMs)) return true;
    return detached_at_ms !== null && detached_at_ms + windowMs <= this.#core.clock.now();
  }

  #arm(): void {
    if (!this.#isStopped) this.#timer = systemClock.schedule(sweepMs, () => this.#sweepAndArm());
  }

  #sweepAndArm(): void {
    this.#sweeping = this.sweep()
      .catch((error: unknown) =>
        this.#core.log.warn({ error }, 'The sessions of departed nodes could not be ended; it is tried again.'),
      )
      .finally(() => this.#arm());
  }

  /** Ends the sessions of departed nodes that nobody has resumed in time, and those that this node has lost track of. */
  async sweep(): Promise<void> {
    await this.#sweepStrays();
    for (const node of await this.#cluster.departed()) if (await this.#isMine(node)) await this.#sweepNode(node);
  }

  /** One node is enough, but several do no harm. The lease is not released, so that nobody looks again immediately. */
  async #isMine({ id }: DepartedNode): Promise<boolean> {
    try {
      return (await this.#core.bus.lease(`gateway/${id}`, leaseMs)) !== undefined;
    } catch {
      return true; // Without leases every node looks.
    }
  }

  async #sweepNode(node: DepartedNode): Promise<void> {
    const records = await this.#core.store.list('gateway_sessions', { index: 'byNode', equals: [node.id] });
    if (records.length === 0) {
      // A node that is only slow may still have one to store.
      if (node.goneForMs >= serviceLimits.gatewayResumeWindowMs) await this.#cluster.forget(node.id);
      return;
    }
    await this.#endEach(records.filter(record => this.#isOver(record, node)));
  }

  /** The end of a session of this node could not be stored, or not everybody could be notified. */
  stray(id: string): void {
    this.#strays.set(id, { hasEnded: true });
  }

  async #sweepStrays(): Promise<void> {
    for (const [id, { hasEnded }] of [...this.#strays]) {
      if (this.#turns.has(id)) continue;
      const record = await this.#core.store.get('gateway_sessions', id);
      const isStray = record?.node === this.#cluster.node && !this.#sessions.byId.has(id);
      if (isStray && !hasEnded && !this.#isOver(record, undefined)) continue;
      this.#strays.delete(id);
      if (isStray) await this.#end(record);
    }
  }

  async #endEach(records: readonly GatewaySessionRecord[]): Promise<void> {
    for (let at = 0; at < records.length && !this.#isStopped; at += chunkSize) {
      await Promise.all(records.slice(at, at + chunkSize).map(record => this.#end(record)));
    }
  }

  /** Ends a session that no node runs. @returns false when somebody has taken it over meanwhile */
  async #end({ id, node, claim }: GatewaySessionRecord): Promise<boolean> {
    try {
      const record = await claimSession(this.#core.store, this.#cluster.node, id, stored =>
        stored.node === node && stored.claim === claim ? { ...stored, base: null } : undefined,
      );
      if (!record) return false;
      await this.#sessions.bury(record, await this.users.restore(homeOf(record), id, playerOf(record)));
    } catch (error) {
      this.stray(id);
      throw error;
    }
    return true;
  }

  /** This node has missed events. */
  #endAll(): void {
    const { log } = this.#core;
    log.error({ sessions: this.#sessions.byId.size }, 'Events were missed; all sessions are closed and begin anew.');
    for (const session of [...this.#sessions.byId.values()]) {
      const { connection } = session;
      this.#sessions.end(session);
      connection?.close('SESSION_TIMED_OUT', 'The session cannot continue.');
    }
  }
}

/** For `createGateway`: the sessions of a node of a cluster. */
export function clusterSessions(core: Core, cluster: Cluster) {
  return (sessions: NodeSessions, watch: PlayerWatch) => new ClusterSessions(core, cluster, sessions, watch);
}
