import type { TrafficDispatch, TrafficEntry, TrafficRequest } from '../../../src/wire/control/traffic.ts';

const idBase = { application_id: '100', user_id: '9', lobby_id: '1200', guild_id: null } as const;

/** A request with that number; further fields replace those of a successful one. */
export function requestEntry(id: number, atMs: number, fields: Partial<TrafficRequest> = {}): TrafficRequest {
  return {
    ...(idBase as unknown as Pick<TrafficRequest, keyof typeof idBase>),
    id,
    number: id,
    at_ms: atMs,
    cause: null,
    kind: 'request',
    method: 'PUT',
    target: `/api/v10/lobbies/1200/members/${id}`,
    route: 'putLobbyMember',
    status: 200,
    duration_ms: id % 7,
    caller: { kind: 'bot', application_id: idBase.application_id as never, user_id: null, username: null },
    request_id: `request-${id}`,
    error_code: null,
    error: null,
    is_acted: false,
    ...fields,
  };
}

/** An event that a request caused. */
export function dispatchEntry(
  id: number,
  atMs: number,
  cause: number,
  fields: Partial<TrafficDispatch> = {},
): TrafficDispatch {
  return {
    ...(idBase as unknown as Pick<TrafficDispatch, keyof typeof idBase>),
    id,
    number: id,
    at_ms: atMs,
    cause,
    kind: 'dispatch',
    event: 'LOBBY_MEMBER_ADD',
    topic: 'lobby/1200',
    sessions: 5,
    session_id: null,
    bytes: 512,
    ...fields,
  };
}

/** So many entries from that id on: requests, each with four events. */
export function madeTraffic(first: number, count: number, atMs: number): TrafficEntry[] {
  return Array.from({ length: count }, (_, index) => {
    const id = first + index;
    return id % 5 === 0 ? requestEntry(id, atMs) : dispatchEntry(id, atMs, id - (id % 5));
  });
}
