import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Ready } from '../../src/model/gateway.ts';
import { type ServicePlace, servicePlaces } from '../support/cluster/service-places.ts';
import type { GatewayClient } from '../support/gateway/gateway-client.ts';
import { linearize, type Observed, type Specification } from '../support/gateway/linearizability.ts';
import { patienceMs } from '../support/runs/soak.ts';
import { tries } from '../support/runs/tries.ts';
import { Player, socialWorld, userIds } from '../support/service/social.ts';

/** What one user does to another, or looks up about all. */
interface Operation {
  readonly by: string;
  /** Of a list: whom the answer is looked at for. */
  readonly to: string;
  readonly act: 'request' | 'accept' | 'remove' | 'block' | 'list';
  readonly kind: Kind;
}
type Kind = 'full' | 'game';

const paths = { full: '/users/@me/relationships', game: '/users/@me/game-relationships' } as const;
const kinds = ['full', 'game'] as const;

/** What two users are to each other: by kind, and within that by user. 0: nothing. */
type Pair = Readonly<Record<Kind, Readonly<Record<string, number>>>>;

const [none, friend, blocked, incoming, outgoing] = [0, 1, 2, 3, 4] as const;

function noPair(a: string, b: string): Pair {
  return { full: { [a]: none, [b]: none }, game: { [a]: none, [b]: none } };
}

/** What an operation answers and does, as docs/spec/social.md says. */
function apply(pair: Pair, { by, to, act, kind }: Operation): { readonly next: Pair; readonly answer: string } {
  const mine = pair[kind][by] ?? none;
  const set = (a: number, b: number): Pair => ({ ...pair, [kind]: { [by]: a, [to]: b } });
  const isBlocked = pair.full[by] === blocked || pair.full[to] === blocked;
  const done = (next: Pair) => ({ next, answer: '204' });
  const refused = (code: number) => ({ next: pair, answer: `400 ${code}` });
  switch (act) {
    case 'list':
      return { next: pair, answer: String(mine) };
    case 'request':
      if (mine === friend) return refused(80007);
      if (isBlocked) return refused(80001);
      if (mine === incoming) return done(set(friend, friend));
      return done(mine === outgoing ? pair : set(outgoing, incoming));
    case 'accept':
      return mine === incoming ? done(set(friend, friend)) : refused(80005);
    case 'remove':
      if (mine === blocked) return done(set(none, pair.full[to] ?? none));
      return done(mine === none ? pair : set(none, none));
    case 'block': {
      if (pair.full[by] === blocked) return done(pair);
      const theirs = pair.full[to] === blocked ? blocked : none;
      return done({ full: { [by]: blocked, [to]: theirs }, game: { [by]: none, [to]: none } });
    }
  }
}

function specificationOf(a: string, b: string): Specification<Pair, Operation, string> {
  return {
    initial: noPair(a, b),
    step(state, operation, result) {
      const { next, answer } = apply(state, operation);
      return result === undefined || result === answer ? next : undefined;
    },
    keyOf: pair => kinds.flatMap(kind => [pair[kind][a], pair[kind][b]]).join(''),
  };
}

async function perform(player: Player, { to, act, kind }: Operation): Promise<string> {
  if (act === 'list') return String((await typesOf(player, kind)).get(to) ?? none);
  const path = `${paths[kind]}/${to}`;
  if (act === 'remove') return player.result('DELETE', path);
  if (act === 'block') return player.result('PUT', `${paths.full}/${to}`, { type: 2 });
  return player.result('PUT', path, act === 'accept' ? { type: 1 } : {});
}

/** The user's list: the other's id → what the other is to the user. */
async function typesOf(player: Player, kind: Kind): Promise<Map<string, number>> {
  const { body } = await player.call('GET', paths[kind]);
  return new Map((body as { id: string; type: number }[]).map(({ id, type }) => [id, type]));
}

/** What a session knows by READY and its events. Throws when an event changes nothing. */
function mirrorOf(client: GatewayClient): Record<Kind, Map<string, number>> {
  const ready = client.frames.find(({ t }) => t === 'READY')?.d as Ready;
  const typed = (list: readonly { id: string; type: number }[]) => new Map(list.map(({ id, type }) => [id, type]));
  const mirror = { full: typed(ready.relationships), game: typed(ready.game_relationships) };
  for (const { t, d } of client.frames) {
    const [, game, change] = /^(GAME_)?RELATIONSHIP_(ADD|REMOVE)$/.exec(t ?? '') ?? [];
    if (change === undefined) continue;
    const { id, type } = d as { id: string; type: number };
    const known = mirror[game ? 'game' : 'full'];
    if (change === 'ADD') {
      expect(known.get(id), 'an event that was sent twice').not.toBe(type);
      known.set(id, type);
    } else {
      expect(known.get(id), 'the type before the end').toBe(type);
      known.delete(id);
    }
  }
  return mirror;
}

const options = { fixtures: socialWorld, limits: 'off' } as const;
const names = ['ada', 'grace', 'edsger'] as const;
const ids = names.map(name => userIds[name]);
const pairs = [
  [0, 1],
  [0, 2],
  [1, 2],
] as const;

