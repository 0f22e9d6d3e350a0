import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Client, ClientNewsEvent, SocialUserSnapshot } from '../../src/sdk/index.ts';
import { createWorld, type World, type WorldSnapshot } from '../../src/testing/index.ts';
import { patienceMs } from '../support/runs/soak.ts';
import { tries } from '../support/runs/tries.ts';
import { callApi } from '../support/service/starfall.ts';

/** What a user does to Ada, or the other way round. */
const acts = ['request', 'accept', 'remove', 'block', 'unblock', 'write', 'delete'] as const;
/** What a user shows, and where. */
const shows = ['play', 'idle', 'hide', 'leave', 'come'] as const;
/** What happens to Ada's connection. */
const troubles = ['drop', 'endSession', 'wait'] as const;

type Step =
  | { readonly do: (typeof acts)[number]; readonly byAda: boolean; readonly game: boolean }
  | { readonly do: (typeof shows)[number] };
type Trouble = (typeof troubles)[number];

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom(...acts), byAda: fc.boolean(), game: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom(...shows) }) },
);
const scripts = fc.record({
  grace: fc.array(step, { minLength: 3, maxLength: 10 }),
  kim: fc.array(step, { minLength: 3, maxLength: 10 }),
  troubles: fc.array(fc.constantFrom(...troubles), { minLength: 1, maxLength: 4 }),
});

let world: World;
let start: WorldSnapshot;

beforeAll(async () => {
  world = await createWorld({ users: ['ada', 'grace', 'kim'] });
  await Promise.all(['ada', 'grace', 'kim'].map(name => world.player(name)));
  start = await world.snapshot();
});

afterAll(() => world.close());

const idOf = (name: string) => world.user(name).id;

async function perform(ada: Client, name: string, present: { client: Client }, step: Step): Promise<unknown> {
  const { client } = present;
  switch (step.do) {
    case 'play':
      return client.presence.set({ state: 'In a group', party: { id: 'crew', size: [1, 4] } });
    case 'idle':
      return client.presence.setStatus('idle');
    case 'hide':
      return client.presence.setStatus('invisible');
    case 'leave':
      return client.disconnect();
    case 'come':
      return client.connect();
  }
  const [actor, other] = step.byAda ? [ada, idOf(name)] : [client, idOf('ada')];
  const { friends, messages } = actor;
  const { game } = step;
  switch (step.do) {
    case 'request':
      return friends.add(other, { game });
    case 'accept':
      return friends.accept(other, { game });
    case 'remove':
      return friends.remove(other, { game });
    case 'block':
      return friends.block(other);
    case 'unblock':
      return friends.unblock(other);
    case 'write':
      return messages.get(other).send(`from ${step.byAda ? 'ada' : name}`);
    case 'delete': {
      const own = messages.get(other).messages.findLast(({ author }) => author?.id === actor.users.current?.id);
      return own && messages.get(other).delete(own.id);
    }
  }
}

async function strike(trouble: Trouble): Promise<void> {
  if (trouble === 'wait') await world.advance('3 s');
  else world.faults[trouble]('ada');
}

/** Time passes until the client is ready, and everything has arrived. */
async function calm(ada: Client): Promise<void> {
  world.faults.clear();
  for (let left = 60; ada.status.status !== 'ready' && left > 0; left--) await world.advance('2 s');
  await world.settled();
  await world.settled();
}

const shownAs = ({ id, status, activity }: SocialUserSnapshot) => ({ id, status, state: activity?.state });
const idsOf = (users: readonly SocialUserSnapshot[]) => users.map(({ id }) => id).sort();

