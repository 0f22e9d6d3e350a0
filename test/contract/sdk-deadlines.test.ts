import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Client } from '../../src/sdk/index.ts';
import { createWorld, type World, type WorldSnapshot } from '../../src/testing/index.ts';
import type { RouteName } from '../../src/wire/routes.ts';

const deadlineMs = 5_000;
const options = { deadlineMs } as const;

let world: World;
let start: WorldSnapshot;
let ada: Client;
let graceId: string;

beforeAll(async () => {
  world = await createWorld({ users: ['ada', 'grace'] });
  graceId = world.user('grace').id;
  await world.client('grace').signIn();
  await world.befriend('ada', 'grace');
  start = await world.snapshot();
});
beforeEach(async () => {
  await world.restore(start);
  ada = await world.player('ada');
});
afterAll(() => world.close());

/** What the operation rejects with, and how long it takes, when each of its calls takes four seconds. */
async function ended(operation: () => Promise<unknown>, ...slow: RouteName[]): Promise<[unknown, number]> {
  for (const route of slow) world.faults.slow(route, '4 s', 'always');
  const startMs = world.clock.now();
  let outcome: [unknown, number] | undefined;
  const end = (code: unknown) => {
    outcome = [code, world.clock.now() - startMs];
  };
  operation().then(
    () => end('done'),
    error => end(error.code),
  );
  for (let second = 0; !outcome && second < 20; second++) {
    await world.settled();
    await world.advance('1 s');
  }
  return outcome ?? ['never', Number.NaN];
}

describe('an operation of several calls has one deadline', () => {
  it('for the acceptance of an invite and the join', async () => {
    await world.user('grace').setPresence({ party: { id: 'p1', size: [1, 4] }, secrets: { join: 'the harbour' } });
    await world.user('grace').invite('ada');
    const [invite] = ada.invites.invites;
    const join = () => ada.invites.join(invite?.id ?? '', options);
    expect(await ended(join, 'getActivitySecret', 'joinLobby')).toEqual(['deadline_exceeded', deadlineMs]);
  });

  it('for the end of both kinds of a friendship', async () => {
    await world.befriend('ada', 'grace', { game: true });
    const remove = () => ada.friends.remove(graceId, options);
    const routes = ['deleteGameRelationship', 'deleteRelationship'] as const;
    expect(await ended(remove, ...routes)).toEqual(['deadline_exceeded', deadlineMs]);
  });

  it('for leaving a lobby and the event about that', async () => {
    const lobby = await ada.lobbies.join('the harbour');
    world.faults.freeze('ada');
    await world.user('grace').write('ada', 'Ahoy');
    expect(await ended(() => lobby.leave(options), 'leaveLobby')).toEqual(['done', deadlineMs]);
  });

  it('for a history in which invites take the places of messages', async () => {
    await world.user('grace').write('ada', 'Ahoy');
    await world.user('grace').setPresence({ party: { id: 'p1', size: [1, 4] }, secrets: { join: 'the harbour' } });
    await world.user('grace').invite('ada');
    const load = () => ada.messages.get(graceId).loadOlder(1, options);
    expect(await ended(load, 'listDirectMessages')).toEqual(['deadline_exceeded', deadlineMs]);
  });
});
