import { type CloseCodeName, type GatewayFrame, opcodes } from '../../model/gateway.ts';
import { limits } from '../../model/limits.ts';
import { encodeFrame } from '../../wire/gateway.ts';
import type { Activity } from '../activity.ts';
import type { Core } from '../core.ts';
import type { Credentials } from '../domain/credentials.ts';
import type { Connection, ConnectionEvents } from './connection.ts';
import { Deadlines } from './deadlines.ts';
import { admit, type Identity, readIdentify, type SessionPrincipal } from './identify.ts';
import type { IdentifyBudget } from './identify-budget.ts';
import type { Session } from './session.ts';
import type { Sessions } from './sessions.ts';

const intervalMs = limits.gatewayHeartbeatIntervalMs;

// Our choice: one and a half intervals, so that a heartbeat may be late by half of one.
const silenceMs = intervalMs * 1.5;

const frames = {
  hello: serverFrame(opcodes.HELLO, { heartbeat_interval: intervalMs }),
  heartbeatAck: serverFrame(opcodes.HEARTBEAT_ACK, null),
  reconnect: serverFrame(opcodes.RECONNECT, null),
  invalidSession: serverFrame(opcodes.INVALID_SESSION, false),
};

// Our choice: taken and left without effect, as nothing in this interface follows from them yet.
const heardWithoutEffect: ReadonlySet<number> = new Set([
  opcodes.PRESENCE_UPDATE,
  opcodes.VOICE_STATE_UPDATE,
  opcodes.REQUEST_GUILD_MEMBERS,
  opcodes.REQUEST_SOUNDBOARD_SOUNDS,
  opcodes.REQUEST_CHANNEL_INFO,
]);

/** How far a connection has come. */
interface Peer {
  hasIdentified: boolean;
  session: Session | undefined;
}

export interface ProtocolParts {
  readonly credentials: Credentials;
  readonly sessions: Sessions;
  readonly budget: IdentifyBudget;
  readonly activity: Activity;
}

/**
 * The conversation with a connection: hello, identify, heartbeats, and the close codes for everything out of order.
 *
 * @see gateway.md 3 and 4
 */
export class Protocol implements ConnectionEvents {
  readonly #core: Core;
  readonly #parts: ProtocolParts;
  readonly #peers = new Map<Connection, Peer>();
  readonly #toIdentify: Deadlines<Connection>;
  readonly #toBeHeard: Deadlines<Connection>;

  constructor(core: Core, parts: ProtocolParts) {
    this.#core = core;
    this.#parts = parts;
    const timeOut = (connection: Connection) => connection.close('SESSION_TIMED_OUT');
    this.#toIdentify = new Deadlines(core.clock, intervalMs, timeOut);
    this.#toBeHeard = new Deadlines(core.clock, silenceMs, timeOut);
  }

  greet(connection: Connection): void {
    this.#peers.set(connection, { hasIdentified: false, session: undefined });
    this.#toIdentify.touch(connection);
    this.#toBeHeard.touch(connection);
    this.#core.journal.write('connection', { event: 'open', connection: connection.id });
    connection.send(frames.hello);
  }

  onFrame(connection: Connection, { op, d }: GatewayFrame): void {
    const peer = this.#peers.get(connection);
    if (!peer) return;
    this.#toBeHeard.touch(connection);
    if (op === opcodes.HEARTBEAT) connection.send(frames.heartbeatAck);
    else if (op === opcodes.IDENTIFY) this.#onIdentify(connection, peer, d);
    else if (op === opcodes.RESUME) this.#onResume(connection, peer);
    else if (!peer.hasIdentified) connection.close('NOT_AUTHENTICATED');
    else if (!heardWithoutEffect.has(op)) connection.close('UNKNOWN_OPCODE');
  }

  onEnd(connection: Connection, code: number): void {
    const peer = this.#peers.get(connection);
    if (!peer) return;
    this.#peers.delete(connection);
    this.#toIdentify.drop(connection);
    this.#toBeHeard.drop(connection);
    if (peer.session) this.#parts.sessions.end(peer.session);
    this.#journal('closed', connection, peer.session, { code });
  }

  /** Closes every connection; their sessions end. */
  closeAll(name: CloseCodeName): void {
    for (const connection of [...this.#peers.keys()]) connection.close(name);
  }

  /** Asks every client to come back, and closes. */
  dismissAll(): void {
    for (const connection of [...this.#peers.keys()]) {
      connection.send(frames.reconnect);
      connection.closeWith(goingAway, 'The service is going away.');
    }
    this.#toIdentify.close();
    this.#toBeHeard.close();
  }

  #onIdentify(connection: Connection, peer: Peer, d: unknown): void {
    const identity = peer.hasIdentified ? 'ALREADY_AUTHENTICATED' : readIdentify(d);
    if (typeof identity === 'string') {
      connection.close(identity);
      return;
    }
    peer.hasIdentified = true;
    this.#toIdentify.drop(connection);
    this.#parts.activity
      .run(() => this.#authenticate(connection, peer, identity))
      .catch((error: unknown) => {
        this.#core.log.error({ error }, 'A session could not be started.');
        connection.close('UNKNOWN_ERROR');
      });
  }

  // A session ends with its connection, so there is none to resume: the client is asked to identify.
  #onResume(connection: Connection, peer: Peer): void {
    if (peer.hasIdentified) connection.close('ALREADY_AUTHENTICATED');
    else connection.send(frames.invalidSession);
  }

  async #authenticate(connection: Connection, peer: Peer, identity: Identity): Promise<void> {
    const principal = admit(await this.#parts.credentials.authenticateGateway(identity.token), identity);
    if (typeof principal === 'string') return connection.close(principal);
    if (principal.kind === 'bot' && !(await this.#parts.budget.spend(principal.application.id))) {
      return connection.close('RATE_LIMITED', 'The identifies of this day are used up.');
    }
    if (!connection.open) return;
    peer.session = this.#parts.sessions.create(connection, principal, identity);
    this.#journal('identified', connection, peer.session, describe(principal));
    if (await this.#parts.sessions.start(peer.session, principal, identity)) return;
    connection.close('RATE_LIMITED', 'Too many sessions of one user.');
  }

  #journal(event: string, { id }: Connection, session: Session | undefined, details: object): void {
    this.#core.journal.write('connection', {
      event,
      connection: id,
      ...(session && { session: session.id }),
      ...details,
    });
  }
}

const goingAway = 1001;

function serverFrame(op: number, d: unknown): string {
  return encodeFrame({ op, d, s: null, t: null });
}

function describe(principal: SessionPrincipal): Record<string, string> {
  return {
    kind: principal.kind,
    ...(principal.kind !== 'session' && { application: principal.application.id }),
    ...(principal.kind !== 'bot' && { user: principal.user.id }),
  };
}
