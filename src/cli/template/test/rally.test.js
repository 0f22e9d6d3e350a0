import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createWorld } from '@rallypoint/sdk/testing';
import { startServer } from '../server/rally.js';

test('/rally brings a player into the lobby', async () => {
  const world = await createWorld({ users: ['ada', 'grace'] });
  await startServer(world.backend);
  const game = await world.player('ada');

  await world.advance('10 min'); // The lobby stays open, although nobody is in it.
  const reply = await world.user('ada').use('/rally');
  assert.equal(reply.content, 'Ada is on the way to the harbour.');

  await world.settled();
  const [lobby] = game.lobbies;
  assert.deepEqual(
    lobby?.members.map(({ displayName }) => displayName),
    ['Ada'],
  );
  await world.close();
});
