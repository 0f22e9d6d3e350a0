import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PartialDirectMessage } from '../../src/model/direct-message.ts';
import { type ServicePlace, servicePlaces } from '../support/cluster/service-places.ts';
import type { GatewayClient } from '../support/gateway/gateway-client.ts';
import { linearize, type Observed, type Specification } from '../support/gateway/linearizability.ts';
import { patienceMs } from '../support/runs/soak.ts';
import { tries } from '../support/runs/tries.ts';
import { Player, seen, socialWorld, userIds } from '../support/service/social.ts';

const { ada, grace } = userIds;
const otherOf = (userId: string) => (userId === ada ? grace : ada);
const messages = (userId: string) => `/users/${otherOf(userId)}/messages`;
const relationship = (userId: string) => `/users/@me/relationships/${otherOf(userId)}`;

/** What one of the two does. `text`: of the message that is sent or deleted. */
type Operation =
  | { readonly act: 'send' | 'delete'; readonly by: string; readonly text: string }
  | { readonly act: 'block' | 'unblock' | 'list'; readonly by: string };

interface State {
  readonly areFriends: boolean;
  readonly blockers: readonly string[];
  /** Texts of the messages that are kept, the newest first, and of those that are not. */
  readonly kept: readonly string[];
  readonly ephemeral: readonly string[];
}

const specification: Specification<State, Operation, string> = {
  initial: { areFriends: true, blockers: [], kept: [], ephemeral: [] },
  step(state, operation, result) {
    const { next, answer } = apply(state, operation);
    return result === undefined || result === answer ? next : undefined;
  },
  keyOf: state => JSON.stringify(state),
};

/** What an operation answers and does, as docs/spec/social.md says. Both are in the game all the time. */
function apply(state: State, operation: Operation): { readonly next: State; readonly answer: string } {
  const { areFriends, blockers, kept, ephemeral } = state;
  const { act, by } = operation;
  switch (act) {
    case 'send': {
      if (blockers.length > 0) return { next: state, answer: '403' };
      if (areFriends) return { next: { ...state, kept: [operation.text, ...kept] }, answer: '200 1' };
      return { next: { ...state, ephemeral: [operation.text, ...ephemeral].toSorted() }, answer: '200 18' };
    }
    case 'delete': {
      const isThere = kept.includes(operation.text) || ephemeral.includes(operation.text);
      const without = (texts: readonly string[]) => texts.filter(text => text !== operation.text);
      const next = { ...state, kept: without(kept), ephemeral: without(ephemeral) };
      return { next, answer: isThere ? '204' : '404' };
    }
    case 'block': {
      const next = { ...state, areFriends: false, blockers: [...new Set([...blockers, by])].toSorted() };
      return { next, answer: '204' };
    }
    case 'unblock':
      return { next: { ...state, blockers: blockers.filter(id => id !== by) }, answer: '204' };
    case 'list':
      return { next: state, answer: kept.join(' ') };
  }
}

type Step =
  | { readonly act: 'send' | 'list' | 'block' | 'unblock' }
  | { readonly act: 'delete'; readonly which: number };
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ act: fc.constant('send' as const) }) },
  { weight: 4, arbitrary: fc.record({ act: fc.constant('list' as const) }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constant('delete' as const), which: fc.nat(3) }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constantFrom('block' as const, 'unblock' as const) }) },
);
/** Two scripts of each user, which run at the same time. */
const scripts = fc.array(fc.array(step, { minLength: 3, maxLength: 8 }), { minLength: 4, maxLength: 4 });

const options = { fixtures: socialWorld, limits: 'off' } as const;
const places = await servicePlaces(options, { memory: 4, nodes: 2 });

