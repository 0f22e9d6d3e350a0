import type { Peer, Protocol } from '../protocol.ts';
import type { Connection, SendFaults } from './connection.ts';

/** A gateway socket, as fault injection sees it. */
export interface SocketTarget {
  /** Identifies the socket. */
  readonly socket: object;
  /** Null until the client has identified, and for a user's own client. */
  readonly applicationId: string | null;
  /** Null until the client has identified. */
  readonly userId: string | null;
  readonly hasSession: boolean;
  drop(): void;
  freeze(): void;
  /** @param at how much of the next message is still sent, from 0 to 1 */
  cutNext(at: number): void;
  reconnect(): void;
  invalidate(resumable: boolean): void;
}

/** Breaks sockets on purpose: fault injection. */
export interface SocketFaults {
  /** False while no fault for sockets is armed, so that no connection needs to ask. */
  readonly concernSockets: boolean;
  /** Sets the function that lists the open sockets. */
  watch(open: () => Iterable<SocketTarget>): void;
  /** Frames are about to be sent. @param events names of the dispatches among them */
  beforeSending(target: SocketTarget, events: readonly string[]): void;
}

/** Lets faults be injected into the connections of a gateway. */
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
