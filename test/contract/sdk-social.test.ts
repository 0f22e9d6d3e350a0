import { filter, firstValueFrom, map, timeout } from 'rxjs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../../src/sdk/index.ts';
import { createWorld, type World } from '../../src/testing/index.ts';

let world: World;
let ada: Client;
let grace: Client;

beforeAll(async () => {
  world = await createWorld({ users: ['ada', 'grace', 'kim'] });
  [ada, grace] = await Promise.all([world.player('ada'), world.player('grace')]);
});

afterAll(() => world.close());

const idOf = (name: string) => world.user(name).id;

describe('client.friends', () => {
  it('shows a request on both sides, and then a friend', async () => {
    await ada.friends.addByUsername('grace', { note: 'From the harbour' });
    await world.settled();
    console.log(ada.friends.requests, grace.friends.requests);
    await grace.friends.accept(idOf('ada'));
    await world.settled();
    console.log(ada.friends.friends, grace.friends.friends);
    await ada.presence.set({ state: 'In a group', party: { id: 'p1', size: [1, 4] }, joinSecret: 'secret1' });
    await world.settled();
    await world.settled();
    console.log(JSON.stringify(grace.friends.friends, null, 1), ada.presence.own);
    await ada.invites.send(idOf('grace'), { content: 'Come!' });
    await world.settled();
    console.log(grace.invites.invites);
    const lobby = await grace.invites.join(grace.invites.invites[0]!.id);
    console.log(lobby.members.length);
    const c = await grace.messages.open(idOf('ada'));
    await c.send('Hello');
    await world.settled();
    console.log(c.messages, ada.messages.conversations);
  });
});
