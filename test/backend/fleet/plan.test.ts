import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkDesired, type DesiredLobby, type DesiredMember } from '../../../src/backend/fleet/desired.ts';
import { type LobbyCall, planLobby } from '../../../src/backend/fleet/plan.ts';
import { limits } from '../../../src/model/limits/limits.ts';
import type { Lobby, LobbyMember, LobbyMemberChange } from '../../../src/model/lobby.ts';
import { checkLobby, checkLobbyMember, checkLobbyMemberChanges } from '../../../src/model/rules/lobbies/lobby.ts';
import { faults } from '../../support/commands/issues.ts';

const perRequest = limits.lobbyMembersPerRequestMax;

const lobbyOf = (members: readonly LobbyMember[] = [], fields: Partial<Lobby> = {}): Lobby => ({
  id: '1',
  application_id: '2',
  metadata: null,
  flags: 0,
  ...fields,
  members,
});
const plain = (id: number): LobbyMember => ({ id: String(id), metadata: null, flags: 0 });
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);
const kinds = (calls: readonly LobbyCall[]) => calls.map(({ kind }) => kind);

/** What a service makes of a call, by the interface's own words. */
function applied(lobby: Lobby, call: LobbyCall): Lobby {
  switch (call.kind) {
    case 'edit': {
      const { members, idle_timeout_seconds: _, ...fields } = call.input;
      const before = new Map(lobby.members.map(member => [member.id, member]));
      const listed = members?.map(entry => written(before.get(entry.id), entry));
      const flags = fields.flags === undefined ? lobby.flags : (fields.flags ?? 0);
      const metadata = fields.metadata === undefined ? lobby.metadata : fields.metadata;
      return { ...lobby, ...fields, metadata, flags, members: listed ?? lobby.members };
    }
    case 'putMember':
      return withChanges(lobby, [{ id: call.userId, ...call.input }]);
    case 'removeMember':
      return withChanges(lobby, [{ id: call.userId, remove_member: true }]);
    case 'bulkMembers':
      return withChanges(lobby, call.changes);
  }
}

function withChanges(lobby: Lobby, changes: readonly LobbyMemberChange[]): Lobby {
  const members = new Map(lobby.members.map(member => [member.id, member]));
  for (const { remove_member, ...change } of changes) {
    if (remove_member) members.delete(change.id);
    else members.set(change.id, written(members.get(change.id), change));
  }
  expect(members.size).toBeLessThanOrEqual(limits.lobbyMembersMax);
  return { ...lobby, members: [...members.values()] };
}

function written(before: LobbyMember | undefined, { id, metadata, flags, additional_name: name }: DesiredMember) {
  const kept = name === undefined ? before?.additional_name : (name ?? undefined);
  return { id, metadata: metadata ?? null, flags: flags ?? 0, ...(kept !== undefined && { additional_name: kept }) };
}

/** What the lobby is to be when it was `actual` before. */
function wanted(actual: Lobby, desired: DesiredLobby): Lobby {
  const before = new Map(actual.members.map(member => [member.id, member]));
  const { metadata, flags, override_event_webhooks_url: url, members } = desired;
  return {
    ...actual,
    ...(metadata !== undefined && { metadata }),
    ...(flags !== undefined && { flags: flags ?? 0 }),
    ...(url !== undefined && { override_event_webhooks_url: url }),
    members: members ? members.map(member => written(before.get(member.id), member)) : actual.members,
  };
}

const sorted = (lobby: Lobby) => ({
  ...lobby,
  override_event_webhooks_url: lobby.override_event_webhooks_url ?? null,
  members: [...lobby.members].sort((a, b) => Number(a.id) - Number(b.id)),
});

/** Text that is the same for what means the same. */
function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonical(field)}`).sort()}}`;
}

/** The fewest calls of every way to write that the interface has, found by trying each. */
function fewest(actual: Lobby, desired: DesiredLobby): number {
  const target = wanted(actual, desired);
  const text = (member: LobbyMember | undefined) => canonical(member);
  const same = (a: unknown, b: unknown) => canonical(a) === canonical(b);
  const fieldsDiffer =
    !same(actual.metadata, target.metadata) ||
    actual.flags !== target.flags ||
    !same(actual.override_event_webhooks_url, target.override_event_webhooks_url);
  const changesFrom = (members: readonly LobbyMember[]) => {
    const before = new Map(members.map(member => [member.id, text(member)]));
    const after = new Map(target.members.map(member => [member.id, text(member)]));
    const removed = [...before.keys()].filter(id => !after.has(id)).length;
    return removed + [...after].filter(([id, member]) => before.get(id) !== member).length;
  };
  const byMember = (fieldsDiffer ? 1 : 0) + Math.ceil(changesFrom(actual.members) / perRequest);
  const staying = actual.members.filter(({ id }) => target.members.some(member => member.id === id));
  if (staying.length > perRequest || staying.some(({ additional_name }) => additional_name !== undefined)) {
    return byMember;
  }
  // Of a list only its members' ids and nameless parts can be chosen; who stays must be in it.
  const nameless = target.members.map(({ additional_name: _, ...member }) => member);
  const stays = nameless.filter(({ id }) => staying.some(member => member.id === id));
  const others = nameless.filter(({ id }) => !stays.some(member => member.id === id));
  const done = (member: LobbyMember) => text(target.members.find(({ id }) => id === member.id)) === text(member);
  const best = [...others].sort((a, b) => Number(done(b)) - Number(done(a))).slice(0, perRequest - stays.length);
  return Math.min(byMember, 1 + Math.ceil(changesFrom([...stays, ...best]) / perRequest));
}

