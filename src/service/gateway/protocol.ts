import { type CloseCodeName, type GatewayFrame, opcodes, type Resume } from '../../model/gateway.ts';
import type { LobbyVoiceStateInput } from '../../model/lobby.ts';
import { checkLobbyVoicePing, checkLobbyVoiceStates } from '../../model/rules/lobbies/lobby-voice.ts';
import type { LobbyId } from '../../model/snowflake.ts';
import { asRecord } from '../../wire/http/codec.ts';
import type { Credentials } from '../auth/credentials.ts';
import { callerOf } from '../auth/principal.ts';
import type { Core } from '../core.ts';
import { readId } from '../features/lobbies/records.ts';
import type { PendingWork } from '../support/pending-work.ts';
import { runtimeLimits, serviceLimits } from '../support/service-limits.ts';
import type { ObservedConnection } from '../support/traffic.ts';
import type { Connection, ConnectionEvents } from './connection/connection.ts';
import { Deadlines } from './connection/deadlines.ts';
import { controlFrame, type OutFrame } from './connection/frames.ts';
import { admit, admitResume, type Identity, readIdentify, type SessionPrincipal } from './identify.ts';
import { readPresence, readUserPresence } from './presence/presence-update.ts';
import { answerMembersRequest, readMembersRequest } from './sessions/guild-members.ts';
import type { IdentifyBudget, IdentifyRefusal } from './sessions/identify-budget.ts';
import type { Session } from './sessions/session.ts';
import type { Sessions } from './sessions/sessions.ts';

const intervalMs = serviceLimits.gatewayHeartbeatIntervalMs;

// Unspecified: one and a half intervals, so that a heartbeat may be late by half an interval.
const silenceMs = intervalMs * 1.5;

const frames = {
  hello: controlFrame(opcodes.HELLO, { heartbeat_interval: intervalMs }),
  heartbeatAck: controlFrame(opcodes.HEARTBEAT_ACK, null),
  reconnect: controlFrame(opcodes.RECONNECT, null),
  resumeLater: controlFrame(opcodes.INVALID_SESSION, true),
  identifyAnew: controlFrame(opcodes.INVALID_SESSION, false),
};

// Deviation: accepted without effect, because guilds have neither voice nor sounds here.
const acceptedWithoutEffect: ReadonlySet<number> = new Set([
  opcodes.VOICE_STATE_UPDATE,
  opcodes.REQUEST_SOUNDBOARD_SOUNDS,
  opcodes.REQUEST_CHANNEL_INFO,
]);

/** The state of a connection. */
export interface Peer {
  /** Its Identify or Resume is being processed, or was accepted. */
  hasIdentified: boolean;
  session: Session | undefined;
}

export interface ProtocolParts {
  readonly credentials: Credentials;
  readonly sessions: Sessions;
  readonly budget: IdentifyBudget;
  readonly pendingWork: PendingWork;
}

/**
 * The protocol of a connection: hello, identify or resume, heartbeats, requests, and the close codes for violations.
 *
 * @see docs/spec/gateway.md#sessions; docs/spec/gateway.md#close-codes
 */
export class Protocol implements ConnectionEvents {
  readonly #core: Core;
  readonly #parts: ProtocolParts;
  readonly #peers = new Map<Connection, Peer>();
  readonly #toIdentify: Deadlines<Connection>;
  readonly #silence: Deadlines<Connection>;

  constructor(core: Core, parts: ProtocolParts) {
    this.#core = core;
    this.#parts = parts;
    const timeOut = (connection: Connection) => connection.close('SESSION_TIMED_OUT');
    this.#toIdentify = new Deadlines(core.clock, runtimeLimits.gatewayIdentifyMs, timeOut);
    this.#silence = new Deadlines(core.clock, silenceMs, timeOut);
  }

  /** The open connections and their states. */
  get peers(): ReadonlyMap<Connection, Readonly<Peer>> {
    return this.#peers;
  }

