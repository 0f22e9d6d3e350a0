import { Buffer } from 'node:buffer';
import type { CloseCodeName, Resume } from '../../../model/gateway.ts';
import type { LobbyVoiceStateInput } from '../../../model/lobby.ts';
import type { PresenceUpdate } from '../../../model/presence.ts';
import type { LobbyId } from '../../../model/snowflake.ts';
import { BusError } from '../../bus/errors.ts';
import type { Core } from '../../core.ts';
import { StoreError } from '../../store/errors.ts';
import type { ApplicationRecord, GatewaySessionRecord } from '../../store/records.ts';
import type { MaybePromise } from '../../support/maybe-promise.ts';
import type { PendingWork } from '../../support/pending-work.ts';
import { serviceLimits } from '../../support/service-limits.ts';
import type { ClusterSessions, NodeSessions } from '../cluster/sessions.ts';
import type { Connection } from '../connection/connection.ts';
import { Deadlines } from '../connection/deadlines.ts';
import { Hub } from '../hub.ts';
import type { Identity, SessionPrincipal } from '../identify.ts';
import { ConnectedUsers, type PlayerWatch, type Registration, type Users } from '../presence/connected-users.ts';
import { type PacedSessions, PresencePace } from '../presence/presence-pace.ts';
import type { GivenPresence } from '../presence/presence-update.ts';
import { LocalPresences, type Presences } from '../presence/presences.ts';
import { SocialPresences } from '../presence/social-presences.ts';
import { startBotSession } from './bot-session.ts';
import { startClientSession } from './client-session.ts';
import { CredentialWatch, credentialOf } from './credential-watch.ts';
import type { EventLog } from './event-log.ts';
import { introduceOf, type PlayerLobbies, startPlayerSession } from './player-session.ts';
import { RestartStorage } from './restart-storage.ts';
import { Restoration, type RestoredSessions } from './restoration.ts';
import { notifySession, Session, type SessionOwner } from './session.ts';
import { SessionCalls } from './session-calls.ts';
import { mayCall, mayContinue, maySetPresence, newRecord, playerOf } from './session-record.ts';
import { type SessionStorage, sessionScope } from './storage.ts';

const sessionIdBytes = 16;

export interface SessionsParts {
  readonly lobbies: PlayerLobbies;
  /** Counts work that is done for sessions. */
  readonly pendingWork: PendingWork;
  /** Absent: the state ends with the process, and so do the sessions. */
  readonly events?: EventLog;
  /** Present on a node of a cluster. */
  readonly cluster?: (sessions: NodeSessions, watch: PlayerWatch) => ClusterSessions;
}

/** Why a session is not started, and how its connection is closed. */
export interface SessionRefusal {
  readonly name: CloseCodeName;
  readonly reason?: string;
}

const continuesElsewhere = 'The session continues over another connection.';
const tooManySessions: SessionRefusal = { name: 'RATE_LIMITED', reason: 'Too many sessions of one user.' };
const tooManyGuilds: SessionRefusal = { name: 'SHARDING_REQUIRED' };

/** Why a resume fails: the session is unknown, another user's or cannot be replayed; or the number is wrong. */
export type ResumeRefusal = 'gone' | 'ahead';

/**
 * The sessions of this node, from Identify to their end. A session ends when its client ends it, when its credential
 * ends, or when it is not resumed within `serviceLimits.gatewayResumeWindowMs`.
 */
export class Sessions implements SessionOwner, NodeSessions, PacedSessions, RestoredSessions {
  readonly hub: Hub;
  readonly presences: Presences;
  readonly onEmit: SessionOwner['onEmit'];
  readonly #social: SocialPresences;
  readonly #pace: PresencePace;
  readonly #core: Core;
  readonly #parts: SessionsParts;
  readonly byId = new Map<string, Session>();
  readonly #cluster: ClusterSessions | undefined;
  readonly #users: Users;
  /** The same as {@link #users} and {@link presences} where there is only one process. */
  readonly #localUsers: ConnectedUsers;
  readonly #localPresences: LocalPresences;
  readonly #calls: SessionCalls;
  readonly #storage: SessionStorage | undefined;
  /** The same, where there is only one process. */
  readonly #restartStorage: RestartStorage | undefined;
  readonly #registrations = new Map<Session, Promise<Registration>>();
  readonly #departures = new Set<Promise<void>>();
  readonly #introduce: Session['introduce'];
  readonly #toResume: Deadlines<Session>;
  readonly #credentials: CredentialWatch<Session>;
  readonly #restoration: Restoration;
  #isClosing = false;