const texts = fc.constantFrom('', 'a', 'b');
const metadata = fc.option(fc.dictionary(fc.constantFrom('map', 'mode', '__proto__x'), texts, { maxKeys: 2 }));
const flags = fc.constantFrom(0, 1);
const memberOf = (id: number) =>
  fc
    .record({ metadata, flags, name: fc.constantFrom(undefined, undefined, undefined, 'Bo') })
    .map(({ name, ...rest }) => ({
      id: String(id),
      ...rest,
      ...(name !== undefined && { additional_name: name }),
    }));
const nameless = (id: number) => fc.constant(plain(id));
const ids = fc
  .tuple(fc.nat(80), fc.nat(60), fc.nat(80))
  .map(([before, from, length]) => ({ before: range(0, before), after: range(from, from + length) }));
const members = (numbers: readonly number[], one: (id: number) => fc.Arbitrary<LobbyMember>) =>
  fc.tuple(...numbers.map(one));

const cases = fc.tuple(ids, fc.boolean()).chain(([{ before, after }, named]) => {
  const one = named ? memberOf : (id: number) => fc.oneof({ weight: 9, arbitrary: nameless(id) }, memberOf(id));
  return fc.record({
    actual: fc
      .record({ members: members(before, one), metadata, flags })
      .map(({ members, ...rest }) => lobbyOf(members, rest)),
    desired: fc.record(
      { members: members(after, one), metadata, flags },
      { requiredKeys: [] },
    ) as fc.Arbitrary<DesiredLobby>,
  });
});

