import { describe, expect, it } from 'vitest';
import { historyOf } from '../../../../src/console/views/lobbies/history.ts';
import type { TrafficDispatch, TrafficEntry, TrafficRequest } from '../../../../src/wire/control/traffic.ts';

const base = { at_ms: 0, cause: null, application_id: '1', user_id: null, lobby_id: '5', guild_id: null };

function request(id: number, fields: Partial<TrafficRequest> = {}): TrafficRequest {
  return {
    ...base,
    ...{ kind: 'request', id, number: id, method: 'PUT', target: '/api/v10/lobbies/5', route: 'putLobbyMember' },
    ...{ status: 200, duration_ms: 1, request_id: null, error_code: null, error: null, is_acted: false },
    caller: { kind: 'bot', application_id: '1', user_id: null, username: null },
    ...fields,
  };
}

function dispatch(id: number, cause: number): TrafficDispatch {
  const fields = {
    kind: 'dispatch',
    event: 'LOBBY_MEMBER_ADD',
    topic: null,
    sessions: 2,
    session_id: null,
    bytes: 1,
  } as const;
  return { ...base, ...fields, id, number: id, cause };
}

describe('The history of a lobby', () => {
  it('has what follows from an entry right behind it, and the newest first', () => {
    const entries: TrafficEntry[] = [
      request(1),
      dispatch(2, 1),
      request(3),
      dispatch(4, 3),
      dispatch(5, 1),
      dispatch(6, 99),
    ];
    expect(historyOf(entries).map(({ id, isEffect }) => [id, isEffect])).toEqual([
      [6, false],
      [3, false],
      [4, true],
      [1, false],
      [2, true],
      [5, true],
    ]);
  });

  it('leaves out what was only read, unless it failed', () => {
    const read = { method: 'GET', route: 'getLobby' } as const;
    const lines = historyOf([request(1, read), request(2, { ...read, status: 404, error: 'Unknown Lobby' })]);
    expect(lines.map(({ id, isFailure, detail }) => ({ id, isFailure, detail }))).toEqual([
      { id: 2, isFailure: true, detail: 'by the bot · 404 · Unknown Lobby' },
    ]);
  });

  it('names the player who did it, and the sessions that an event went to', () => {
    const caller = { kind: 'user', application_id: '1', user_id: '9', username: 'ada' } as const;
    const lines = historyOf([request(1, { caller, route: 'joinLobby' }), dispatch(2, 1)]);
    expect(lines.map(({ detail }) => detail)).toEqual(['by ada', 'to 2 sessions']);
  });
});
