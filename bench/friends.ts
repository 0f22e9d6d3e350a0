import { LobbyNews } from '../src/sdk/lobby/lobby-news.ts';
import { People } from '../src/sdk/social/people.ts';
import { type BenchRow, perSecond, type Round, row } from './row.ts';

/**
 * A list of 1,000 friends of which one after another changes what they do: the client's list, sorted and in its groups, against a map
 * that is changed in place; and the same list with somebody who reads it after every change, against one of 10 friends.
 */
export async function run(): Promise<BenchRow[]> {
  return [
    row('1,000 friends, live', perSecond, againstMap(), { sign: '≥', value: 0.5 }),
    row('one of 1,000 friends changes, against one of 10', perSecond, againstFew(), { sign: '≥', value: 0.5 }),
  ];
}

const eventCount = 4_000;

function userId(place: number): string {
  return String(1_054_951_789_318_910_000n + BigInt(place) * 4_194_304n);
}

/** Every friend's turn comes, in an order that no cache foresees. */
function changeOf(count: number, friends: number) {
  const activity = { name: 'Starfall', type: 0, application_id: '1', details: `Wave ${count}`, created_at: count };
  const id = userId((count * 7_919) % friends);
  return { user: { id }, status: 'online', activities: [activity], client_status: { desktop: 'online' } };
}

function open(friends: number): People {
  const people = new People('http://127.0.0.1', new LobbyNews());
  const relationships = Array.from({ length: friends }, (_, place) => ({
    id: userId(place),
    type: 1,
    user: { id: userId(place), username: `user${place}`, global_name: `Friend ${(place * 7_919) % friends}` },
  }));
  people.began({ application: { id: '1' }, user: { id: '9' }, relationships, scopes: ['sdk.social_layer'] });
  for (let place = 0; place < friends; place++) people.apply('PRESENCE_UPDATE', changeOf(place, friends));
  return people;
}

/** Both sides take events as they are parsed: nobody has looked at them before. */
function parsedEvents(friends: number): () => ReturnType<typeof changeOf>[] {
  const texts = Array.from({ length: eventCount }, (_, count) => JSON.stringify(changeOf(count + 1, friends)));
  return () => texts.map(text => JSON.parse(text));
}

function againstMap(): Round[] {
  const parsed = parsedEvents(1_000);
  const people = open(1_000);
  const plain = new Map<string, object>();
  return rounds(
    () => rateOf(parsed(), event => people.apply('PRESENCE_UPDATE', event)),
    () => rateOf(parsed(), event => plain.set(event.user.id, event)),
  );
}

function againstFew(): Round[] {
  const sides = [1_000, 10].map(friends => {
    const parsed = parsedEvents(friends);
    const people = open(friends);
    people.friends$.subscribe(() => {});
    return () => rateOf(parsed(), event => people.apply('PRESENCE_UPDATE', event));
  });
  const [many = () => 0, few = () => 0] = sides;
  return rounds(many, few);
}

function rounds(ours: () => number, peer: () => number): Round[] {
  const all: Round[] = [];
  for (let round = 0; round < 60; round++) {
    const measured = { ours: ours(), peer: peer() };
    if (round >= 10) all.push(measured);
  }
  return all;
}

function rateOf<Event>(events: readonly Event[], take: (event: Event) => void): number {
  const started = performance.now();
  for (const event of events) take(event);
  return (events.length / (performance.now() - started)) * 1_000;
}

if (import.meta.main) console.table(await run());