type Step = Pick<Operation, 'act' | 'kind'> & { readonly other: number };
const step: fc.Arbitrary<Step> = fc.record({
  other: fc.nat(1),
  act: fc.oneof(
    { weight: 8, arbitrary: fc.constant('request' as const) },
    { weight: 4, arbitrary: fc.constant('accept' as const) },
    { weight: 4, arbitrary: fc.constant('remove' as const) },
    { weight: 1, arbitrary: fc.constant('block' as const) },
    { weight: 4, arbitrary: fc.constant('list' as const) },
  ),
  kind: fc.constantFrom(...kinds),
});
/** Two scripts of each user, which run at the same time. */
const scripts = fc.array(fc.array(step, { minLength: 3, maxLength: 7 }), { minLength: 6, maxLength: 6 });

const places = await servicePlaces(options, { memory: 4, disk: 4, nodes: 2 });

// Not describe.each, which shortens the place in the title, and with it the reason of a skip.
for (const { place, runs, missing, open } of places)
  describe(`relationships that users change at the same time, ${place}`, () => {
    let opened: Awaited<ReturnType<ServicePlace['open']>> | undefined;
    let players: readonly Player[];
    /** The same at the other service. */
    let twins: readonly Player[];

    beforeAll(async () => {
      if (missing !== undefined) return;
      opened = await open();
      const [here, there] = opened.services;
      players = await Promise.all(names.map(name => Player.of(here, name)));
      twins = players.map(({ id, token }) => new Player(there, id, token));
    }, patienceMs);
    afterAll(() => opened?.close());

    async function run(player: Player, script: readonly Step[], history: History): Promise<void> {
      for (const { other, act, kind } of script) {
        const to = ids.filter(id => id !== player.id)[other] ?? '';
        const operation: Operation = { by: player.id, to, act, kind: act === 'block' ? 'full' : kind };
        const invokedAt = history.now++;
        const result = await perform(player, operation);
        history.observed.push({ operation, invokedAt, returnedAt: history.now++, result });
      }
    }

    interface History {
      now: number;
      readonly observed: Observed<Operation, string>[];
    }

    it.skipIf(missing !== undefined)(
      'change one after another, and both users and all their sessions agree in the end',
      async () => {
        await fc.assert(
          fc.asyncProperty(scripts, async scripts => {
            const sessions = await Promise.all(players.map(player => player.connect()));
            const late: Promise<GatewayClient>[] = [];
            const history: History = { now: 0, observed: [] };
            const running = scripts.map((script, at) =>
              run((at < 3 ? players : twins)[at % 3] as Player, script, history),
            );
            for (const player of twins) late.push(player.connect({ apart: true }));
            await Promise.all(running);
            const clients = [...sessions, ...(await Promise.all(late))];

            for (const [a, b] of pairs) {
              const both = [ids[a] ?? '', ids[b] ?? ''] as const;
              const ours = history.observed.filter(
                ({ operation: { by, to } }) => both.includes(by) && both.includes(to),
              );
              expect(linearize(ours, specificationOf(...both)), describeHistory(ours)).toBeDefined();
            }
            const lists = await Promise.all(players.map(async player => [player.id, await listsOf(player)] as const));
            const views = new Map(lists);
            for (const [at, client] of clients.entries()) await expectMirror(client, views.get(ids[at % 3] ?? ''));
            for (const [a, b] of pairs) for (const kind of kinds) expectAgreement(views, kind, ids[a], ids[b]);

            await Promise.all(clients.map(client => client.end()));
            for (const player of players) for (const id of ids) await clear(player, id);
          }),
          { ...tries(runs, 1_000), endOnFailure: true },
        );
      },
      patienceMs,
    );
  });

async function listsOf(player: Player): Promise<Record<Kind, Map<string, number>>> {
  return { full: await typesOf(player, 'full'), game: await typesOf(player, 'game') };
}

/** Events of another node come when they were read from the database. */
async function expectMirror(client: GatewayClient, view: Record<Kind, Map<string, number>> | undefined) {
  await expect.poll(() => mirrorOf(client), { timeout: 20_000 }).toEqual(view);
  await client.beat();
  expect(mirrorOf(client)).toEqual(view);
}

type Views = ReadonlyMap<string, Record<Kind, Map<string, number>>>;

function expectAgreement(views: Views, kind: Kind, a = '', b = ''): void {
  const [mine, theirs] = [views.get(a)?.[kind].get(b) ?? none, views.get(b)?.[kind].get(a) ?? none];
  const opposites: Record<number, readonly number[]> = {
    [none]: [none, blocked],
    [friend]: [friend],
    [blocked]: [none, blocked],
    [incoming]: [outgoing],
    [outgoing]: [incoming],
  };
  expect(opposites[mine]).toContain(theirs);
}

async function clear(player: Player, id: string): Promise<void> {
  if (id === player.id) return;
  for (const kind of kinds) expect(await player.result('DELETE', `${paths[kind]}/${id}`)).toBe('204');
}

function describeHistory(history: readonly Observed<Operation, string>[]): string {
  const lines = history.map(({ operation, invokedAt, returnedAt, result }) =>
    [`${invokedAt}–${returnedAt}`, JSON.stringify(operation), '→', result].join(' '),
  );
  return `No order of these operations explains their answers:\n${lines.join('\n')}`;
}
