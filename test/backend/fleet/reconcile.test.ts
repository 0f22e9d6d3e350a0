import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DesiredLobby } from '../../../src/backend/fleet/desired.ts';
import type { Lobby } from '../../../src/model/lobby.ts';
import { nodeTransport } from '../../../src/wire/http/node-transport.ts';
import { tries } from '../../support/runs/tries.ts';
import { starfall } from '../../support/service/starfall.ts';
import { codeOf, Fleet, leaseMs, players } from './rig.ts';

const [ada, grace] = starfall.users;
const crowd = players(60).map(({ id }) => id);

let fleet: Fleet;
beforeEach(async () => {
  fleet = await Fleet.start(60);
});
afterEach(() => fleet.close());

const setOf = (lobbies: Record<string, DesiredLobby>) => new Map(Object.entries(lobbies));
const outcomes = (report: { lobbies: ReadonlyMap<string, { outcome: string }> }) =>
  Object.fromEntries([...report.lobbies].map(([key, { outcome }]) => [key, outcome]));

describe('reconcile', () => {
  it('opens what is missing, changes what differs, leaves what is so, deletes what is not in the set', async () => {
    const { lobbies, sent } = fleet.server('a');
    const set = { same: { metadata: { a: '1' } }, other: { members: [{ id: ada.id }] }, old: {} };
    await lobbies.reconcile(setOf(set));
    sent.length = 0;
    const next = setOf({ same: set.same, other: { members: [{ id: grace.id, flags: 1 }] }, fresh: {} });
    const report = await lobbies.reconcile(next);
    expect(outcomes(report)).toEqual({ same: 'unchanged', other: 'changed', fresh: 'created', old: 'deleted' });
    expect(report.isComplete).toBe(true);
    expect(sent.map(line => line.replace(/\d+/g, '…')).sort()).toEqual(
      ['DELETE lobbies/…', 'GET lobbies/…', 'GET lobbies/…', 'POST lobbies', 'POST lobbies/…/members/bulk'].sort(),
    );
    sent.length = 0;
    expect(outcomes(await lobbies.reconcile(next))).toEqual({
      same: 'unchanged',
      other: 'unchanged',
      fresh: 'unchanged',
    });
    expect(sent).toHaveLength(3);
  });

  it('takes nothing but a map for a set, and deletes nothing otherwise', async () => {
    const { lobbies } = fleet.server('a');
    const { lobby } = await lobbies.ensure('match 1');
    for (const wrong of [undefined, null, {}, [], [['match 2', {}]]]) {
      expect(await codeOf(lobbies.reconcile(wrong as never))).toBe('invalid_argument');
    }
    expect((await fleet.lobby(lobby.id))?.id).toBe(lobby.id);
  });

  it('works on the set as it was given, however the game changes it meanwhile', async () => {
    const { lobbies } = fleet.server('a');
    const set = setOf({ 'match 1': {} });
    const reconciling = lobbies.reconcile(set);
    set.set('match 2', { members: 'nobody' as never });
    const report = await reconciling;
    expect(outcomes(report)).toEqual({ 'match 1': 'created' });
    expect(report.isComplete).toBe(true);
  });

  it('fills a lobby of 60 in as few calls as there can be, and empties it by one', async () => {
    const { lobbies, sent } = fleet.server('a');
    const members = crowd.map(id => ({ id }));
    await lobbies.reconcile(setOf({ big: { members } }));
    expect(sent.map(line => line.replace(/\d+/g, '…'))).toEqual([
      'POST lobbies',
      'POST lobbies/…/members/bulk',
      'POST lobbies/…/members/bulk',
      'POST lobbies/…/members/bulk',
    ]);
    sent.length = 0;
    await lobbies.reconcile(setOf({ big: { members: members.slice(0, 2) } }));
    expect(sent.map(line => line.split(' ')[0])).toEqual(['GET', 'PATCH']);
  });

  it('keeps other servers’ lobbies, and its own others if the option says so', async () => {
    const b = await fleet.server('b').lobbies.ensure('theirs');
    const { lobbies } = fleet.server('a');
    await lobbies.reconcile(setOf({ mine: {} }));
    const report = await lobbies.reconcile(setOf({ theirs: { metadata: { a: '1' } } }), { keepOthers: true });
    expect(outcomes(report)).toEqual({ theirs: 'foreign' });
    expect(await lobbies.ensure('mine')).toMatchObject({ isNew: false });
    expect(await fleet.lobby(b.lobby.id)).toEqual(b.lobby);
    expect(outcomes(await lobbies.reconcile(setOf({})))).toEqual({ mine: 'deleted' });
  });

  it('says what failed and does the rest', async () => {
    const { lobbies } = fleet.server('a');
    const report = await lobbies.reconcile(setOf({ bad: { members: [{ id: '404' }] }, good: {} }));
    expect(report).toMatchObject({ isComplete: false });
    expect(report.lobbies.get('bad')).toMatchObject({ outcome: 'failed', error: { code: 'unknown_user' } });
    expect(report.lobbies.get('good')).toMatchObject({ outcome: 'created' });
  });

  it('rejects a set with faults before anything is sent, and names them by key', async () => {
    const { lobbies, sent } = fleet.server('a');
    const faulty = setOf({ fine: {}, bad: { idle_timeout_seconds: 4 }, worse: { members: [{ id: 'x' }] } });
    await expect(lobbies.reconcile(faulty)).rejects.toMatchObject({
      issues: [{ path: ['bad', 'idle_timeout_seconds'] }, { path: ['worse', 'members', '0', 'id'] }],
    });
    expect(await codeOf(lobbies.reconcile(setOf({ '': {} })))).toBe('invalid_lobby_key');
    expect(sent).toEqual([]);
  });

  it('reports how far it came when aborted or out of time; repeated, it continues from there', async () => {
    const real = nodeTransport();
    const answered = 30;
    let sent = 0;
    let waiting = 0;
    const transport: typeof real = {
      async send(request) {
        if (++sent <= answered) return real.send(request);
        waiting++;
        return new Promise((_, reject) => {
          request.signal.addEventListener('abort', () => reject(request.signal.reason));
        });
      },
      close: () => real.close(),
    };
    const set = setOf(
      Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`match ${i}`, { metadata: { i: String(i) } }])),
    );
    const cut = fleet.server('a', { transport });
    const controller = new AbortController();
    const running = cut.lobbies.reconcile(set, { signal: controller.signal });
    while (waiting < 16) await new Promise(resolve => setImmediate(resolve)); // as many as go side by side
    controller.abort();
    const report = await running;
    expect(report.isComplete).toBe(false);
    const done = [...report.lobbies.values()].filter(({ outcome }) => outcome === 'created');
    const failed = [...report.lobbies.values()].filter(lobby => lobby.outcome === 'failed');
    expect([done.length, failed.length]).toEqual([answered, set.size - answered]);
    expect(failed.every(({ error }) => (error as { code: string }).code === 'aborted')).toBe(true);

    const late = cut.lobbies.reconcile(set, { deadlineMs: 5_000 });
    await fleet.clock.advance(5_000);
    expect([...(await late).lobbies.values()]).toContainEqual({
      outcome: 'failed',
      error: expect.objectContaining({ code: 'deadline_exceeded' }),
    });

    cut.backend.close(); // it crashes, and comes back
    const again = fleet.server('a');
    const whole = await again.lobbies.reconcile(set);
    expect(whole.isComplete).toBe(true);
    expect(again.sent.filter(line => line === 'POST lobbies')).toHaveLength(set.size - answered);
    expect(again.sent).toHaveLength(set.size);
  });

  it('takes over the lobbies of the set whose server is gone', async () => {
    const crashed = fleet.server('a');
    const { lobby } = await crashed.lobbies.ensure('match');
    crashed.backend.close();
    await fleet.clock.advance(leaseMs);
    const { lobbies } = fleet.server('b');
    const report = await lobbies.reconcile(setOf({ match: { metadata: { b: '1' } } }));
    expect(report.lobbies.get('match')).toMatchObject({ outcome: 'changed', lobby: { id: lobby.id } });
  });

  it('makes any lobby of any other, whatever is desired', async () => {
    const metadata = fc.option(fc.dictionary(fc.constantFrom('a', 'b'), fc.constantFrom('', '1'), { maxKeys: 2 }));
    const member = fc.record(
      {
        id: fc.constantFrom(...crowd),
        metadata,
        flags: fc.constantFrom(0, 1),
        additional_name: fc.constantFrom('Bo', null),
      },
      { requiredKeys: ['id'] },
    );
    const members = fc.uniqueArray(member, { selector: ({ id }) => id, maxLength: 60 });
    const desired = fc.record({ metadata, members, flags: fc.constantFrom(0, 1) }, { requiredKeys: [] });
    const { lobbies } = fleet.server('a');
    await fc.assert(
      fc.asyncProperty(fc.array(desired, { minLength: 1, maxLength: 4 }), async steps => {
        for (const step of steps) {
          const report = await lobbies.reconcile(setOf({ match: step as DesiredLobby }));
          const told = report.lobbies.get('match') as { lobby: Lobby };
          const held = await fleet.lobby(told.lobby.id);
          expect(told.lobby.members.toSorted(byId)).toEqual(held?.members.toSorted(byId));
          expect(held).toMatchObject({ ...step, members: expect.anything() });
          if (step.members)
            expect(new Set(held?.members.map(({ id }) => id))).toEqual(new Set(step.members.map(({ id }) => id)));
          expect(outcomes(await lobbies.reconcile(setOf({ match: step as DesiredLobby })))).toEqual({
            match: 'unchanged',
          });
        }
      }),
      tries(15, 500),
    );
  });
});

function byId(a: { id: string }, b: { id: string }): number {
  return Number(a.id) - Number(b.id);
}
