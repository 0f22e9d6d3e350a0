import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findById, sortedById } from '../../../src/sdk/lobby/by-id.ts';
import { type LobbyEvent, type LobbyState, noLobbies, reduce } from '../../../src/sdk/lobby/reducer.ts';
import type { LobbyMemberSnapshot, LobbySnapshot } from '../../../src/sdk/lobby/snapshot.ts';
import { isDeeplyFrozen } from '../../support/frozen.ts';

const memberOf = (id: string, team?: string): LobbyMemberSnapshot =>
  Object.freeze({
    id,
    metadata: Object.freeze(team === undefined ? {} : { team }),
    flags: 0,
    canLinkLobby: false,
    connected: false,
    additionalName: undefined,
  });

const lobbyOf = (id: string, members: readonly LobbyMemberSnapshot[] = [], map = 'harbour'): LobbySnapshot =>
  Object.freeze({
    id,
    applicationId: '1',
    metadata: Object.freeze({ map }),
    members: sortedById(members),
    flags: 0,
  });

const lobby = (one: LobbySnapshot): LobbyEvent => ({ kind: 'lobby', lobbyId: one.id, lobby: one });
const reset = (...lobbies: LobbySnapshot[]): LobbyEvent => ({
  kind: 'reset',
  lobbies: sortedById(lobbies),
  unreadable: 0,
});
const stateAfter = (...events: LobbyEvent[]) => events.reduce(reduce, noLobbies);

describe('reduce', () => {
  it('adds, changes and removes lobbies', () => {
    const state = stateAfter(lobby(lobbyOf('10')), lobby(lobbyOf('9')), lobby(lobbyOf('10', [], 'reef')));
    expect(state.map(({ id, metadata }) => [id, metadata.map])).toEqual([
      ['9', 'harbour'],
      ['10', 'reef'],
    ]);
    expect(reduce(state, { kind: 'lobby-gone', lobbyId: '9' })).toHaveLength(1);
  });

  it('adds, changes and removes members', () => {
    const state = stateAfter(
      lobby(lobbyOf('5')),
      { kind: 'member', lobbyId: '5', member: memberOf('2') },
      { kind: 'member', lobbyId: '5', member: memberOf('1', 'red') },
      { kind: 'member', lobbyId: '5', member: memberOf('2', 'blue') },
      { kind: 'member-gone', lobbyId: '5', memberId: '1' },
    );
    expect(state[0]?.members).toEqual([memberOf('2', 'blue')]);
  });

  it('replaces everything on a reset', () => {
    expect(reduce(stateAfter(lobby(lobbyOf('1')), lobby(lobbyOf('2'))), reset(lobbyOf('3')))).toEqual([lobbyOf('3')]);
  });

  it('gives the same state for what changes nothing', () => {
    const members = [memberOf('1'), memberOf('2', 'blue')];
    const state = stateAfter(lobby(lobbyOf('5', members)), lobby(lobbyOf('6')));
    for (const event of [
      reset(lobbyOf('6'), lobbyOf('5', [memberOf('2', 'blue'), memberOf('1')])),
      lobby(lobbyOf('5', [memberOf('1'), memberOf('2', 'blue')])),
      { kind: 'lobby-gone', lobbyId: '7' },
      { kind: 'member', lobbyId: '5', member: memberOf('2', 'blue') },
      { kind: 'member', lobbyId: '7', member: memberOf('2') },
      { kind: 'member-gone', lobbyId: '5', memberId: '3' },
      { kind: 'member-gone', lobbyId: '7', memberId: '1' },
    ] satisfies LobbyEvent[]) {
      expect(reduce(state, event)).toBe(state);
    }
  });

  it('shares with the state before what an event does not touch', () => {
    const before = stateAfter(lobby(lobbyOf('5', [memberOf('1'), memberOf('2')])), lobby(lobbyOf('6')));
    const changed = reduce(before, { kind: 'member', lobbyId: '5', member: memberOf('2', 'blue') });
    expect(changed[1]).toBe(before[1]);
    expect(changed[0]?.members[0]).toBe(before[0]?.members[0]);
    expect(changed[0]?.metadata).toBe(before[0]?.metadata);
    expect(changed[0]?.members[1]).not.toBe(before[0]?.members[1]);
  });

  it('shares the equal parts of a whole lobby sent again', () => {
    const before = stateAfter(lobby(lobbyOf('5', [memberOf('1', 'red'), memberOf('2', 'red')])));
    const edited = reduce(before, lobby(lobbyOf('5', [memberOf('1', 'red'), memberOf('2', 'blue')], 'reef')));
    expect(edited[0]?.members[0]).toBe(before[0]?.members[0]);
    expect(edited[0]?.members[1]).toEqual(memberOf('2', 'blue'));
    const moved = reduce(before, lobby(lobbyOf('5', [memberOf('1', 'red'), memberOf('2', 'red')], 'reef')));
    expect(moved[0]?.members).toBe(before[0]?.members);
  });

  it('tells a value that is gone from one that is undefined or of another name', () => {
    const named = (metadata: Record<string, string>) =>
      Object.freeze({ ...lobbyOf('5'), metadata: Object.freeze(metadata) });
    const before = stateAfter(lobby(named({ a: 'x' })));
    expect(reduce(before, lobby(named({ b: 'x' })))[0]?.metadata).toEqual({ b: 'x' });
    expect(reduce(before, lobby(named({})))[0]?.metadata).toEqual({});
    expect(reduce(before, lobby(named({ a: 'x', toString: 'y' })))[0]?.metadata).toEqual({ a: 'x', toString: 'y' });
  });
});

