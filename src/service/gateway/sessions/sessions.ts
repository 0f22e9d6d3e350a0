import { Buffer } from 'node:buffer';
import type { CloseCodeName, Resume } from '../../../model/gateway.ts';
import type { LobbyVoiceStateInput } from '../../../model/lobby.ts';
import type { PresenceUpdate } from '../../../model/presence.ts';
import type { LobbyId } from '../../../model/snowflake.ts';
import type { Core } from '../../core.ts';
import { userView } from '../../domain/accounts/user-view.ts';
import type { ApplicationRecord, GatewaySessionRecord, UserRecord } from '../../store/records.ts';
import type { PendingWork } from '../../support/pending-work.ts';
import { serviceLimits } from '../../support/service-limits.ts';
import type { Connection } from '../connection/connection.ts';
import { Deadlines } from '../connection/deadlines.ts';
import { Hub } from '../hub.ts';
import type { Identity, SessionPrincipal } from '../identify.ts';
import { Attendance, type Stay } from '../presence/connected-users.ts';
import { Presences } from '../presence/presences.ts';
import { startBotSession } from './bot-session.ts';
import { CredentialWatch, credentialOf } from './credential-watch.ts';
import type { EventLog } from './event-log.ts';
import { followCommands } from './follow-commands.ts';
import { introduceLobbies, type PlayerLobbies, startPlayerSession } from './player-session.ts';
import { readyBase } from './ready.ts';
import { notifySession, Session, type SessionOwner } from './session.ts';
import { SessionCalls } from './session-calls.ts';
import { SessionKeeper, sessionScope } from './session-keeper.ts';
import { belongsTo, mayCall, newRecord, playerOf } from './session-record.ts';

const sessionIdBytes = 16;

export interface SessionsParts {
  readonly lobbies: PlayerLobbies;
  /** Counts what is done for sessions. */
  readonly pendingWork: PendingWork;
  /** Absent: the state ends with the process, and so do the sessions. */
  readonly events?: EventLog;
}

/** Why a session is not started, and how its connection is closed. */
export interface SessionRefusal {
  readonly name: CloseCodeName;
  readonly reason?: string;
}

const tooManySessions: SessionRefusal = { name: 'RATE_LIMITED', reason: 'Too many sessions of one user.' };
const tooManyGuilds: SessionRefusal = { name: 'SHARDING_REQUIRED' };

/** Why a resume fails: the session is unknown, not the caller's or cannot be made up for; or its number is wrong. */
export type ResumeRefusal = 'gone' | 'ahead';

/**
 * The sessions of this node, from their Identify to their end. A session ends when its client says so, when what it was
 * opened with ends, or when nobody has resumed it within `serviceLimits.gatewayResumeWindowMs`.
 */
export class Sessions implements SessionOwner {
  readonly hub: Hub;
  readonly presences: Presences;
  readonly #core: Core;
  readonly #parts: SessionsParts;
  readonly #attendance: Attendance;
  readonly #calls: SessionCalls;
  readonly #keeper: SessionKeeper | undefined;
  readonly #byId = new Map<string, Session>();
  readonly #arrivals = new Map<Session, Promise<Stay>>();
  readonly #departures = new Set<Promise<void>>();
  readonly #introduceLobbies: Session['introduce'];
  readonly #toResume: Deadlines<Session>;
  readonly #credentials: CredentialWatch<Session>;
  readonly #stopping = new AbortController();
  #restored: Promise<void> | undefined;
  #isClosing = false;