  constructor(core: Core, parts: SessionsParts) {
    this.#core = core;
    this.#parts = parts;
    this.hub = new Hub(core);
    const { activity } = core;
    this.onEmit = activity && ((session, name, data) => activity.emitted(session, name, data));
    this.#localPresences = new LocalPresences(core);
    this.#social = new SocialPresences(core);
    this.#pace = new PresencePace(core, this);
    this.#restoration = new Restoration(core, this, parts.pendingWork);
    this.#localUsers = new ConnectedUsers(core.bus, parts.lobbies);
    this.#restartStorage = parts.events && new RestartStorage(core, parts.events, this.byId);
    this.#cluster = parts.cluster?.(this, parts.lobbies);
    this.presences = this.#cluster?.presences ?? this.#localPresences;
    this.#users = this.#cluster?.users ?? this.#localUsers;
    this.#storage = this.#cluster?.storage ?? this.#restartStorage;
    this.#calls = new SessionCalls(parts.lobbies.calls);
    this.#introduce = introduceOf(core, parts.lobbies);
    this.#toResume = new Deadlines(core.clock, serviceLimits.gatewayResumeWindowMs, session => this.end(session));
    this.#credentials = new CredentialWatch(core, session => this.onRecheck(session));
    parts.events?.listen(announcement => this.hub.receiversOf(announcement), this.#restartStorage?.onFull);
  }

  get size(): number {
    return this.byId.size;
  }

  /** Sessions without a connection. */
  get resumableCount(): number {
    let count = 0;
    for (const { connection } of this.byId.values()) if (!connection) count++;
    return count;
  }

  /** Creates a session that receives nothing before {@link Sessions.start}. It must be ended. */
  create(connection: Connection, principal: SessionPrincipal, identity: Identity): Session {
    const id = Buffer.from(this.#core.entropy.bytes(sessionIdBytes)).toString('hex');
    const session = this.#make(newRecord(id, principal, identity));
    session.connection = connection;
    // Before the player is announced as connected: otherwise a crash would leave nobody who knows that the player has
    // gone.
    const stored = this.#storage?.add(session);
    const register = () => this.#users.add(session.home, id, playerOf(session.record));
    this.#registrations.set(session, stored ? stored.then(register) : register());
    if (principal.kind === 'user') this.#credentials.watch(session, principal.token.expires_at_ms);
    return session;
  }

  /**
   * Sends the first events of a session; from then on it sends what is announced.
   *
   * @returns why it cannot be started; `serviceLimits.gatewaySessionsPerUserMax` counts only sessions with a
   *   connection
   */
  async start(session: Session, principal: SessionPrincipal, identity: Identity): Promise<SessionRefusal | undefined> {
    const [registration] = await Promise.all([this.#registrations.get(session), this.#cluster?.caughtUp()]);
    if (!registration) return undefined; // The session has ended already.
    // Its client may know of it only when another process can continue it.
    if (this.#storage) session.connection?.withhold();
    if (registration.sessions > serviceLimits.gatewaySessionsPerUserMax && !(await this.#makeRoom(session)))
      return tooManySessions;
    if (principal.kind !== 'bot') await this.#social.enter(session);
    switch (principal.kind) {
      case 'bot':
        if (!(await this.#startBot(session, principal.application, identity))) return tooManyGuilds;
        break;
      case 'user':
        await startPlayerSession(this.#core, this.#parts.lobbies, session, principal, identity);
        break;
      case 'session':
        await startClientSession(this.#core, session, principal, identity);
    }
    if (identity.presence && !session.hasEnded) await this.setPresence(session, identity.presence);
    // The credential may have ended before the session followed its own topic.
    if (!session.hasEnded) this.onRecheck(session);
    return undefined;
  }

  /** The client of a player's session, or a user's own one, shows a presence. */
  showPresence(session: Session, presence: GivenPresence): void {
    if (session.record.may_set_presence) this.#pace.put(session, presence);
  }

  async setPresence(session: Session, presence: GivenPresence): Promise<void> {
    const shown = session.record.kind === 'bot' ? this.#dated(presence) : await this.#social.set(session, presence);
    if (this.#restartStorage) {
      session.record = { ...session.record, presence: shown };
      this.#restartStorage.put(session);
    }
    await this.presences.set(session, shown);
  }

  keepWaiting(session: Session, presence: GivenPresence | undefined): void {
    const { waiting_presence: _, ...record } = session.record;
    session.record = presence ? { ...record, waiting_presence: presence } : record;
    this.#storage?.put(session);
  }

  #dated({ status, activities, ...rest }: GivenPresence): PresenceUpdate {
    const created_at = this.#core.clock.now();
    const shown = activities.map(activity => ({ ...activity, created_at }));
    return { ...rest, status: status === 'unknown' ? 'online' : status, activities: shown };
  }

  /** Sets the calls that the session's client is in. */
  setCalls(session: Session, states: readonly LobbyVoiceStateInput[]): void {
    this.work(session, () => this.#calls.update(session, states));
  }

  /** Its client requests the voice server of a call. */
  sendVoiceServer(session: Session, lobbyId: LobbyId): void {
    this.work(session, () => this.#calls.sendServer(session, lobbyId));
  }

  /** Continues a session over another connection, with all that its client has missed; RESUMED follows. */
  resume(
    connection: Connection,
    principal: SessionPrincipal,
    resume: Resume,
  ): MaybePromise<Session | ResumeRefusal | undefined> {
    const { session_id: id } = resume;
    if (!this.#cluster) return this.#continue(this.byId.get(id), connection, principal, resume);
    return this.#cluster.own(id, principal).then(session => {
      if (connection.open) return this.#continue(session, connection, principal, resume);
      if (session && !session.connection) this.#toResume.touch(session);
      return undefined;
    });
  }

  #continue(
    session: Session | undefined,
    connection: Connection,
    principal: SessionPrincipal,
    { seq }: Resume,
  ): Session | ResumeRefusal {
    if (!session || !mayContinue(session.record, principal)) return 'gone';
    const missed = session.missedAfter(seq);
    if (typeof missed === 'string') {
      if (!session.connection) this.end(session); // The client must identify again.
      return missed;
    }
    const former = session.connection;
    session.connection = connection;
    former?.close('NOT_AUTHENTICATED', continuesElsewhere);
    this.#toResume.drop(session);
    const rights = { may_call: mayCall(principal), may_set_presence: maySetPresence(principal) };
    session.record = { ...session.record, credential: credentialOf(principal), ...rights, detached_at_ms: null };
    if (principal.kind === 'user') this.#credentials.watch(session, principal.token.expires_at_ms);
    connection.compressesPayloads = session.record.compress;
    for (const [index, frame] of missed.entries()) connection.owe(frame, seq + index + 1);
    this.#storage?.put(session);
    const scope = sessionScope(session.id);
    this.work(session, () => this.#core.store.transact(scope, work => notifySession(work, session, 'RESUMED', {})));
    this.onRecheck(session);
    this.#pace.goOn(session);
    return session;
  }

  /**
   * Runs work for a session, which ends when the work fails. In a cluster only its connection ends while the store or
   * the bus is away.
   */
  work(session: Session, work: () => Promise<unknown>): void {
    this.#parts.pendingWork.run(work).catch((error: unknown) => {
      if (session.hasEnded || this.#isClosing) return;
      const isAway = error instanceof StoreError || error instanceof BusError;
      if (!this.#cluster || !isAway || session.isHolding) return this.onFail(session, error);
      this.#core.log.warn({ error }, 'The store or the bus is away; a connection was closed, and its session waits.');
      session.connection?.close('UNKNOWN_ERROR', 'Try again.');
    });
  }

  /** Its connection is lost. */
  detach(session: Session, connection: Connection): void {
    if (session.connection !== connection) return; // Another connection has taken over.
    session.connection = undefined;
    // Without READY its client cannot know it.
    if (session.sequence === 0) this.end(session);
    if (session.hasEnded || this.#isClosing) return;
    session.record = { ...session.record, detached_at_ms: this.#core.clock.now() };
    this.#storage?.put(session);
    this.#toResume.touch(session);
  }

  /** Idempotent. */
  end(session: Session): void {
    session.end();
    this.#toResume.drop(session);
    this.#credentials.drop(session);
    this.#pace.drop(session);
    this.byId.delete(session.id);
    const pending = this.#registrations.get(session);
    if (!pending) return;
    this.#registrations.delete(session);
    const departure = this.#parts.pendingWork
      .run(() => this.#remove(session, pending))
      .catch((error: unknown) => {
        this.#core.log.error({ error }, 'A session could not be closed cleanly.');
        this.#cluster?.stray(session.id);
      })
      .finally(() => this.#departures.delete(departure));
    this.#departures.add(departure);
  }

  /** Ends all sessions, including their stored state. */
  async endAll(): Promise<void> {
    for (const session of [...this.byId.values()]) this.end(session);
    await this.settled();
    await this.endLostCalls();
    await this.#storage?.clear();
  }

  /** Resolves once all parts have been notified of the sessions that have ended. */
  async settled(): Promise<void> {
    await Promise.all(this.#departures);
  }

  /** Leaves the sessions as they are, for the next process to continue. */
  async stop(): Promise<void> {
    this.#isClosing = true;
    await this.#restoration.stop();
    this.#toResume.close();
    this.#pace.close();
    this.#credentials.close();
    await (this.#cluster ?? this.#storage)?.stop();
  }

  /** @see Restoration */
  async restore(): Promise<void> {
    this.#cluster?.start();
    if (this.#restartStorage && !this.#cluster) await this.#restoration.begin(this.#restartStorage);
  }

  /** Resolves when restored sessions can be resumed and new ones can begin; undefined when they can already. */
  get restored(): Promise<void> | undefined {
    return this.#restoration.under;
  }

  /** Drops a session that another node has, and closes its connection. Nobody else is notified. */
  forget(session: Session): void {
    const { connection } = session;
    session.end();
    this.#toResume.drop(session);
    this.#credentials.drop(session);
    this.#pace.drop(session);
    if (this.byId.get(session.id) === session) this.byId.delete(session.id);
    this.#registrations.delete(session);
    connection?.close('NOT_AUTHENTICATED', continuesElsewhere);
  }

  async bury(record: GatewaySessionRecord, registration: Registration): Promise<void> {
    const session = new Session(record, this);
    session.end();
    await this.#depart(session, registration);
  }

  onSettled(session: Session): void {
    // In one process events are delivered with their commit, so that none is still to come that the session has read.
    if (!this.#cluster) session.forgetSeen();
    void this.#settle(session);
  }

  async #settle(session: Session): Promise<void> {
    await this.#storage?.settled(session);
    // One that holds events again is not stored yet.
    if (!session.isHolding) session.connection?.proceed();
  }

  onTaken(session: Session): void {
    this.forget(session);
  }

  onRecheck(session: Session): void {
    this.work(session, async () => {
      if ((await this.#credentials.check(session)) || session.hasEnded) return;
      const { connection } = session;
      this.end(session);
      connection?.close('NOT_AUTHENTICATED', 'The credential of the session has ended.');
    });
  }

  onFail(session: Session, error: unknown): void {
    this.#core.log.error({ error }, 'A session lost its state and was closed; its client identifies again.');
    const { connection } = session;
    this.end(session);
    connection?.close('SESSION_TIMED_OUT', 'The session cannot continue.');
  }

  #make(record: GatewaySessionRecord): Session {
    const session = new Session(record, this);
    if (record.kind !== 'bot') session.introduce = this.#introduce;
    this.byId.set(record.id, session);
    return session;
  }

  async #remove(session: Session, pending: Promise<Registration>): Promise<void> {
    const registration = await pending;
    // On a node that was frozen, or lost its connection to the store, the session may be another's by now.
    if (this.#cluster && !(await this.#cluster.storage.close(session))) return registration.forget();
    await this.#depart(session, registration);
  }

  async #depart(session: Session, registration: Registration): Promise<void> {
    await this.presences.leave(session);
    await this.#social.leave(session.record);
    if (playerOf(session.record)) await this.#parts.lobbies.calls.end(session.id);
    await registration.remove();
    // Here and not before, so that another process can complete what this one did not.
    await this.#storage?.delete(session);
  }

  /** Ends the calls of sessions of a former process, or of a state that replaced another. */
  endLostCalls(): Promise<void> {
    const { calls } = this.#parts.lobbies;
    if (!this.#cluster) return calls.endOthers(id => this.byId.has(id));
    return calls.endOthers(async id => (await this.#core.store.get('gateway_sessions', id)) !== undefined);
  }

  /** Creates a restored session, which holds new events until it has received the earlier ones. */
  async revive(record: GatewaySessionRecord): Promise<Session> {
    const session = this.#make(record);
    const player = playerOf(record);
    this.#registrations.set(session, this.#users.restore(session.home, record.id, player));
    await this.#registrations.get(session);
    if (!this.#cluster) this.#localPresences.revive(session);
    for (const topic of record.base?.following ?? []) await session.follow(topic);
    this.#toResume.touch(session, record.detached_at_ms ?? this.#core.clock.now());
    return session;
  }

  /** Ends a restored session when its credential ends. @returns whether that has not happened yet */
  async watch(session: Session): Promise<boolean> {
    const end = await this.#credentials.end(session.record);
    if (end === undefined) return false;
    if (!session.hasEnded) this.#credentials.watch(session, end);
    return true;
  }

  /** Notifies everybody that a session of a former process has ended. */
  async leave(record: GatewaySessionRecord): Promise<void> {
    const player = playerOf(record);
    if (player) await this.#localUsers.missed(player);
    await this.#social.leave(record);
    this.#restartStorage?.delete(new Session(record, this));
  }

  #startBot(session: Session, application: ApplicationRecord, identity: Identity): Promise<boolean> {
    return startBotSession(this.#core, session, { application, identity, presences: this.presences });
  }

  #makeRoom(session: Session): MaybePromise<boolean> {
    for (const other of this.byId.values()) {
      if (other.home !== session.home || other.connection) continue;
      this.end(other);
      return true;
    }
    return this.#cluster?.makeRoom(session.home, session.record.user_id) ?? false;
  }
}
