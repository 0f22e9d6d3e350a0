import { afterEach, describe, expect, it } from 'vitest';
import { limitProfiles } from '../../src/model/limits/limit-profiles.ts';
import { createLobbies, type Lobbies } from '../../src/service/features/lobbies/lobbies.ts';
import { startService } from '../../src/service/index.ts';
import { botIssuedToken } from '../support/service/provisional.ts';
import { starfall } from '../support/service/starfall.ts';
import { ada, makeWorld, refusal, type World } from './features/support.ts';

let world: World | undefined;
afterEach(async () => {
  await world?.core.store.close();
  world = undefined;
});

async function open(lobbiesPerApplicationMax: number): Promise<{ world: World; lobbies: Lobbies }> {
  world = await makeWorld({ limits: { ...limitProfiles.off, lobbiesPerApplicationMax } });
  return { world, lobbies: createLobbies(world.core) };
}

const full = { reason: 'invalid_form_body', paths: [''], code: 'LOBBIES_PER_APPLICATION_MAX' };

async function refused(call: Promise<unknown>) {
  const { reason, paths, fault } = await refusal(call);
  return { reason, paths, code: fault.issues[0]?.code };
}

describe('the lobbies of an application', () => {
  it('are created up to the bound, by its server and by players, and another application has its own', async () => {
    const { world, lobbies } = await open(3);
    const { starfall: game, rival } = world;
    const user = await world.core.store.get('users', ada);
    if (!user) throw new Error('There is no Ada.');
    await lobbies.create(game, {});
    await lobbies.create(game, {});
    await lobbies.join(game, user, { secret: 'the third' });
    expect(await refused(lobbies.create(game, {}))).toEqual(full);
    expect(await refused(lobbies.join(game, user, { secret: 'the fourth' }))).toEqual(full);
    // Nothing is created.
    await lobbies.join(game, user, { secret: 'the third' });
    await lobbies.create(rival, {});
  });

  it('that end make room within a minute', async () => {
    const { world, lobbies } = await open(2);
    const { id } = JSON.parse(await lobbies.create(world.starfall, { idle_timeout_seconds: 600 })) as { id: string };
    await lobbies.create(world.starfall, { idle_timeout_seconds: 600 });
    expect(await refused(lobbies.create(world.starfall, {}))).toEqual(full);
    await lobbies.remove(world.starfall, id);
    await world.core.clock.advance(60_000);
    await lobbies.create(world.starfall, {});
    expect(await refused(lobbies.create(world.starfall, {}))).toEqual(full);
  });

  it('count when another process created them, and when the store holds more than the bound', async () => {
    const { world, lobbies } = await open(5);
    for (let n = 0; n < 5; n++) await lobbies.create(world.starfall, {});
    const core = { ...world.core, limits: { ...limitProfiles.off, lobbiesPerApplicationMax: 4 } };
    const later = createLobbies(core);
    expect(await refused(later.create(world.starfall, {}))).toEqual(full);
    await later.create(world.rival, {});
  });

  it('that are created concurrently reach the bound, and not one more', async () => {
    const { world, lobbies } = await open(10);
    const results = await Promise.allSettled(Array.from({ length: 25 }, () => lobbies.create(world.starfall, {})));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
  });
});

describe('the provisional accounts of an application', () => {
  it('are created up to the bound; known players still sign in', async () => {
    const limits = { ...limitProfiles.off, identitiesPerApplicationMax: 2 };
    const service = await startService({ fixtures: starfall, limits });
    await botIssuedToken(service, 'first');
    await botIssuedToken(service, 'second');
    await expect(botIssuedToken(service, 'third')).rejects.toThrow('PROVISIONAL_ACCOUNTS_MAX');
    await botIssuedToken(service, 'first');
    await service.close();
  });
});