  greet(connection: Connection): void {
    this.#peers.set(connection, { hasIdentified: false, session: undefined });
    this.#awaitIdentify(connection);
    this.#silence.touch(connection);
    this.#core.journal.write('connection', { event: 'open', connection: connection.id });
    this.#observe(connection, { kind: 'opened' });
    connection.send(frames.hello);
  }

  onFrame(connection: Connection, { op, d }: GatewayFrame): void {
    const peer = this.#peers.get(connection);
    if (!peer) return;
    this.#silence.touch(connection);
    if (op !== opcodes.HEARTBEAT)
      this.#core.activity?.connection(connection.id, peer.session, { kind: 'received' }, { op, d });
    if (op === opcodes.HEARTBEAT) this.#onHeartbeat(connection, peer, d);
    else if (op === opcodes.IDENTIFY) this.#onIdentify(connection, peer, d);
    else if (op === opcodes.RESUME) this.#onResume(connection, peer, d);
    else if (!peer.hasIdentified) connection.close('NOT_AUTHENTICATED');
    else if (op === opcodes.PRESENCE_UPDATE) this.#onPresence(connection, peer, d);
    else if (op === opcodes.REQUEST_GUILD_MEMBERS) this.#onMembersRequest(connection, peer, d);
    else if (op === opcodes.LOBBY_VOICE_STATES) this.#onVoiceStates(connection, peer, d);
    else if (op === opcodes.LOBBY_VOICE_SERVER_PING) this.#onVoicePing(connection, peer, d);
    else if (!acceptedWithoutEffect.has(op)) connection.close('UNKNOWN_OPCODE');
  }

  /**
   * Closing with 1000 or 1001 ends the session; after any other end of a connection its session can be resumed.
   *
   * Unspecified: that includes silence, whose 4009 a client without a network never receives.
   */
  onEnd(connection: Connection, code: number, byPeer: boolean): void {
    const peer = this.#peers.get(connection);
    if (!peer) return;
    this.#peers.delete(connection);
    this.#toIdentify.drop(connection);
    this.#silence.drop(connection);
    this.#journal('closed', connection, peer.session, { code });
    this.#observe(connection, { kind: 'closed', code, byPeer }, peer.session);
    if (!peer.session) return;
    if (byPeer && farewells.has(code)) this.#parts.sessions.end(peer.session);
    else this.#parts.sessions.detach(peer.session, connection);
  }

  /** Closes every connection. */
  closeAll(name: CloseCodeName): void {
    for (const connection of [...this.#peers.keys()]) connection.close(name);
  }

  /** Asks every client to reconnect, and closes. */
  dismissAll(): void {
    for (const connection of [...this.#peers.keys()]) {
      this.askBack(connection);
      connection.closeWith(goingAway, 'The service is stopping.');
    }
    this.#toIdentify.close();
    this.#silence.close();
  }

  /** Asks a client to reconnect. */
  askBack(connection: Connection): void {
    connection.send(frames.reconnect);
  }

  /**
   * Sends a client that its session is invalid. A session that is not resumable ends; any other waits to be resumed,
   * over the same connection or another, because clients do either.
   */
  invalidate(connection: Connection, mayResume: boolean): void {
    const session = this.#peers.get(connection)?.session;
    if (session && mayResume) this.#parts.sessions.detach(session, connection);
    else if (session) this.#parts.sessions.end(session);
    this.#askToIdentify(connection, mayResume ? frames.resumeLater : frames.identifyAnew);
  }

  #onHeartbeat(connection: Connection, { session }: Peer, d: unknown): void {
    if (typeof d === 'number') session?.acknowledge(d);
    connection.send(frames.heartbeatAck);
  }

  #onIdentify(connection: Connection, peer: Peer, d: unknown): void {
    const identity = peer.hasIdentified ? 'ALREADY_AUTHENTICATED' : readIdentify(d);
    if (typeof identity === 'string') connection.close(identity);
    else this.#authenticating(connection, peer, () => this.#identify(connection, peer, identity));
  }

  #onResume(connection: Connection, peer: Peer, d: unknown): void {
    const resume = readResume(d);
    if (peer.hasIdentified) connection.close('ALREADY_AUTHENTICATED');
    else if (!resume) connection.close('UNKNOWN_OPCODE');
    else this.#authenticating(connection, peer, () => this.#resume(connection, peer, resume));
  }