// Not describe.each, which shortens the place in the title, and with it the reason of a skip.
for (const { place, runs, missing, open } of places)
  describe(`messages and blocks of two users at the same time, ${place}`, () => {
    let opened: Awaited<ReturnType<ServicePlace['open']>> | undefined;
    /** Ada and Grace at one service, and both at the other. */
    let players: readonly Player[];
    let count = 0;

    beforeAll(async () => {
      if (missing !== undefined) return;
      opened = await open();
      const [here, there] = opened.services;
      const first = [await Player.of(here, 'ada'), await Player.of(here, 'grace')];
      players = [...first, ...first.map(({ id, token }) => new Player(there, id, token))];
    }, patienceMs);
    afterAll(() => opened?.close());

    async function perform(player: Player, operation: Operation, sent: Map<string, string>): Promise<string> {
      const { act } = operation;
      if (act === 'block') return player.result('PUT', relationship(player.id), { type: 2 });
      if (act === 'unblock') return player.result('DELETE', relationship(player.id));
      if (act === 'list') {
        const { status, body } = await player.call('GET', `${messages(player.id)}?limit=200`);
        return status === 200 ? (body as PartialDirectMessage[]).map(({ content }) => content).join(' ') : '';
      }
      if (act === 'delete') {
        const { status } = await player.call('DELETE', `${messages(player.id)}/${sent.get(textOf(operation))}`);
        return String(status);
      }
      const { status, body } = await player.call('POST', messages(player.id), { content: textOf(operation) });
      const { id, channel_type } = body as { id: string; channel_type: number };
      if (status === 200) sent.set(textOf(operation), id);
      return status === 200 ? `200 ${channel_type}` : String(status);
    }

    interface History {
      now: number;
      readonly observed: Observed<Operation, string>[];
    }

    async function run(player: Player, script: readonly Step[], history: History): Promise<void> {
      const sent = new Map<string, string>();
      for (const one of script) {
        const text = one.act === 'delete' ? [...sent.keys()][one.which % Math.max(1, sent.size)] : `m${++count}`;
        // Unblocking ends a friendship, too, and is not what is looked at here.
        if (text === undefined || (one.act === 'unblock' && !hasBlocked(history, player.id))) continue;
        const operation = { ...one, by: player.id, text } as Operation;
        const invokedAt = history.now++;
        const result = await perform(player, operation, sent);
        history.observed.push({ operation, invokedAt, returnedAt: history.now++, result });
      }
    }

    it.skipIf(missing !== undefined)(
      'happen one after another, and all sessions receive them in the order of the history',
      async () => {
        await fc.assert(
          fc.asyncProperty(scripts, async scripts => {
            const [alone, other] = players as [Player, Player];
            await befriend(alone, other);
            const clients = await Promise.all(players.map(player => player.connect()));
            const history: History = { now: 0, observed: [] };
            await Promise.all(scripts.map((script, at) => run(players[at] as Player, script, history)));
            expect(linearize(history.observed, specification), describeHistory(history.observed)).toBeDefined();

            const list = { act: 'list', by: ada } as const;
            const shown = await perform(alone, list, new Map());
            expect(await perform(other, list, new Map())).toBe(shown);
            for (const client of clients) await expectShown(client, shown);
            await Promise.all(clients.map(client => client.end()));
            await clear(alone, other);
          }),
          { ...tries(runs, 1_000), endOnFailure: true },
        );
      },
      patienceMs,
    );

    function hasBlocked({ observed }: History, by: string): boolean {
      return (
        observed.findLast(({ operation: { act, by: one } }) => one === by && /block/.test(act))?.operation.act ===
        'block'
      );
    }
  });

function textOf(operation: Operation): string {
  return 'text' in operation ? operation.text : '';
}

async function befriend(a: Player, b: Player): Promise<void> {
  for (const player of [a, b]) await player.call('DELETE', relationship(player.id));
  expect(await a.result('PUT', relationship(a.id), {})).toBe('204');
  expect(await b.result('PUT', relationship(b.id), { type: 1 })).toBe('204');
}

async function clear(...players: readonly Player[]): Promise<void> {
  for (const player of players) {
    const { status, body } = await player.call('GET', `${messages(player.id)}?limit=200`);
    for (const { id, author } of status === 200 ? (body as PartialDirectMessage[]) : []) {
      if (author.id === player.id) await player.call('DELETE', `${messages(player.id)}/${id}`);
    }
  }
}

/** Events of another node come when they were read from the database. */
async function expectShown(client: GatewayClient, shown: string): Promise<void> {
  await expect.poll(() => shownTo(client), { timeout: 20_000 }).toBe(shown);
  await client.beat();
  expect(shownTo(client)).toBe(shown);
}

/** What the events of a session leave of the kept messages, the newest first. */
function shownTo(client: GatewayClient): string {
  const kept = new Map<unknown, unknown>();
  for (const [name, { id, content, channel_type }] of seen(client, 'MESSAGE_CREATE', 'MESSAGE_DELETE')) {
    if (name === 'MESSAGE_DELETE') kept.delete(id);
    else if (channel_type === 1) {
      expect(kept.has(id), 'an event that was sent twice').toBe(false);
      kept.set(id, content);
    }
  }
  return [...kept.values()].toReversed().join(' ');
}

function describeHistory(history: readonly Observed<Operation, string>[]): string {
  const lines = history.map(({ operation, invokedAt, returnedAt, result }) =>
    [`${invokedAt}–${returnedAt}`, JSON.stringify(operation), '→', result].join(' '),
  );
  return `No order of these operations explains their answers:\n${lines.join('\n')}`;
}
