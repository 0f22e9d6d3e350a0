import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { type CloseCodeName, closeCodes } from '../../model/gateway.ts';
import type { SessionAction } from '../../wire/control/sessions.ts';
import { loadOnce } from '../../wire/load-once.ts';
import { apiVersion } from '../../wire/routes.ts';
import type { Credentials } from '../auth/credentials.ts';
import type { Core } from '../core.ts';
import type { Topic } from '../events/announcement.ts';
import { parseQuery } from '../http/body/url-encoded.ts';
import { type Connections, hasOpenRequests } from '../http/connections.ts';
import { misdirectedError } from '../http/errors.ts';
import type { Hosts } from '../http/hosts.ts';
import { giveUp, hangUp, isMalformed } from '../http/listener.ts';
import { isServedVersion } from '../http/router.ts';
import type { PendingWork } from '../support/pending-work.ts';
import { RequestError } from '../support/request-error.ts';
import { closeReasons } from './connection/close-reasons.ts';
import { Compressor, compressionNamed } from './connection/compressor.ts';
import { Connection, Outbox } from './connection/connection.ts';
import type { Encoding } from './connection/encoding.ts';
import type { GatewaySocket, SocketServer } from './connection/socket.ts';
import { type SocketFaults, socketFaults } from './connection/socket-faults.ts';
import { Protocol } from './protocol.ts';
import type { EventLog } from './sessions/event-log.ts';
import { createIdentifyBudget, type IdentifyBudget } from './sessions/identify-budget.ts';
import type { PlayerLobbies } from './sessions/player-session.ts';
import type { Session } from './sessions/session.ts';
import { Sessions, type SessionsParts } from './sessions/sessions.ts';

export interface GatewayParts {
  readonly credentials: Credentials;
  readonly lobbies: PlayerLobbies;
  /** Counts work that is done for sessions. */
  readonly pendingWork: PendingWork;
  /** Where events of sessions are stored; absent when the state ends with the process. */
  readonly events?: EventLog;
  /** Present on a node of a cluster. */
  readonly cluster?: SessionsParts['cluster'];
  readonly faults?: SocketFaults;
  /** The names of the service; absent: any name is accepted. */
  readonly hosts?: Pick<Hosts, 'isOurs'>;
  /** Receives the connections that have a session. */
  readonly connections?: Pick<Connections, 'prove'>;
}

/** The WebSocket side of the service. */
export interface Gateway {
  readonly budget: IdentifyBudget;
  /** Sessions of this node, including those that wait to be resumed. */
  readonly sessionCount: number;
  readonly connectionCount: number;
  /** The sessions themselves, for the console. */
  readonly sessions: GatewaySessions;
  /** Continues the sessions of a former process, or joins the cluster. Call it first, before anything is written. */
  restore(): Promise<void>;
  /** Handles the server's upgrade requests: `/gateway` becomes a connection, every other path is not found. */
  attach(server: Server): void;
  /** Ends every session, by default so that clients identify again; resolves when all parts have been notified. */
  closeSessions(name?: CloseCodeName): Promise<void>;
  /**
   * Accepts no more connections, asks the clients to reconnect, and resolves when all have closed. With stored state
   * the sessions wait for the next process. Idempotent.
   */
  close(): Promise<void>;
}

/** What the console shows of sessions and does to them. */
export interface GatewaySessions {
  list(): readonly Session[];
  find(id: string): Session | undefined;
  /** How many sessions of this node follow a topic. */
  following(topic: Topic): number;
  /**
   * Breaks or ends a session on purpose.
   *
   * @param resumable only for `invalidate`
   * @returns false when it has no connection that this could be done to
   */
  act(session: Session, action: SessionAction, resumable: boolean): boolean;
}

const paths: ReadonlySet<string> = new Set(['/gateway', '/gateway/']);

const encodings: ReadonlySet<string> = new Set(['json', 'etf']);

