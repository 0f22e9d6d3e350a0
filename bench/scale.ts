import { intents } from '../src/model/gateway.ts';
import { topics } from '../src/service/events/announcement.ts';
import { createLobbies } from '../src/service/features/lobbies/lobbies.ts';
import { Hub } from '../src/service/gateway/hub.ts';
import { Session } from '../src/service/gateway/sessions/session.ts';
import { openMemoryStore } from '../src/service/store/memory/store.ts';
import type { GatewaySessionRecord } from '../src/service/store/records.ts';
import { makeCore } from '../test/service/control/support.ts';
import { applicationRecord, userRecord } from '../test/service/features/support.ts';
import { type BenchRow, median, microseconds } from './row.ts';

/**
 * How the cost of an event and of a session grows with the number of sessions and of lobbies: the service's own domain, hub and sessions
 * in virtual time, without sockets. The exponent is fitted over the sizes: 0 is a cost that does not grow, 1 one that grows like the
 * whole, of which all together would cost the square.
 */
const sizes = [1000, 10_000, 100_000] as const;
/** Members of a lobby, each with a session; the other lobbies have none. */
const members = 10;
const edits = 4000;
const measured = 2000;
/** The caches of the processor hold a thousand sessions, and not a hundred thousand. */
const exponentMax = 0.25;

interface Costs {
  readonly start: number;
  readonly event: number;
  readonly end: number;
  readonly lobby: number;
}

export async function run(): Promise<BenchRow[]> {
  await costsAt(sizes[0], 0); // It warms the code up.
  const bySessions: Costs[] = [];
  for (const size of sizes) bySessions.push(await costsAt(size, 0));
  const byLobbies: Costs[] = [];
  for (const size of sizes) byLobbies.push(await costsAt(sizes[0], size));
  return [
    fitted('a session that begins, by sessions', bySessions, 'start'),
    fitted('an edit and its event at 10 sessions, by sessions', bySessions, 'event'),
    fitted('a session that ends, by sessions', bySessions, 'end'),
    fitted('an edit and its event at 10 sessions, by idle lobbies', byLobbies, 'event'),
    fitted('a lobby that is created, by idle lobbies', byLobbies, 'lobby'),
  ];
}

function fitted(name: string, costs: readonly Costs[], kind: keyof Costs): BenchRow {
  const figures = costs.map(cost => cost[kind]);
  const exponent = slope(figures.map((figure, at) => [Math.log(sizes[at] ?? 1), Math.log(figure)]));
  return {
    name: `${name}: 1,000 / 10,000 / 100,000`,
    ours: figures.map(microseconds).join(' / '),
    peer: 'exponent',
    ratio: exponent,
    goal: `≤ ${exponentMax}`,
    ok: exponent <= exponentMax,
  };
}

/** Of the line with the least squares. */
function slope(points: readonly (readonly [number, number])[]): number {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [x, y] = [mean(points.map(([at]) => at)), mean(points.map(([, value]) => value))];
  const covariance = points.reduce((sum, [at, value]) => sum + (at - x) * (value - y), 0);
  return covariance / points.reduce((sum, [at]) => sum + (at - x) ** 2, 0);
}

/** CPU microseconds, in a service with so many sessions and so many lobbies besides theirs. */
async function costsAt(sessionCount: number, idle: number): Promise<Costs> {
  const base = await makeCore();
  await base.store.close();
  const core = { ...base, store: openMemoryStore({ sink: announced => base.bus.publish(announced) }) };
  const application = applicationRecord('1');
  const userIds = Array.from({ length: sessionCount }, (_, index) => String(1000 + index));
  await core.store.transact('world', transaction => {
    transaction.put('applications', application);
    for (const id of userIds) transaction.put('users', userRecord(id));
  });
  const lobbies = createLobbies(core);
  const lobbyIds: string[] = [];
  for (let at = 0; at < sessionCount; at += members) {
    const entries = userIds.slice(at, at + members).map(id => ({ id }));
    lobbyIds.push(idOf(await lobbies.create(application, { members: entries })));
  }
  for (let at = 0; at < idle; at++) await lobbies.create(application, {});

  const hub = new Hub(core);
  const fail = (error: unknown) => {
    throw error;
  };
  const owner = {
    hub,
    onSettled() {},
    onRecheck() {},
    onTaken() {},
    onFail: (_: Session, error: unknown) => fail(error),
  };
  const begin = (userId: string, lobbyId: string): Session => {
    const session = new Session(sessionRecord(application.id, userId), owner);
    core.bus.enter(topics.player(application.id, userId), session.id);
    void session.follow(session.home);
    void session.follow(topics.lobby(lobbyId));
    session.release();
    return session;
  };
  const lobbyOf = (at: number) => lobbyIds[Math.floor(at / members)] ?? '';
  const sessions = userIds.map((userId, at) => begin(userId, lobbyOf(at)));

  const events = await costOf(edits, async n => {
    const at = (n * 7919) % sessionCount;
    const input = { metadata: { slot: String(n) } };
    await lobbies.putMember(application, lobbyOf(at), userIds[at] ?? '', input);
  });
  const received = sessions.reduce((sum, { sequence }) => sum + sequence, 0);
  if (received < (rounds + 1) * edits * members) throw new Error(`Only ${received} events were received.`);
  // The same sessions again and again, so that there are as many as before.
  const count = Math.min(measured, sessionCount);
  const places = Array.from({ length: count }, (_, n) => (n * 7919) % sessionCount);
  const [ends, starts]: [number[], number[]] = [[], []];
  for (let round = 0; round <= rounds; round++) {
    ends.push(await once(count, n => sessions[places[n] ?? 0]?.end()));
    starts.push(
      await once(count, n => {
        const at = places[n] ?? 0;
        sessions[at] = begin(userIds[at] ?? '', lobbyOf(at));
      }),
    );
  }
  const created = await costOf(measured, async () => void (await lobbies.create(application, {})));
  await core.bus.close();
  await core.store.close();
  return { start: median(starts.slice(1)), event: events, end: median(ends.slice(1)), lobby: created };
}

const rounds = 5;

/** The median of several rounds; the first does not count. */
async function costOf(count: number, work: (n: number) => Promise<void>): Promise<number> {
  const figures: number[] = [];
  for (let round = 0; round <= rounds; round++) figures.push(await once(count, n => work(round * count + n)));
  return median(figures.slice(1));
}

async function once(count: number, work: (n: number) => unknown): Promise<number> {
  const { user, system } = process.cpuUsage();
  for (let n = 0; n < count; n++) await work(n);
  const used = process.cpuUsage();
  return (used.user + used.system - user - system) / count;
}

function idOf(lobby: string): string {
  return (JSON.parse(lobby) as { id: string }).id;
}

function sessionRecord(applicationId: string, userId: string): GatewaySessionRecord {
  return {
    ...{
      id: `session of ${userId}`,
      node: null,
      claim: 0,
      kind: 'user',
      application_id: applicationId,
      family_id: applicationId,
      user_id: userId,
    },
    ...{ credential: userId, intents: intents.LOBBIES | intents.LOBBY_DELETE, shard: null, may_call: false },
    ...{ may_set_presence: false, client: { client: 'desktop', os: '', version: 0 } },
    ...{ compress: false, presence: null, base: null, detached_at_ms: null },
  };
}
