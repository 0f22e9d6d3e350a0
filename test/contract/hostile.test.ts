import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Route, type RouteName, routes } from '../../src/wire/routes.ts';
import {
  openRouteWorld,
  type RouteCall,
  type RouteWorld,
  routeNames,
  servingRouteNames,
} from '../support/http/every-route.ts';
import { hostileBody } from '../support/http/hostile-bodies.ts';
import { documentOf, type Judge, judgeBy } from '../support/http/openapi-document.ts';
import { patienceMs, runs, seedOf } from '../support/runs/soak.ts';

/** All of them in a soak, a share of them in every run. */
const bodies = runs(1_500, 10_000);
const seed = seedOf(20_261_120);
const underWay = 16;

const withBody = routeNames.filter(name => 'body' in routes[name]);

describe(`${bodies} hostile bodies (seed ${seed})`, () => {
  let world: RouteWorld;
  let judge: Judge;
  const logged: unknown[] = [];
  beforeAll(async () => {
    const log = { debug() {}, info() {}, warn() {}, error: (fields: unknown) => logged.push(fields) };
    world = await openRouteWorld({ log });
    judge = judgeBy(await documentOf(world.service));
  });
  afterAll(() => world.close());

  it.each(withBody)(
    'get a documented answer from %s, never a 5xx',
    async name => {
      const sample = await world.sample(name);
      const count = Math.ceil(bodies / withBody.length);
      const hostile = fc.sample(hostileCall(name, sample), { numRuns: count, seed });
      const complaints: unknown[] = [];
      logged.length = 0;
      await inTurns(hostile, async call => {
        const answer = await world.call(name, call);
        const said = judge.ofAnswer(name, answer);
        if (answer.status >= 500 || said.length > 0) {
          complaints.push({ status: answer.status, said, sent: String(call.body).slice(0, 300), got: answer.text });
        }
      });
      expect({ complaints: complaints.slice(0, 3), logged }).toEqual({ complaints: [], logged: [] });
    },
    patienceMs,
  );

  it('leave no trace on what objects are', () => {
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(({} as Record<string, unknown>).name).toBeUndefined();
  });

  it.each(servingRouteNames)('leave %s as usable as before', async name => {
    await world.renew();
    const { status } = await world.call(name, await world.sample(name));
    expect(routes[name].success).toContain(status);
  });
});

/** The sample's call with another body; a form is filled in with hostile texts. */
function hostileCall(name: RouteName, { body, ...rest }: RouteCall): fc.Arbitrary<RouteCall> {
  const route: Route = routes[name];
  const isForm = route.body === 'form';
  const sample = isForm ? Object.fromEntries(new URLSearchParams(String(body))) : body;
  return hostileBody([sample]).map(text => ({ ...rest, body: isForm ? asForm(text) : text }));
}

function asForm(json: string): string {
  const fields = json.startsWith('{') && isJson(json) ? (JSON.parse(json) as object) : undefined;
  if (!fields) return json;
  return Object.entries(fields)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(JSON.stringify(value)).toWellFormed())}`)
    .join('&');
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Runs `work` for every item, a bounded number at a time. */
async function inTurns<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const left = items.values();
  const worker = async () => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: underWay }, worker));
}
