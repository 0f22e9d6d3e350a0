import type { Peer, Protocol } from '../protocol.ts';
import type { Connection, SendFaults } from './connection.ts';

/** A gateway socket, as faults see it. */
export interface SocketTarget {
  /** The same for the same socket. */
  readonly socket: object;
  /** Null until the client has identified, and for a user's own client. */
  readonly applicationId: string | null;
  /** Null until the client has identified. */
  readonly userId: string | null;
  readonly hasSession: boolean;
  drop(): void;
  freeze(): void;
  /** @param at which part of what leaves next still leaves, from 0 to 1 */
  cutNext(at: number): void;
  reconnect(): void;
  invalidate(resumable: boolean): void;
}

/** Breaks sockets on purpose: fault injection. */
export interface SocketFaults {
  /** False while no fault waits for a socket, so that none has to ask. */
  readonly concernSockets: boolean;
  /** Names what gives the sockets that are open. */
  watch(open: () => Iterable<SocketTarget>): void;
  /** Frames are about to leave. @param events names of the dispatches among them */
  beforeSending(target: SocketTarget, events: readonly string[]): void;
}

/** Lets faults strike the connections of a gateway. */
export function socketFaults(protocol: Protocol, faults: SocketFaults): SendFaults {
  function targetOf(connection: Connection, peer: Readonly<Peer> | undefined): SocketTarget {
    const record = peer?.session?.record;
    return {
      socket: connection,
      applicationId: record?.application_id ?? null,
      userId: record?.user_id ?? null,
      hasSession: record !== undefined,
      drop: () => connection.drop(),
      freeze: () => connection.freeze(),
      cutNext: at => connection.cutNext(at),
      reconnect: () => protocol.askBack(connection),
      invalidate: resumable => protocol.invalidate(connection, resumable),
    };
  }

  faults.watch(() => [...protocol.peers].map(([connection, peer]) => targetOf(connection, peer)));
  return {
    get concernSockets() {
      return faults.concernSockets;
    },
    beforeSending: (connection, events) =>
      faults.beforeSending(targetOf(connection, protocol.peers.get(connection)), events),
  };
}
