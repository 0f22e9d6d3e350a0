import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DirectMessage } from '../../src/model/direct-message.ts';
import { opcodes } from '../../src/model/gateway.ts';
import { type Service, startService } from '../../src/service/index.ts';
import { serviceLimits } from '../../src/service/support/service-limits.ts';
import type { GatewayClient } from '../support/gateway/gateway-client.ts';
import { patienceMs } from '../support/runs/soak.ts';
import { tries } from '../support/runs/tries.ts';
import { games, Player, seen, socialWorld } from '../support/service/social.ts';

/** Ada is the host, the others are her guests. */
const names = ['ada', 'grace', 'barbara'] as const;
const hourMs = 3_600_000;

/** What Ada shows: a party that can be joined, is full, or is open to friends; or nothing. */
interface Play {
  readonly party: 'first' | 'second';
  readonly isFull: boolean;
  readonly isOpen: boolean;
  readonly isInvisible: boolean;
}

/** What is done to a guest, or by it: `ask` to join, `answer` with an invite to its own party, and `seek` to be invited to that. */
const withGuest = ['invite', 'answer', 'ask', 'seek', 'block', 'blocked', 'unblock', 'befriend', 'part'] as const;

/** `guest` is 1 or 2, a place in {@link names}. */
type Step =
  | { readonly act: 'play'; readonly play: Play }
  | { readonly act: 'stop' | 'leave' }
  | { readonly act: (typeof withGuest)[number]; readonly guest: number }
  | { readonly act: 'delete'; readonly which: number }
  | { readonly act: 'wait'; readonly hours: number };

const play = fc.record({
  party: fc.constantFrom('first' as const, 'second' as const),
  isFull: fc.nat(3).map(one => one === 0),
  isOpen: fc.boolean(),
  isInvisible: fc.nat(3).map(one => one === 0),
});
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ act: fc.constant('play' as const), play }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constantFrom('stop' as const, 'leave' as const) }) },
  { weight: 5, arbitrary: fc.record({ act: fc.constant('invite' as const), guest: fc.integer({ min: 1, max: 2 }) }) },
  { weight: 6, arbitrary: fc.record({ act: fc.constantFrom(...withGuest), guest: fc.integer({ min: 1, max: 2 }) }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('delete' as const), which: fc.nat(5) }) },
  { weight: 3, arbitrary: fc.record({ act: fc.constant('wait' as const), hours: fc.integer({ min: 1, max: 4 }) }) },
);

interface Sent {
  readonly message: DirectMessage;
  readonly guest: number;
  readonly party: string;
  readonly sentAtMs: number;
  isDeleted: boolean;
}

/** What must be known to say who gets the secret. */
interface World {
  /** The host's session; undefined: none. */
  session: GatewayClient | undefined;
  /** Ids of all sessions that the host has had. */
  readonly sessionIds: string[];
  play: Play | undefined;
  secret: string;
  readonly friends: Set<number>;
  /** Of a guest and the host, who has blocked the other. */
  readonly blocks: Set<string>;
  readonly sent: Sent[];
  /** Messages that are not invites of the host. */
  readonly others: DirectMessage[];
}

