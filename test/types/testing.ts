/** Compile-only: what the world for tests allows, and what it rejects. */
import { z } from 'zod';
import { createFixtures, createWorld, record, serveRecording } from '../../src/testing/index.ts';

export async function right(): Promise<void> {
  const world = await createWorld({ users: ['ada', { username: 'grace', locale: 'de' }], channels: ['general'] });
  const reply = await world.user('ada').use('/rally', { where: 'harbour', seats: 4, now: true }, { in: 'general' });
  reply.kind satisfies 'message' | 'update' | 'modal' | 'acknowledged';
  await world.user('ada').choose('Ship', ['sloop', 'galleon']);
  await world.advance('3 min');
  await world.advance('1.5 h');
  await world.advance(250);
  world.faults.fail('joinLobby', 503, 'always');
  await world.restore(await world.snapshot());
  createFixtures({ application: { embedded: true } });
}

/** A game whose metadata is typed can be tested, recorded and replayed like any other. */
export async function typedMetadata(): Promise<void> {
  const world = await createWorld();
  const schemas = { lobby: z.object({ map: z.string(), round: z.coerce.number() }) };
  const player = await world.player('ada', { schemas });
  (await player.lobbies.join('the harbour')).metadata satisfies { map: string; round: number } | undefined;
  const client = world.client('ada', { schemas });
  const recorder = record(world);
  recorder.follow('ada', client);
  await serveRecording(recorder.recording(), { by: 'ada' }).play(client);
}

export async function wrong(): Promise<void> {
  // @ts-expect-error users have a username
  const world = await createWorld({ users: [{ locale: 'de' }] });
  // @ts-expect-error there is no such unit
  await world.advance('3 weeks');
  // @ts-expect-error there is no such route
  world.faults.fail('joinLobbies', 503);
  // @ts-expect-error options are texts, numbers or booleans
  await world.user('ada').use('/rally', { where: ['harbour'] });
  // @ts-expect-error a reply cannot be changed
  (await world.user('ada').press('Join')).content = '';
}
