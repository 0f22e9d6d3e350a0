import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { opcodes, type Ready } from '../../src/model/gateway.ts';
import type { Presence } from '../../src/model/presence.ts';
import { type ServicePlace, servicePlaces } from '../support/cluster/service-places.ts';
import type { GatewayClient } from '../support/gateway/gateway-client.ts';
import { patienceMs } from '../support/runs/soak.ts';
import { tries } from '../support/runs/tries.ts';
import { games, Player, seen, socialWorld, userIds } from '../support/service/social.ts';

const relationships = '/users/@me/relationships';
const gameRelationships = '/users/@me/game-relationships';
const options = { fixtures: socialWorld, limits: 'off' } as const;

/** They become friends and part, show something and come and go. */
const acting = ['ada', 'grace', 'barbara'] as const;
/** Is invisible by the settings, and everybody's friend. */
const hidden = userIds.edsger;
/** Has been blocked by Ada, and is the others' friend. */
const blocked = userIds.radia;

type Step =
  | { readonly act: 'befriend' | 'part'; readonly other: number; readonly inGame: boolean }
  | { readonly act: 'show'; readonly status: string; readonly session: number }
  | { readonly act: 'come' | 'go' | 'settings' | 'headless' };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ act: fc.constantFrom('befriend', 'part'), other: fc.nat(1), inGame: fc.boolean() }),
  fc.record({
    act: fc.constant('show' as const),
    status: fc.constantFrom('online', 'idle', 'dnd', 'invisible', 'unknown'),
    session: fc.nat(2),
  }),
  fc.record({ act: fc.constantFrom('come', 'go', 'settings', 'headless') }),
) as fc.Arbitrary<Step>;
const scripts = fc.array(fc.array(step, { minLength: 4, maxLength: 8 }), { minLength: 3, maxLength: 3 });

const places = await servicePlaces(options, { memory: 3, nodes: 1 });

// Not describe.each, which shortens the place in the title, and with it the reason of a skip.
for (const { place, runs, missing, open } of places)
  describe(`presences of users who do many things at the same time, ${place}`, () => {
    let opened: Awaited<ReturnType<ServicePlace['open']>> | undefined;
    let players: readonly Player[];
    let twins: readonly Player[];
    let edsger: Player;
    let radia: Player;

    beforeAll(async () => {
      if (missing !== undefined) return;
      opened = await open();
      const [here, there] = opened.services;
      players = await Promise.all(acting.map(name => Player.of(here, name)));
      twins = players.map(({ id, token }) => new Player(there, id, token));
      [edsger, radia] = [await Player.of(there, 'edsger'), await Player.of(here, 'radia')];
      await edsger.call('PATCH', '/users/@me/settings', { status: 'invisible' });
      for (const player of players) await befriend(player, edsger);
      const [ada, ...others] = players;
      for (const player of others) await befriend(player, radia);
      await ada?.call('PUT', `${relationships}/${blocked}`, { type: 2 });
    }, patienceMs);
    afterAll(() => opened?.close());

    /** @param sessions the user's own, which it closes at random */
    async function perform(player: Player, at: number, step: Step, sessions: GatewayClient[]): Promise<void> {
      switch (step.act) {
        case 'befriend':
        case 'part': {
          const other = players[(at + 1 + step.other) % 3] as Player;
          const path = step.inGame ? gameRelationships : relationships;
          if (step.act === 'befriend') await befriend(player, other, path);
          else await player.call('DELETE', `${path}/${other.id}`);
          return;
        }
        case 'show':
          show(sessions[step.session % sessions.length], step.status);
          return;
        case 'come':
          sessions.push(await player.connect());
          return;
        case 'go':
          await sessions.pop()?.end();
          return;
        case 'settings':
          await player.call('PATCH', '/users/@me/settings', { custom_status: { text: 'hello' } });
          return;
        case 'headless':
          await player.call('POST', '/users/@me/headless-sessions', {
            activities: [{ ...secretActivity, platform: 'ps5' }],
          });
      }
    }

    it.skipIf(missing !== undefined)(
      'are the same for a session that watched and one that begins later, and show no secret, no hidden and no blocked user',
      async () => {
        await fc.assert(
          fc.asyncProperty(scripts, async scripts => {
            const watching = await Promise.all([...twins, radia].map(player => player.connect()));
            const sessions = await Promise.all(players.map(async player => [await player.connect()]));
            const apart = await edsger.connect();
            show(apart, 'online');
            await Promise.all(
              scripts.map(async (script, at) => {
                for (const step of script) await perform(players[at] as Player, at, step, sessions[at] ?? []);
              }),
            );
            const late: GatewayClient[] = [];
            for (const [at, client] of watching.entries()) {
              const player = [...twins, radia][at] as Player;
              await expectSame(client, player, late);
            }
            const all = [...watching, ...late, ...sessions.flat(), apart];
            for (const { frames } of all) expect(JSON.stringify(frames)).not.toContain('the secret');
            for (const { frames } of all) expect(JSON.stringify(frames)).not.toContain('"privacy"');
            const isSeen = (client: GatewayClient, userId: string) =>
              [...presencesIn(client)].some(({ user, status }) => user.id === userId && status !== 'offline');
            for (const client of all) if (client !== apart) expect(isSeen(client, hidden)).toBe(false);
            expect(isSeen(watching[0] as GatewayClient, blocked)).toBe(false);
            expect(isSeen(watching[3] as GatewayClient, userIds.ada)).toBe(false);
            await Promise.all(all.map(client => client.end()));
          }),
          { ...tries(runs, 300), endOnFailure: true },
        );
      },
      patienceMs,
    );
  });

const secretActivity = {
  ...{ name: 'Starfall', type: 0, application_id: games.starfall, party: { id: 'party', size: [1, 4], privacy: 1 } },
  secrets: { join: 'the secret' },
  metadata: { button_urls: ['https://the secret'] },
  buttons: ['Watch'],
};

function show(client: GatewayClient | undefined, status: string): void {
  client?.send({
    op: opcodes.PRESENCE_UPDATE,
    d: { since: null, afk: false, status, activities: [secretActivity] },
  });
}

async function befriend(a: Player, b: Player, path = relationships): Promise<void> {
  await a.call('PUT', `${path}/${b.id}`);
  await b.call('PUT', `${path}/${a.id}`, { type: 1 });
}

function* presencesIn(client: GatewayClient): Generator<Presence> {
  const ready = client.frames.find(({ t }) => t === 'READY')?.d as Ready;
  yield* ready.presences ?? [];
  for (const [, presence] of seen(client, 'PRESENCE_UPDATE')) yield presence as unknown as Presence;
}

/** What a session knows of others who are not offline: their status, and what they do. */
function known(client: GatewayClient): Record<string, unknown> {
  const shown = new Map<string, unknown>();
  for (const { user, status, activities, client_status } of presencesIn(client)) {
    if (status === 'offline') shown.delete(user.id);
    else shown.set(user.id, { status, client_status, activities });
  }
  return Object.fromEntries([...shown].toSorted(([a], [b]) => a.localeCompare(b)));
}

/** Waits until the session has received what a new one would show: earlier events may still be on their way. */
async function expectSame(client: GatewayClient, player: Player, late: GatewayClient[]): Promise<void> {
  for (let triesLeft = 20; ; triesLeft--) {
    const fresh = await player.connect();
    late.push(fresh);
    await fresh.beat();
    await client.beat();
    if (triesLeft === 0) expect(known(client)).toEqual(known(fresh));
    if (JSON.stringify(known(client)) === JSON.stringify(known(fresh))) return;
    await fresh.end();
  }
}