describe('the plan for a lobby', () => {
  it('makes desired of actual, in requests that the rulebook passes, by no more calls than any way tried', () => {
    fc.assert(
      fc.property(cases, ({ actual, desired }) => {
        expect(checkDesired(desired)).toEqual([]);
        const plan = planLobby(actual, desired);
        for (const call of plan) expect(issuesOf(call)).toEqual([]);
        expect(sorted(plan.reduce(applied, actual))).toEqual(sorted(wanted(actual, desired)));
        expect(plan.length).toBe(fewest(actual, desired));
        expect(planLobby(plan.reduce(applied, actual), desired)).toEqual([]);
      }),
      { numRuns: 400 },
    );
  });

  it('is empty where nothing is desired, and where all is so already', () => {
    const fields = { metadata: { a: '1' }, override_event_webhooks_url: 'https://a.example' };
    const lobby = lobbyOf([plain(1)], fields);
    expect(planLobby(lobby, {})).toEqual([]);
    expect(planLobby(lobby, { ...fields, flags: null, members: lobby.members })).toEqual([]);
    expect(planLobby(lobbyOf(), { override_event_webhooks_url: null, metadata: null, members: null })).toEqual([]);
    const { metadata: _, flags: __, ...bare } = lobbyOf([{ id: '1' } as LobbyMember]);
    expect(planLobby(bare as Lobby, { metadata: null, flags: 0, members: [{ id: '1', flags: 0 }] })).toEqual([]);
    expect(planLobby(bare as Lobby, { members: [{ id: '1', metadata: { a: '1' } }] })).toHaveLength(1);
  });

  it('puts or deletes a single member by a call of its own, and 2 to 25 in one bulk call', () => {
    expect(planLobby(lobbyOf(), { members: [{ id: '1', flags: 1 }] })).toEqual([
      { kind: 'putMember', userId: '1', input: { flags: 1 } },
    ]);
    expect(planLobby(lobbyOf([plain(1)]), { members: [] })).toEqual([{ kind: 'removeMember', userId: '1' }]);
    for (const count of [2, perRequest]) {
      expect(kinds(planLobby(lobbyOf(), { members: range(0, count).map(plain) }))).toEqual(['bulkMembers']);
    }
    expect(kinds(planLobby(lobbyOf(), { members: range(0, perRequest + 1).map(plain) }))).toEqual([
      'bulkMembers',
      'putMember',
    ]);
  });

  it('joins fields and a list of at most 25 members in one edit, and never lists 26 who stay', () => {
    const metadata = { map: 'harbour' };
    const actual = (count: number) => lobbyOf(range(0, count).map(plain));
    const desired = (count: number) => ({ metadata, members: range(0, count).map(plain) });
    expect(kinds(planLobby(actual(3), desired(perRequest)))).toEqual(['edit']);
    expect(kinds(planLobby(actual(perRequest + 2), desired(perRequest)))).toEqual(['edit']);
    expect(kinds(planLobby(actual(perRequest + 2), desired(perRequest + 1)))).toEqual(['edit', 'removeMember']);
  });

  it('empties a full lobby by one list of who stays', () => {
    const full = lobbyOf(range(0, limits.lobbyMembersMax).map(plain));
    expect(planLobby(full, { members: [plain(7)] })).toEqual([{ kind: 'edit', input: { members: [plain(7)] } }]);
    expect(planLobby(full, { members: [] })).toEqual([{ kind: 'edit', input: { members: [] } }]);
  });

  it('exchanges the members of a full lobby without ever having more than 1000', () => {
    const full = lobbyOf(range(0, limits.lobbyMembersMax).map(plain));
    const named = full.members.map(member => ({ ...member, additional_name: 'Bo' }));
    const desired = { members: [...range(0, 30), ...range(1000, 1970)].map(plain) };
    const plan = planLobby({ ...full, members: named }, desired);
    expect(plan).toHaveLength(Math.ceil((970 * 2) / perRequest));
    expect(plan.reduce(applied, { ...full, members: named }).members).toHaveLength(limits.lobbyMembersMax);
  });

  it('leaves a list alone while somebody with an additional name stays', () => {
    const named = { ...plain(0), additional_name: 'Bo' };
    const others = range(1, 60).map(plain);
    expect(kinds(planLobby(lobbyOf([named, ...others]), { members: [plain(0)] }))).toEqual([
      'bulkMembers',
      'bulkMembers',
      'bulkMembers',
    ]);
    expect(kinds(planLobby(lobbyOf([plain(0), ...others]), { members: [plain(0)] }))).toEqual(['edit']);
  });

  it('sets an idle timeout unless it is known to be set, since no answer shows it', () => {
    const desired = { idle_timeout_seconds: 60 };
    const calls = [{ kind: 'edit', input: desired }];
    expect(planLobby(lobbyOf(), desired)).toEqual(calls);
    expect(planLobby(lobbyOf(), desired, { idleTimeoutSeconds: 61 })).toEqual(calls);
    expect(planLobby(lobbyOf(), desired, { idleTimeoutSeconds: 60 })).toEqual([]);
    expect(planLobby(lobbyOf(), { idle_timeout_seconds: null })).toEqual([]);
  });
});

describe('a desired lobby', () => {
  it('has the faults that requests of its content would have', () => {
    const body = { metadata: { a: 1 }, idle_timeout_seconds: 4, members: [{ id: 'x' }, { flags: 7 }, null] };
    const found = faults(checkDesired(body));
    expect(found.sort()).toEqual(faults(checkLobby(body)).sort());
    expect(found).toContain('idle_timeout_seconds NUMBER_TYPE_MIN');
    for (const value of [undefined, null, 1, 'x', []]) expect(checkDesired(value)).toEqual(checkLobby(value));
  });

  it('may have 1000 members, each once, and not 1001', () => {
    const of = (count: number) => ({ members: range(1, count + 1).map(plain) });
    expect(checkDesired(of(limits.lobbyMembersMax))).toEqual([]);
    expect(faults(checkDesired(of(limits.lobbyMembersMax + 1)))).toEqual(['members BASE_TYPE_MAX_LENGTH']);
    const twice = { members: [...range(1, 31), 30].map(plain) };
    expect(faults(checkDesired(twice))).toEqual(['members.30.id LIST_ITEM_DUPLICATE']);
  });

  it('may name members, with names of 80 characters and not 81', () => {
    const named = (length: number) => ({ members: [{ id: '1', additional_name: 'x'.repeat(length) }] });
    expect(checkDesired(named(limits.lobbyAdditionalNameLengthMax))).toEqual([]);
    expect(faults(checkDesired(named(limits.lobbyAdditionalNameLengthMax + 1)))).toEqual([
      'members.0.additional_name BASE_TYPE_BAD_LENGTH',
    ]);
  });
});

function issuesOf(call: LobbyCall) {
  switch (call.kind) {
    case 'edit':
      return checkLobby(call.input);
    case 'putMember':
      return checkLobbyMember(call.input);
    case 'removeMember':
      return [];
    case 'bulkMembers':
      return checkLobbyMemberChanges(call.changes);
  }
}