export function createGateway(
  core: Core,
  { credentials, lobbies, pendingWork, events, cluster, faults, hosts, connections: proofs }: GatewayParts,
): Gateway {
  // Loaded for the first connection, so that a service that only answers requests starts faster.
  let opened: Promise<SocketServer> | undefined;
  const openDoor = loadOnce(() =>
    import('./connection/socket.ts').then(({ createSocketServer }) => createSocketServer()),
  );
  const openEtf = loadOnce(() => import('./connection/etf/frames.ts').then(({ createEtf }) => createEtf()));
  const outbox = new Outbox();
  const sessions = new Sessions(core, { lobbies, pendingWork, ...(events && { events }), ...(cluster && { cluster }) });
  const budget = createIdentifyBudget(core);
  const protocol = new Protocol(core, { credentials, sessions, budget, pendingWork });
  const context = {
    clock: core.clock,
    outbox,
    metrics: core.metrics,
    traffic: core.traffic,
    onFrame: protocol.onFrame.bind(protocol),
    onEnd: protocol.onEnd.bind(protocol),
    ...(faults && { faults: socketFaults(protocol, faults) }),
    ...(proofs && { onProof: (stream: Duplex) => proofs.prove(stream) }),
  };
  core.metrics.watch({
    connections: () => protocol.peers.size,
    backlogBytes: () => [...protocol.peers.keys()].reduce((sum, { backlogBytes }) => sum + backlogBytes, 0),
    sessionsConnected: () => sessions.size - sessions.resumableCount,
    sessionsResumable: () => sessions.resumableCount,
    eventLogBytes: () => events?.stored.bytes ?? 0,
    eventLogEntries: () => events?.stored.entries ?? 0,
  });
  let connections = 0;
  let isClosing = false;

  function upgrade(request: IncomingMessage, stream: Duplex, head: Buffer): void {
    const url = URL.parse(request.url ?? '', 'ws://gateway');
    // The answers to earlier requests would be mixed with frames.
    if (hasOpenRequests(stream)) stream.destroy();
    else if (isMalformed(request)) hangUp(stream, new RequestError('bad_request'));
    else if (hosts?.isOurs(request) === false) hangUp(stream, misdirectedError(request));
    else if (!url || !paths.has(url.pathname)) rejectUpgrade(stream, 404, 'Not Found');
    else if (isClosing) rejectUpgrade(stream, 503, 'Service Unavailable');
    else
      open(request, stream, head, parseQuery(url.search)).catch(error => {
        core.log.error({ error }, 'A connection could not be opened.');
        rejectUpgrade(stream, 503, 'Service Unavailable');
      });
  }

  async function open(request: IncomingMessage, stream: Duplex, head: Buffer, query: URLSearchParams): Promise<void> {
    stream.on('error', ignore); // Nothing else listens until the WebSocket is open.
    opened = openDoor();
    const { open } = await opened;
    const encoding = await encodingOf(query);
    stream.off('error', ignore);
    if (isClosing) rejectUpgrade(stream, 503, 'Service Unavailable');
    else open(request, stream, head, socket => accept(socket, stream, query, encoding));
  }

  async function encodingOf(query: URLSearchParams): Promise<Encoding | undefined> {
    if (query.get('encoding') !== 'etf') return undefined;
    return openEtf();
  }

  function accept(socket: GatewaySocket, stream: Duplex, query: URLSearchParams, encoding?: Encoding): void {
    const refusal = rejectionOf(query);
    if (refusal) socket.close(closeCodes[refusal.name].code, refusal.reason);
    else {
      const form = { encoding, compressor: compressorOf(query) };
      protocol.greet(new Connection(++connections, socket, stream, context, form));
    }
  }

  return {
    budget,
    get sessionCount() {
      return sessions.size;
    },
    get connectionCount() {
      return protocol.peers.size;
    },
    sessions: {
      list: () => [...sessions.byId.values()],
      find: id => sessions.byId.get(id),
      following: topic => sessions.hub.followersOf(topic),
      act(session, action, resumable) {
        const { connection } = session;
        if (action === 'end') {
          connection?.close('SESSION_TIMED_OUT');
          sessions.end(session);
          return true;
        }
        if (!connection) return false;
        if (action === 'drop') connection.drop();
        else if (action === 'freeze') connection.freeze();
        else if (action === 'thaw') {
          if (connection.thaw()) protocol.askBack(connection);
        } else if (action === 'reconnect') protocol.askBack(connection);
        else protocol.invalidate(connection, resumable);
        return true;
      },
    },
    restore: () => sessions.restore(),
    attach(server) {
      server.on('upgrade', upgrade);
    },
    async closeSessions(name = 'SESSION_TIMED_OUT') {
      protocol.closeAll(name);
      await sessions.endAll();
    },
    async close() {
      isClosing = true;
      const stopped = sessions.stop();
      protocol.dismissAll();
      await Promise.all([stopped, opened?.then(({ drained }) => drained(), ignore)]);
      await sessions.settled();
    },
  };
}

function ignore(): void {}

/**
 * Unspecified: an unknown `compress` gets plain frames, which clients accept, because the kind of a frame says
 * whether it is compressed.
 */
function compressorOf(query: URLSearchParams): Compressor | undefined {
  const compression = compressionNamed(query.get('compress'));
  return compression && new Compressor(compression);
}

/**
 * Unspecified: without `v` or `encoding` the client gets the newest version and JSON; an unknown encoding cannot be
 * decoded (4002).
 *
 * @see docs/spec/gateway.md#connecting; docs/spec/gateway.md#encoding-and-compression
 */
function rejectionOf(query: URLSearchParams): { name: CloseCodeName; reason: string } | undefined {
  if (!isServedVersion(query.get('v') ?? String(apiVersion))) {
    return { name: 'INVALID_API_VERSION', reason: closeReasons.INVALID_API_VERSION };
  }
  if (!encodings.has(query.get('encoding') ?? 'json')) {
    return { name: 'DECODE_ERROR', reason: 'The encoding must be json or etf.' };
  }
  return undefined;
}

/** Rejects an upgrade request and ends its connection, whatever the peer does. */
function rejectUpgrade(stream: Duplex, status: 404 | 503, reason: string): void {
  giveUp(stream, `HTTP/1.1 ${status} ${reason}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}
