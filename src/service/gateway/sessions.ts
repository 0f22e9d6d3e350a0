import { limits } from '../../model/limits.ts';
import type { UserId } from '../../model/snowflake.ts';
import { type Topic, topics } from '../announcement.ts';
import type { Core } from '../core.ts';
import { botUserId } from '../domain/guild-view.ts';
import { Attendance, type Player, type Stay } from './attendance.ts';
import { startBotSession } from './bot-session.ts';
import { startClientSession } from './client-session.ts';
import type { Connection } from './connection.ts';
import { Hub } from './hub.ts';
import type { Identity, SessionPrincipal } from './identify.ts';
import { type PlayerLobbies, startPlayerSession } from './player-session.ts';
import { Session } from './session.ts';

const sessionIdBytes = 16;

/** The sessions of this node, from their Identify to their end. */
export class Sessions {
  readonly #core: Core;
  readonly #lobbies: PlayerLobbies;
  readonly #hub: Hub;
  readonly #attendance: Attendance;
  readonly #arrivals = new Map<Session, Promise<Stay>>();
  readonly #departures = new Set<Promise<void>>();

  constructor(core: Core, lobbies: PlayerLobbies) {
    this.#core = core;
    this.#lobbies = lobbies;
    this.#hub = new Hub(core);
    this.#attendance = new Attendance(core.bus, lobbies);
  }

  get size(): number {
    return this.#arrivals.size;
  }

  /** A session that hears nothing before {@link Sessions.start}. Must be ended. */
  create(connection: Connection, principal: SessionPrincipal, { intents, shard }: Identity): Session {
    const isBot = principal.kind === 'bot';
    const session = new Session(
      {
        id: Buffer.from(this.#core.entropy.bytes(sessionIdBytes)).toString('hex'),
        home: homeOf(principal),
        userId: userOf(principal),
        intents: principal.kind === 'session' ? undefined : intents,
        shard: isBot ? shard : undefined,
        hub: this.#hub,
        onFail: (failed, error) => this.#fail(failed, error),
      },
      connection,
    );
    this.#arrivals.set(session, this.#attendance.arrive(session.home, session.id, playerOf(principal)));
    return session;
  }

  /**
   * Sends what a session begins with; from then on it lives by what is announced.
   *
   * @returns false when its user has `limits.gatewaySessionsPerUserMax` others
   */
  async start(session: Session, principal: SessionPrincipal, identity: Identity): Promise<boolean> {
    const stay = await this.#arrivals.get(session);
    if (!stay) return true; // ended already
    if (stay.sessions > limits.gatewaySessionsPerUserMax) return false;
    switch (principal.kind) {
      case 'bot':
        await startBotSession(this.#core, session, principal.application, identity);
        break;
      case 'user':
        await startPlayerSession(this.#core, this.#lobbies, session, principal, identity);
        break;
      case 'session':
        await startClientSession(this.#core, session, principal.user);
    }
    return true;
  }

  /** Idempotent. */
  end(session: Session): void {
    session.end();
    const arrival = this.#arrivals.get(session);
    if (!arrival) return;
    this.#arrivals.delete(session);
    const departure = arrival
      .then(stay => stay.depart())
      .catch((error: unknown) => this.#core.log.error({ error }, 'A session could not leave in order.'))
      .finally(() => this.#departures.delete(departure));
    this.#departures.add(departure);
  }

  /** Resolves once everybody knows of all sessions that have ended. */
  async settled(): Promise<void> {
    await Promise.all(this.#departures);
  }

  #fail(session: Session, error: unknown): void {
    this.#core.log.error({ error }, 'A session lost its state.');
    session.connection?.close('UNKNOWN_ERROR');
  }
}

function homeOf(principal: SessionPrincipal): Topic {
  switch (principal.kind) {
    case 'bot':
      return topics.application(principal.application.id);
    case 'user':
      return topics.player(principal.application.id, principal.user.id);
    case 'session':
      return topics.user(principal.user.id);
  }
}

function userOf(principal: SessionPrincipal): UserId {
  return principal.kind === 'bot' ? botUserId(principal.application) : principal.user.id;
}

function playerOf(principal: SessionPrincipal): Player | undefined {
  return principal.kind === 'user' ? { applicationId: principal.application.id, userId: principal.user.id } : undefined;
}