describe('the secret of a party', () => {
  let service: Service;
  let players: readonly Player[];
  /** The host in another game, where it shows nothing. */
  let host: Player;
  let elsewhere: GatewayClient;
  let guests: GatewayClient[] = [];
  let shown = 0;

  beforeAll(async () => {
    service = await startService({ fixtures: socialWorld, limits: 'off', clock: 'virtual' });
  }, patienceMs);
  afterAll(() => service.close());

  const player = (at: number) => players[at] as Player;
  const relationship = (by: number, to: number) => [`/users/@me/relationships/${player(to).id}`, player(by)] as const;

  async function request(by: number, to: number, method: string, body?: object): Promise<string> {
    const [path, caller] = relationship(by, to);
    return caller.result(method, path, body);
  }

  /** Shows an activity, and waits until the service has stored it. */
  async function sendActivity(session: GatewayClient, activity: object, status: string): Promise<void> {
    const details = `shown as number ${++shown}`;
    const d = { since: null, afk: false, status, activities: [{ ...activity, details }] };
    session.send({ op: opcodes.PRESENCE_UPDATE, d });
    await session.until(() => JSON.stringify(seen(session, 'SESSIONS_REPLACE').at(-1) ?? '').includes(details));
  }

  /** Sets what the host shows. */
  async function show(world: World, next: Play | undefined): Promise<void> {
    const { session } = world;
    if (!session) return;
    world.play = next;
    world.secret = `sesame ${++shown}`;
    const party = next && partyOf(next.party, next.isFull, next.isOpen);
    await sendActivity(session, activityOf(party, world.secret), next?.isInvisible ? 'invisible' : 'online');
  }

  async function connect(world: World): Promise<void> {
    elsewhere = await host.connect();
    world.session = await player(0).connect();
    world.sessionIds.push(world.session.sessionId);
    guests = await Promise.all([player(1).connect(), player(2).connect()]);
    await Promise.all(
      guests.map(guest => sendActivity(guest, activityOf(partyOf('first'), 'sesame of a guest'), 'online')),
    );
  }

  async function leave(world: World): Promise<void> {
    const { session } = world;
    world.session = undefined;
    world.play = undefined;
    if (!session) return;
    await session.end();
    // Another session of the host tells when it is over.
    await elsewhere.beat();
    const listed = () => JSON.stringify(seen(elsewhere, 'SESSIONS_REPLACE').at(-1) ?? '');
    await elsewhere.until(() => !listed().includes(session.sessionId));
  }

  async function perform(world: World, step: Step): Promise<void> {
    switch (step.act) {
      case 'play':
        return show(world, step.play);
      case 'stop':
        return show(world, undefined);
      case 'leave':
        return leave(world);
      case 'wait': {
        const former = world.play;
        const wasThere = world.session !== undefined;
        await leave(world);
        await Promise.all([elsewhere, ...guests].map(client => client.end()));
        await service.clock.advance(step.hours * hourMs);
        await connect(world);
        if (!wasThere) await leave(world);
        else if (former) await show(world, former);
        return;
      }
      case 'invite': {
        const { guest } = step;
        const activity = { type: 1 };
        const to = `/users/${player(guest).id}/messages`;
        const { status, body } = await player(0).call('POST', to, { activity, application_id: games.starfall });
        const isAllowed = canInvite(world, guest);
        expect(status === 200, `the invite is sent: ${JSON.stringify(body)}`).toBe(isAllowed);
        if (status !== 200) return;
        const party = world.play?.party ?? '';
        world.sent.push({
          message: body as DirectMessage,
          guest,
          party,
          sentAtMs: service.clock.now(),
          isDeleted: false,
        });
        return;
      }
      case 'ask':
      case 'answer': {
        const isAsking = step.act === 'ask';
        const activity = { type: isAsking ? 5 : 1 };
        const to = `/users/${player(0).id}/messages`;
        const { status, body } = await player(step.guest).call('POST', to, {
          activity,
          application_id: games.starfall,
        });
        if (isAsking) expect(status === 200).toBe(canInvite(world, step.guest) && !world.play?.isInvisible);
        if (status === 200) world.others.push(body as DirectMessage);
        return;
      }
      case 'seek': {
        const to = `/users/${player(step.guest).id}/messages`;
        const body = { activity: { type: 5 }, application_id: games.starfall };
        const { status, body: sought } = await player(0).call('POST', to, body);
        if (status === 200) world.others.push(sought as DirectMessage);
        return;
      }
      case 'block':
        expect(await request(0, step.guest, 'PUT', { type: 2 })).toBe('204');
        world.blocks.add(`0 ${step.guest}`);
        world.friends.delete(step.guest);
        return;
      case 'blocked':
        expect(await request(step.guest, 0, 'PUT', { type: 2 })).toBe('204');
        world.blocks.add(`${step.guest} 0`);
        world.friends.delete(step.guest);
        return;
      case 'unblock':
        for (const [by, to] of [
          [0, step.guest],
          [step.guest, 0],
        ] as const) {
          if (world.blocks.delete(`${by} ${to}`)) expect(await request(by, to, 'DELETE')).toBe('204');
        }
        return;
      case 'befriend':
        if (world.friends.has(step.guest) || areApart(world, step.guest)) return;
        expect(await request(0, step.guest, 'PUT', {})).toBe('204');
        expect(await request(step.guest, 0, 'PUT', {})).toBe('204');
        world.friends.add(step.guest);
        return;
      case 'part':
        if (!world.friends.delete(step.guest)) return;
        expect(await request(step.guest, 0, 'DELETE')).toBe('204');
        return;
      case 'delete': {
        const one = world.sent[step.which % Math.max(1, world.sent.length)];
        if (!one) return;
        const path = `/users/${player(one.guest).id}/messages/${one.message.id}`;
        const result = await player(0).result('DELETE', path);
        // An ephemeral message that is too old is unknown.
        if (result === '204') one.isDeleted = true;
        else expect(result).toBe('404 10008');
      }
    }
  }

  /** All are in the game while the host is; friends may write in any case. */
  function canInvite(world: World, guest: number): boolean {
    return world.session !== undefined && world.play?.isFull === false && !areApart(world, guest);
  }

  /** Who gets the secret by which way: for every session that the host has had, by every invite, and without one. */
  async function expectSecrets(world: World, frames: () => string): Promise<void> {
    const { play, session } = world;
    const isJoinable = play !== undefined && !play.isFull && !play.isInvisible;
    const asked: Promise<void>[] = [];
    for (const guest of [1, 2]) {
      for (const sessionId of world.sessionIds.slice(-2)) {
        const path = `/users/${player(0).id}/sessions/${sessionId}/activities/${games.starfall}/1`;
        const isThere = session?.sessionId === sessionId && isJoinable && !areApart(world, guest);
        const ask = (query: string, isGiven: boolean) => {
          asked.push(expectSecret(guest, path + query, isThere && isGiven, world.secret));
        };
        ask('', play?.isOpen === true && world.friends.has(guest));
        for (const { id, channel_id } of world.others.slice(-2))
          ask(`?message_id=${id}&channel_id=${channel_id}`, false);
        for (const one of world.sent.slice(-4)) {
          const isValid = service.clock.now() - one.sentAtMs < serviceLimits.activityInviteLifeMs && !one.isDeleted;
          const isForThis = one.guest === guest && one.party === play?.party;
          // Each of the two finds an ephemeral message with the other.
          const channelId = one.message.channel_type === 18 ? player(0).id : one.message.channel_id;
          ask(`?message_id=${one.message.id}&channel_id=${channelId}`, isValid && isForThis);
        }
      }
    }
    await Promise.all(asked);
    expect(frames()).not.toContain('sesame');
  }

  async function expectSecret(guest: number, path: string, isGiven: boolean, secret: string): Promise<void> {
    const { status, body } = await player(guest).call('GET', path);
    if (isGiven) expect([status, body]).toEqual([200, { secret }]);
    else {
      expect([403, 404], `${path} ${JSON.stringify(body)}`).toContain(status);
      expect(JSON.stringify(body)).not.toContain('sesame');
    }
  }

  it(
    'is given to invited users and to friends of an open party alone, and by no invite that is over',
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 14 }), async steps => {
          await service.reset();
          players = await Promise.all(names.map(name => Player.of(service, name)));
          host = await Player.of(service, 'ada', { game: games.moonrise });
          const world: World = {
            ...{ session: undefined, sessionIds: [], play: undefined, secret: '' },
            ...{ friends: new Set(), blocks: new Set(), sent: [], others: [] },
          };
          for (const guest of [1, 2]) await perform(world, { act: 'befriend', guest });
          await connect(world);
          const all = new Set<GatewayClient>();
          const frames = () => {
            for (const client of [elsewhere, ...guests, ...(world.session ? [world.session] : [])]) all.add(client);
            return JSON.stringify([...all].map(client => client.frames));
          };
          for (const step of steps) {
            await perform(world, step);
            await expectSecrets(world, frames);
          }
          await leave(world);
          await Promise.all([elsewhere, ...guests].map(client => client.end()));
        }),
        { ...tries(5, 1_000), endOnFailure: true },
      );
    },
    patienceMs,
  );
});

function partyOf(id: string, isFull = false, isOpen = false) {
  return { id, size: [isFull ? 4 : 1, 4], privacy: isOpen ? 1 : 0 };
}

/** Without a party the game shows that it runs, and nobody can join. */
function activityOf(party: ReturnType<typeof partyOf> | undefined, join: string) {
  const game = { name: 'Starfall', type: 0, application_id: games.starfall };
  return party ? { ...game, party, secrets: { join } } : game;
}

/** Whether the guest or the host has blocked the other. */
function areApart({ blocks }: World, guest: number): boolean {
  return blocks.has(`0 ${guest}`) || blocks.has(`${guest} 0`);
}