  #onPresence(connection: Connection, { session }: Peer, d: unknown): void {
    const isBot = !session || session.record.kind === 'bot';
    if (!isBot) {
      this.#onUserPresence(connection, session, d);
      return;
    }
    const presence = readPresence(d);
    if (presence === 'malformed') connection.close('UNKNOWN_OPCODE', 'The presence is malformed.');
    else if (session) this.#parts.sessions.work(session, () => this.#setPresence(session, presence));
  }

  // Unspecified: a presence out of its bounds closes the connection, and the session stays as it is.
  #onUserPresence(connection: Connection, session: Session, d: unknown): void {
    const presence = readUserPresence(d);
    if (typeof presence === 'string') connection.close('UNKNOWN_OPCODE', presence);
    else this.#parts.sessions.showPresence(session, presence);
  }

  #onMembersRequest(connection: Connection, { session }: Peer, d: unknown): void {
    const { sessions } = this.#parts;
    const request = readMembersRequest(d);
    if (!request) connection.close('UNKNOWN_OPCODE', 'The request for members is malformed.');
    else if (session) {
      sessions.work(session, () => answerMembersRequest(this.#core, sessions.presences, session, request));
    }
  }

  #onVoiceStates(connection: Connection, { session }: Peer, d: unknown): void {
    const isMalformed = checkLobbyVoiceStates(d).length > 0;
    if (isMalformed) connection.close('UNKNOWN_OPCODE', 'The voice states are malformed.');
    else if (session) this.#parts.sessions.setCalls(session, d as readonly LobbyVoiceStateInput[]);
  }

  #onVoicePing(connection: Connection, { session }: Peer, d: unknown): void {
    const isMalformed = checkLobbyVoicePing(d).length > 0;
    if (isMalformed) connection.close('UNKNOWN_OPCODE', 'The request for a voice server is malformed.');
    else if (session) this.#parts.sessions.sendVoiceServer(session, readId((d as { lobby_id: LobbyId }).lobby_id));
  }

  // Unspecified: a presence that comes too soon is ignored, because the interface names no consequence.
  async #setPresence(session: Session, presence: Exclude<ReturnType<typeof readPresence>, string>): Promise<void> {
    const limit = this.#core.limits.buckets['gateway-presence'];
    if (limit && !(await this.#core.bus.count(`gateway-presence/${session.id}`, limit)).allowed) return;
    await this.#parts.sessions.setPresence(session, presence);
  }

  #authenticating(connection: Connection, peer: Peer, work: () => Promise<void>): void {
    peer.hasIdentified = true;
    this.#toIdentify.drop(connection);
    this.#parts.pendingWork.run(work).catch((error: unknown) => {
      this.#core.log.error({ error }, 'A session could not be started.');
      if (peer.session) this.#parts.sessions.end(peer.session);
      connection.close('UNKNOWN_ERROR');
    });
  }

  async #identify(connection: Connection, peer: Peer, identity: Identity): Promise<void> {
    const { credentials, budget, sessions } = this.#parts;
    if (sessions.restored) await sessions.restored;
    const principal = admit(await credentials.authenticateGateway(identity.token), identity);
    if (typeof principal === 'string') return connection.close(principal);
    const isBot = principal.kind === 'bot';
    const refused = await (isBot
      ? budget.spend(principal.application.id, identity.shard)
      : budget.spendOfUser(principal.user.id));
    if (refused?.reason === 'pace') return this.#askToIdentifyLater(connection, refused);
    if (refused) return connection.close('RATE_LIMITED', 'The identifies of this day are used up.');
    if (!connection.open) return;
    connection.compressesPayloads = identity.compress;
    peer.session = sessions.create(connection, principal, identity);
    connection.prove();
    this.#identified(connection, principal, peer.session);
    this.#journal('identified', connection, peer.session, describe(principal));
    const refusal = await sessions.start(peer.session, principal, identity);
    if (!refusal) return;
    sessions.end(peer.session);
    connection.close(refusal.name, refusal.reason);
  }

  async #resume(connection: Connection, peer: Peer, resume: Resume): Promise<void> {
    const { sessions } = this.#parts;
    if (sessions.restored) await sessions.restored;
    const principal = admitResume(await this.#parts.credentials.authenticateGateway(resume.token));
    if (typeof principal === 'string') return connection.close(principal);
    if (!connection.open) return;
    const resumed = sessions.resume(connection, principal, resume);
    const session = resumed instanceof Promise ? await resumed : resumed;
    if (session === undefined) return; // The connection was closed meanwhile.
    if (session === 'gone') return this.#askToIdentify(connection, frames.identifyAnew);
    if (session === 'ahead') return connection.close('INVALID_SEQUENCE');
    peer.session = session;
    if (!connection.open) return sessions.detach(session, connection);
    connection.prove();
    this.#identified(connection, principal, session);
    this.#core.activity?.connection(connection.id, session, { kind: 'resumed' });
    this.#journal('resumed', connection, session, { sequence: resume.seq });
  }

  /**
   * A client that identified too soon is asked to identify again once that will be accepted: many answer immediately, and would only be
   * rejected until they have sent too many frames.
   */
  #askToIdentifyLater(connection: Connection, { waits }: IdentifyRefusal): void {
    this.#core.log.info(
      { connection: connection.id, wait_ms: waits[0]?.ms },
      'An Identify came too soon after another; its client is asked again later.',
    );
    const cancels = waits.map(({ clock, ms }) =>
      clock.schedule(ms, () => {
        for (const cancel of cancels) cancel();
        this.#askToIdentify(connection, frames.identifyAnew);
      }),
    );
  }

  #askToIdentify(connection: Connection, frame: OutFrame): void {
    const peer = this.#peers.get(connection);
    if (!peer) return;
    connection.send(frame);
    peer.hasIdentified = false;
    peer.session = undefined;
    this.#awaitIdentify(connection);
  }

  /** Starts the time to identify. When too many connections have not identified, the oldest of them is closed. */
  #awaitIdentify(connection: Connection): void {
    this.#toIdentify.touch(connection);
    if (this.#toIdentify.size <= runtimeLimits.gatewayUnidentifiedMax) return;
    this.#core.metrics.limited('unidentified');
    this.#toIdentify.first?.close('SESSION_TIMED_OUT', 'Too many connections have not identified.');
  }

  #identified(connection: Connection, principal: SessionPrincipal, session: Session): void {
    const caller = callerOf(principal);
    if (caller) this.#observe(connection, { kind: 'identified', caller }, session);
  }

  #observe({ id }: Connection, event: ConnectionEvent, session?: Session): void {
    const { traffic, activity, clock } = this.#core;
    traffic?.connection?.({ connection: id, atMs: clock.now(), ...event });
    if (event.kind !== 'received' && event.kind !== 'sent') activity?.connection(id, session, event);
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

type WithoutPlace<Event> = Event extends unknown ? Omit<Event, 'connection' | 'atMs'> : never;
type ConnectionEvent = WithoutPlace<ObservedConnection>;

const goingAway = 1001;

/** The close codes of a client that does not resume its session. @see docs/spec/gateway.md#sessions */
const farewells: ReadonlySet<number> = new Set([1000, goingAway]);

function readResume(d: unknown): Resume | undefined {
  const { token, session_id, seq } = asRecord(d) ?? {};
  if (typeof token !== 'string' || typeof session_id !== 'string') return undefined;
  if (!Number.isSafeInteger(seq) || (seq as number) < 0) return undefined;
  return { token, session_id, seq: seq as number };
}

function describe(principal: SessionPrincipal): Record<string, string> {
  return {
    kind: principal.kind,
    ...(principal.kind !== 'session' && { application: principal.application.id }),
    ...(principal.kind !== 'bot' && { user: principal.user.id }),
  };
}
