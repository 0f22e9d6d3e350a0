import type { Faults, SocketTarget } from '../../testing/faults/faults.ts';
import type { Peer, Protocol } from '../protocol.ts';
import type { Connection, SendFaults } from './connection.ts';

/** Lets faults strike the connections of a gateway. */
export function socketFaults(protocol: Protocol, faults: Faults): SendFaults {
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