describe('reduce, against maps that are changed in place', () => {
  const id = fc.constantFrom('1', '2', '3', '10');
  const team = fc.constantFrom(undefined, 'red', 'blue');
  const member = fc.tuple(id, team).map(([id, team]) => memberOf(id, team));
  const whole = fc
    .tuple(id, fc.array(member, { maxLength: 3 }), fc.constantFrom('reef', 'harbour'))
    .map(([id, members, map]) => lobbyOf(id, members, map));
  const event: fc.Arbitrary<LobbyEvent> = fc.oneof(
    whole.map(lobby),
    id.map((lobbyId): LobbyEvent => ({ kind: 'lobby-gone', lobbyId })),
    fc.tuple(id, member).map(([lobbyId, member]): LobbyEvent => ({ kind: 'member', lobbyId, member })),
    fc.tuple(id, id).map(([lobbyId, memberId]): LobbyEvent => ({ kind: 'member-gone', lobbyId, memberId })),
    fc.array(whole, { maxLength: 3 }).map(lobbies => reset(...lobbies)),
  );

  type Plain = Map<string, { lobby: LobbySnapshot; members: Map<string, LobbyMemberSnapshot> }>;

  function apply(plain: Plain, event: LobbyEvent): void {
    const put = (lobby: LobbySnapshot) =>
      plain.set(lobby.id, { lobby, members: new Map(lobby.members.map(one => [one.id, one])) });
    if (event.kind === 'lobby') put(event.lobby);
    else if (event.kind === 'lobby-gone') plain.delete(event.lobbyId);
    else if (event.kind === 'member') plain.get(event.lobbyId)?.members.set(event.member.id, event.member);
    else if (event.kind === 'member-gone') plain.get(event.lobbyId)?.members.delete(event.memberId);
    else {
      plain.clear();
      event.lobbies.forEach(put);
    }
  }

  const shown = (plain: Plain): LobbyState =>
    sortedById([...plain.values()].map(({ lobby, members }) => ({ ...lobby, members: sortedById(members.values()) })));

  it('holds the same lobbies, frozen, and is a new object exactly when something differs', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 30 }), events => {
        const plain: Plain = new Map();
        let state: LobbyState = noLobbies;
        for (const event of events) {
          const before = { state, text: JSON.stringify(state) };
          state = reduce(state, event);
          apply(plain, event);
          expect(state).toEqual(shown(plain));
          expect(isDeeplyFrozen(state)).toBe(true);
          expect(JSON.stringify(before.state)).toBe(before.text);
          expect(state === before.state).toBe(JSON.stringify(state) === before.text);
          for (const lobby of before.state) {
            const kept = findById(state, lobby.id);
            expect(kept === lobby).toBe(JSON.stringify(kept) === JSON.stringify(lobby));
          }
        }
      }),
    );
  });
});