  constructor(core: Core, parts: SessionsParts) {
    this.#core = core;
    this.#parts = parts;
    this.hub = new Hub(core);
    this.presences = new Presences(core);
    this.#attendance = new Attendance(core.bus, parts.lobbies);
    this.#calls = new SessionCalls(parts.lobbies.calls);
    this.#keeper = parts.events && new SessionKeeper(core, parts.events, this.#byId);
    this.#introduceLobbies = introduceLobbies(parts.lobbies);
    this.#toResume = new Deadlines(core.clock, serviceLimits.gatewayResumeWindowMs, session => this.end(session));
    this.#credentials = new CredentialWatch(core, session => this.onRecheck(session));
    parts.events?.listen(announcement => this.hub.hearersOf(announcement), this.#keeper?.onFull);
  }

  get size(): number {
    return this.#byId.size;
  }

  /** Sessions whose clients are away. */
  get resumableCount(): number {
    let count = 0;
    for (const { connection } of this.#byId.values()) if (!connection) count++;
    return count;
  }

  /** A session that hears nothing before {@link Sessions.start}. Must be ended. */
  create(connection: Connection, principal: SessionPrincipal, identity: Identity): Session {
    const id = Buffer.from(this.#core.entropy.bytes(sessionIdBytes)).toString('hex');
    const session = this.#make(newRecord(id, principal, identity));
    session.connection = connection;
    // Before anybody is told that the player is there: else nobody would know, after a crash, that he is gone.
    this.#keeper?.put(session);
    this.#arrivals.set(session, this.#attendance.arrive(session.home, id, playerOf(session.record)));
    if (principal.kind === 'user') this.#credentials.watch(session, principal.token.expires_at_ms);
    return session;
  }

  /**
   * Sends what a session begins with; from then on it lives by what is announced.
   *
   * @returns why it cannot be started; `serviceLimits.gatewaySessionsPerUserMax` counts only those whose clients are there
   */
  async start(session: Session, principal: SessionPrincipal, identity: Identity): Promise<SessionRefusal | undefined> {
    const stay = await this.#arrivals.get(session);
    if (!stay) return undefined; // ended already
    if (stay.sessions > serviceLimits.gatewaySessionsPerUserMax && !this.#makeRoom(session)) return tooManySessions;
    switch (principal.kind) {
      case 'bot':
        if (!(await this.#startBot(session, principal.application, identity))) return tooManyGuilds;
        break;
      case 'user':
        await startPlayerSession(this.#core, this.#parts.lobbies, session, principal, identity);
        break;
      case 'session':
        await startClientSession(this.#core, session, principal.user);
    }
    if (identity.presence && !session.hasEnded) await this.setPresence(session, identity.presence);
    // What ended before the session followed its home, nobody told it.
    if (!session.hasEnded) this.onRecheck(session);
    return undefined;
  }

  async setPresence(session: Session, presence: PresenceUpdate): Promise<void> {
    const created_at = this.#core.clock.now();
    const activities = presence.activities.map(pendingWork => ({ ...pendingWork, created_at }));
    const shown = { ...presence, activities };
    session.record = { ...session.record, presence: shown };
    this.#keeper?.put(session);
    await this.presences.set(session, shown);
  }

  /** The calls that the session's client is in from now on. */
  setCalls(session: Session, states: readonly LobbyVoiceStateInput[]): void {
    this.work(session, () => this.#calls.update(session, states));
  }

  /** Its client looks for the voice server of a call. */
  tellVoiceServer(session: Session, lobbyId: LobbyId): void {
    this.work(session, () => this.#calls.sendServer(session, lobbyId));
  }

  /** Lets a session go on over another connection, with all that its client has missed; RESUMED follows. */
  resume(connection: Connection, principal: SessionPrincipal, { session_id, seq }: Resume): Session | ResumeRefusal {
    const session = this.#byId.get(session_id);
    if (!session || !belongsTo(session.record, principal)) return 'gone';
    const missed = session.missedAfter(seq);
    if (typeof missed === 'string') {
      if (!session.connection) this.end(session); // it can only be begun anew
      return missed;
    }
    const former = session.connection;
    session.connection = connection;
    former?.close('NOT_AUTHENTICATED', 'The session goes on over another connection.');
    this.#toResume.drop(session);
    const renewed = { credential: credentialOf(principal), may_call: mayCall(principal), detached_at_ms: null };
    session.record = { ...session.record, ...renewed };
    if (principal.kind === 'user') this.#credentials.watch(session, principal.token.expires_at_ms);
    connection.compressesPayloads = session.record.compress;
    for (const [index, frame] of missed.entries()) connection.owe(frame, seq + index + 1);
    this.#keeper?.put(session);
    const scope = sessionScope(session.id);
    this.work(session, () => this.#core.store.transact(scope, work => notifySession(work, session, 'RESUMED', {})));
    this.onRecheck(session);
    return session;
  }

  /** Does something for a session; it ends when that fails. */
  work(session: Session, work: () => Promise<unknown>): void {
    this.#parts.pendingWork.run(work).catch((error: unknown) => {
      if (!session.hasEnded && !this.#isClosing) this.onFail(session, error);
    });
  }

  /** Its client is gone for now. */
  detach(session: Session, connection: Connection): void {
    if (session.connection !== connection) return; // another has taken over
    session.connection = undefined;
    // Without READY its client cannot know it.
    if (session.sequence === 0) this.end(session);
    if (session.hasEnded || this.#isClosing) return;
    session.record = { ...session.record, detached_at_ms: this.#core.clock.now() };
    this.#keeper?.put(session);
    this.#toResume.touch(session);
  }

  /** Idempotent. */
  end(session: Session): void {
    session.end();
    this.#toResume.drop(session);
    this.#credentials.drop(session);
    this.#byId.delete(session.id);
    const arrival = this.#arrivals.get(session);
    if (!arrival) return;
    this.#arrivals.delete(session);
    const departure = this.#parts.pendingWork
      .run(() => this.#depart(session, arrival))
      .catch((error: unknown) => this.#core.log.error({ error }, 'A session could not leave in order.'))
      .finally(() => this.#departures.delete(departure));
    this.#departures.add(departure);
  }

  /** Ends them all; what is kept of them too. */
  async endAll(): Promise<void> {
    for (const session of [...this.#byId.values()]) this.end(session);
    await this.settled();
    await this.#endLostCalls();
    await this.#keeper?.clear();
  }

  /** Resolves once everybody knows of all sessions that have ended. */
  async settled(): Promise<void> {
    await Promise.all(this.#departures);
  }

  /** From here on leaves the sessions as they are, for the next process to go on with. */
  async stop(): Promise<void> {
    this.#isClosing = true;
    this.#stopping.abort();
    await this.#restored;
    this.#toResume.close();
    this.#credentials.close();
    await this.#keeper?.stop();
  }

  /**
   * Takes over the sessions of a former process; to be called before anything is announced. From then on all know who is
   * there, while the sessions hold what they hear: what they missed is read beside the traffic. See {@link restored}.
   */
  async restore(): Promise<void> {
    const keeper = this.#keeper;
    if (!keeper) return;
    const { resumable, ended } = await keeper.leftovers();
    await keeper.begin();
    const revived: Session[] = [];
    for (const record of resumable) {
      const session = await this.#tryRevive(record);
      if (session) revived.push(session);
    }
    if (revived.length === 0 && ended.length === 0 && keeper.isEmpty) return this.#endLostCalls();
    const { pendingWork } = this.#parts;
    this.#restored = pendingWork
      .runAside(() => this.#catchUp(keeper, revived, ended))
      .catch((error: unknown) => {
        this.#core.log.error({ error }, 'The sessions of a former process could not go on.');
        for (const session of revived) if (session.isHolding) this.end(session);
      })
      .finally(() => {
        this.#restored = undefined;
      });
  }

  /** Resolves when the sessions of a former process can be resumed and new ones begin; undefined when they can. */
  get restored(): Promise<void> | undefined {
    return this.#restored;
  }

  onSettled(session: Session): void {
    if (!this.#keeper) return;
    session.record = { ...session.record, base: this.#keeper.baseOf(session) };
    this.#keeper.put(session);
  }

  onRecheck(session: Session): void {
    this.work(session, async () => {
      if ((await this.#credentials.check(session)) || session.hasEnded) return;
      const { connection } = session;
      this.end(session);
      connection?.close('NOT_AUTHENTICATED', 'What the session was opened with has ended.');
    });
  }

  onFail(session: Session, error: unknown): void {
    this.#core.log.error({ error }, 'A session lost its state.');
    const { connection } = session;
    this.end(session);
    connection?.close('SESSION_TIMED_OUT', 'The session cannot go on.');
  }

  #make(record: GatewaySessionRecord): Session {
    const session = new Session(record, this);
    if (record.kind === 'user') session.introduce = this.#introduceLobbies;
    this.#byId.set(record.id, session);
    return session;
  }

  async #depart(session: Session, arrival: Promise<Stay>): Promise<void> {
    const stay = await arrival;
    await this.presences.leave(session);
    if (playerOf(session.record)) await this.#parts.lobbies.calls.end(session.id);
    await stay.depart();
    this.#keeper?.delete(session);
  }

  /** Of sessions that a former process had, or a state that was put in place of another. */
  #endLostCalls(): Promise<void> {
    return this.#parts.lobbies.calls.endOthers(id => this.#byId.has(id));
  }

  /** Makes a session anew that holds what it hears until it is brought up to date. */
  async #revive(record: GatewaySessionRecord): Promise<Session> {
    const session = this.#make(record);
    const player = playerOf(record);
    this.#arrivals.set(session, this.#attendance.stay(session.home, record.id, player));
    await this.#arrivals.get(session);
    this.presences.revive(session);
    for (const topic of record.base?.following ?? []) await session.follow(topic);
    this.#toResume.touch(session, record.detached_at_ms ?? this.#core.clock.now());
    return session;
  }

  /** Undefined for one that cannot be restored: its client has to identify, and the others go on. */
  async #tryRevive(record: GatewaySessionRecord): Promise<Session | undefined> {
    try {
      return await this.#revive(record);
    } catch (error) {
      this.#core.log.error({ error, session: record.id }, 'A session of a former process could not go on.');
      const begun = this.#byId.get(record.id);
      if (begun) this.end(begun);
      return undefined;
    }
  }

  /** Lets sessions that were made anew relive what they heard before, and ends those that are over. */
  async #catchUp(
    keeper: SessionKeeper,
    revived: readonly Session[],
    ended: readonly GatewaySessionRecord[],
  ): Promise<void> {
    const { signal } = this.#stopping;
    const from = Math.min(...revived.map(({ heardUpTo }) => heardUpTo));
    if (revived.length > 0 && !(await keeper.repeat(from, announced => this.hub.repeat(announced), signal))) {
      if (signal.aborted) return;
      this.#core.log.warn({ sessions: revived.length }, 'Not all of the kept events can be read; the sessions end.');
      for (const session of revived) this.end(session);
    }
    for (const session of revived) {
      if (signal.aborted) return;
      if (session.hasEnded) continue;
      const end = await this.#credentials.end(session.record);
      if (end === undefined) this.end(session);
      else if (!session.hasEnded) {
        this.#credentials.watch(session, end);
        keeper.put(session);
        session.goOn();
      }
    }
    await this.#endLostCalls();
    for (const record of ended) {
      if (signal.aborted) return;
      await this.#bury(record);
    }
    if (this.size === 0) await keeper.clear();
  }

  async #bury(record: GatewaySessionRecord): Promise<void> {
    const player = playerOf(record);
    if (player) await this.#attendance.missed(player);
    this.#keeper?.delete(new Session(record, this));
  }

  #startBot(session: Session, application: ApplicationRecord, identity: Identity): Promise<boolean> {
    return startBotSession(this.#core, session, { application, identity, presences: this.presences });
  }

  #makeRoom(session: Session): boolean {
    for (const other of this.#byId.values()) {
      if (other.home !== session.home || other.connection) continue;
      this.end(other);
      return true;
    }
    return false;
  }
}

/** Starts the session of a user's own client, which receives events about its commands: their answers, and which commands there are. */
async function startClientSession(core: Core, session: Session, user: UserRecord): Promise<void> {
  await session.follow(session.home);
  await followCommands(core, session, user.id);
  session.emit('READY', { ...readyBase(core, session), user: userView(user) });
  session.release();
}