function stateOf(client: Client) {
  const { friends, requests, blocked } = client.friends;
  const { onlinePlayingGame, onlineElsewhere, offline } = friends;
  // What is not stored is known to this client alone.
  const stored = client.messages.conversations.filter(({ disclosure }) => disclosure === 'stored');
  const conversations = stored.map(({ id }) => id).sort();
  return {
    groups: [onlinePlayingGame, onlineElsewhere, offline].map(group => group.map(shownAs)),
    requests: [requests.incoming, requests.outgoing].map(idsOf),
    blocked: idsOf(blocked),
    conversations,
    messages: conversations.map(id => {
      const kept = client.messages
        .get(id)
        .messages.filter(({ isEphemeral, status }) => !isEphemeral && status === 'sent');
      return kept.map(message => message.id);
    }),
  };
}

/** The same, worked out from what the service answers. */
async function modelOf(token: string): Promise<ReturnType<typeof stateOf>> {
  const get = async (path: string) => {
    const { status, body } = await callApi(world.service, 'GET', path, undefined, { authorization: `Bearer ${token}` });
    return (status === 200 ? body : []) as never;
  };
  const full: { id: string; type: number }[] = await get('/users/@me/relationships');
  const game: { id: string; type: number }[] = await get('/users/@me/game-relationships');
  const { presences }: { presences: { user: { id: string }; status: string; activities: { state?: string }[] }[] } =
    await get('/presences');
  const summaries: { user_id: string }[] = await get('/partner-sdk/users/@me/channels');
  const typeOf = (list: typeof full, id: string) => list.find(one => one.id === id)?.type ?? 0;
  const model: ReturnType<typeof stateOf> = {
    groups: [[], [], []],
    requests: [[], []],
    blocked: [],
    conversations: summaries.map(({ user_id }) => user_id).sort(),
    messages: [],
  };
  for (const name of ['grace', 'kim']) {
    const id = idOf(name);
    const types = [typeOf(full, id), typeOf(game, id)];
    const presence = presences.find(({ user }) => user.id === id);
    if (types.includes(1)) {
      const [activity] = presence?.activities ?? [];
      const group = presence ? (activity ? 0 : 1) : 2;
      const status = (presence?.status ?? 'offline') as SocialUserSnapshot['status'];
      (model.groups[group] as unknown[]).push({ id, status, state: activity?.state });
    }
    if (types[0] === 2) model.blocked.push(id);
    // A friend of one kind may have a request of the other kind.
    if (types.includes(3)) model.requests[0]?.push(id);
    if (types.includes(4)) model.requests[1]?.push(id);
  }
  for (const id of model.conversations) {
    const history: { id: string }[] = await get(`/users/${id}/messages?limit=200`);
    model.messages.push(history.map(message => message.id).reverse());
  }
  return model;
}

it(
  'friends, requests, blocked users and conversations of a client are what the service says, whatever happens to its connection',
  async () => {
    await fc.assert(
      fc.asyncProperty(scripts, async ({ grace, kim, troubles }) => {
        await world.restore(start);
        const ada = world.client('ada');
        const { accessToken } = await ada.signIn();
        await ada.connect();
        const last = new Map<string, boolean>();
        ada.events$.subscribe((event: ClientNewsEvent) => {
          if ('isGame' in event) last.set(`${event.userId} ${event.isGame}`, event.type === 'relationshipCreated');
        });
        const present = { grace: { client: await world.player('grace') }, kim: { client: await world.player('kim') } };
        const run = async (name: 'grace' | 'kim', script: readonly Step[]) => {
          for (const step of script) await perform(ada, name, present[name], step).catch(() => {});
        };
        const strikeAll = async () => {
          for (const trouble of troubles) {
            await strike(trouble);
            await world.settled();
          }
        };
        await Promise.all([run('grace', grace), run('kim', kim), strikeAll()]);
        await calm(ada);
        const model = await modelOf(accessToken);
        expect(stateOf(ada)).toEqual(model);
        for (const name of ['grace', 'kim']) {
          const { type, gameType } = ada.friends.relationship(idOf(name));
          expect(last.get(`${idOf(name)} false`) ?? false).toBe(type !== 'none');
          expect(last.get(`${idOf(name)} true`) ?? false).toBe(gameType !== 'none');
        }
      }),
      { ...tries(8, 300), endOnFailure: true },
    );
  },
  patienceMs,
);
