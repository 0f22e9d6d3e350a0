import { beforeEach, describe, expect, it } from 'vitest';
import type { Lobby } from '../../../../src/model/lobby.ts';
import type { LobbyMessage } from '../../../../src/model/lobby-message.ts';
import { createLobbies, type Lobbies } from '../../../../src/service/features/lobbies/lobbies.ts';
import { deliveriesPerApplicationMax, waitingPerQueueMax } from '../../../../src/service/features/webhooks/delivery.ts';
import { createWebhookEvents, type WebhookEvents } from '../../../../src/service/features/webhooks/events.ts';
import type { Store } from '../../../../src/service/store/contract.ts';
import type { ApplicationRecord } from '../../../../src/service/store/records.ts';
import { PendingWork } from '../../../../src/service/support/pending-work.ts';
import { serviceLimits } from '../../../../src/service/support/service-limits.ts';
import { createKeyPair } from '../../../../src/service/testing/fixtures/secrets.ts';
import type { FetchInit } from '../../../../src/wire/clock/ports.ts';
import { verifyMessage } from '../../../../src/wire/signature.ts';
import { seededEntropy } from '../../control/support.ts';
import {
  ada,
  applicationRecord,
  channelRecord,
  guildRecord,
  makeWorld,
  putGuild,
  userRecord,
  type World,
} from '../support.ts';

interface Posted {
  readonly url: string;
  readonly init: FetchInit;
  readonly atMs: number;
  readonly body: { readonly event: { readonly data: LobbyMessage } } & Record<string, unknown>;
}

let world: World;
let lobbies: Lobbies;
let lobby: Lobby;
let application: ApplicationRecord;
let posted: Posted[];
/** What the application's server answers; undefined: it never does. */
let answers: (number | undefined)[];
let events: WebhookEvents;
let pendingWork: PendingWork;
let stop: () => void;

const url = 'http://game.example/events';

beforeEach(async () => {
  posted = [];
  answers = [];
  const fetch = (url: string, init: FetchInit): Promise<Response> => {
    posted.push({ url, init, atMs: world.core.clock.now(), body: JSON.parse(String(init.body ?? '')) });
    const status = answers.length > 0 ? answers.shift() : 204;
    if (status === undefined) return new Promise(() => {});
    return status === 0 ? Promise.reject(new Error('refused')) : Promise.resolve(new Response(null, { status }));
  };
  pendingWork = new PendingWork();
  world = await makeWorld({ fetch }, pendingWork);
  application = applicationRecord('1', { event_webhooks_url: url, ...createKeyPair(seededEntropy('keys')) });
  await keep(application);
  events = createWebhookEvents(world.core, pendingWork);
  stop = await events.start();
  lobbies = createLobbies(world.core, { webhookEvents: events });
  lobby = await created();
});

const keep = (record: ApplicationRecord) =>
  world.core.store.transact(`application/${record.id}`, transaction => transaction.put('applications', record));
const created = async (fields = {}): Promise<Lobby> =>
  JSON.parse(await lobbies.create(application, { members: [{ id: ada, flags: 1 }], ...fields }));
const send = async (content = 'Hello', to = lobby): Promise<LobbyMessage> =>
  JSON.parse(await lobbies.messages.send(application, userRecord(ada), to.id, { content, metadata: { live: 'only' } }));
const first = (): Posted => {
  const [post] = posted;
  if (!post) throw new Error('Nothing was posted.');
  return post;
};
const settled = () => world.core.clock.advance(0);
const contents = () => posted.map(({ body }) => body.event.data.content);
const deliveries = () => world.core.journal.read(0).entries.filter(({ kind }) => kind === 'delivery');

describe('a message', () => {
  it('is posted to the application’s server, signed, without what is delivered live only', async () => {
    const message = await send();
    await settled();
    expect(posted).toHaveLength(1);
    const { init, body } = first();
    expect(first().url).toBe(url);
    expect(init).toMatchObject({ method: 'POST', redirect: 'manual', headers: { 'content-type': 'application/json' } });
    expect(body).toEqual({
      version: 1,
      application_id: '1',
      type: 1,
      event: { type: 'LOBBY_MESSAGE_CREATE', timestamp: '2026-01-01T00:00:00.000000+00:00', data: message },
    });
    const { 'x-signature-ed25519': signature = '', 'x-signature-timestamp': timestamp = '' } = init.headers;
    expect(timestamp).toBe(String(world.core.clock.now() / 1000));
    expect(verifyMessage(application.verify_key, signature, timestamp, String(init.body ?? ''))).toBe(true);
  });

  it('of a linked lobby says which channel it is in', async () => {
    await putGuild(world.core, guildRecord({ channels: [channelRecord()] }), ada);
    await lobbies.links.set(application, userRecord(ada), lobby.id, { channel_id: '7' });
    await send();
    await settled();
    expect(posted[0]?.body.event.data).toMatchObject({ channel_id: '7', lobby_id: lobby.id });
  });

  it('goes to the address of its lobby where that has one', async () => {
    await send('Hello', await created({ override_event_webhooks_url: 'http://other.example/' }));
    await settled();
    expect(posted.map(post => post.url)).toEqual(['http://other.example/']);
  });

  it('goes nowhere for an application without an address', async () => {
    application = { ...application, event_webhooks_url: null };
    await send();
    await settled();
    expect(posted).toEqual([]);
  });

  it('is not sent for a rejected message, nor for moderation of one', async () => {
    await lobbies.messages.send(application, userRecord(ada), lobby.id, {}).catch(() => {});
    const { id } = await send();
    await lobbies.messages.moderate(application, lobby.id, id, { verdict: 'bad' });
    await settled();
    expect(posted).toHaveLength(1);
  });
});

describe('a delivery', () => {
  it('is in the journal, without the address, which may hold a secret', async () => {
    answers = [500, 204];
    await send();
    await world.core.clock.advance(1000);
    const told = { event: 'LOBBY_MESSAGE_CREATE', application: '1', lobby: lobby.id };
    expect(deliveries()).toMatchObject([
      { ...told, attempt: 1, status: 500, outcome: 'retry' },
      { ...told, attempt: 2, status: 204, outcome: 'acknowledged' },
    ]);
    expect(JSON.stringify(deliveries())).not.toContain('game.example');
  });

  it.each([200, 301, 404, 500, 0])('answered with %i is tried again; with 204 it is done', async status => {
    answers = [status, 204];
    await send();
    await world.core.clock.advance(600_000);
    expect(posted).toHaveLength(2);
    expect(posted[1]?.body).toEqual(posted[0]?.body);
  });

  it('waits three seconds for its answer', async () => {
    answers = [undefined, 204];
    await send();
    await world.core.clock.advance(2999);
    expect(deliveries()).toEqual([]);
    await world.core.clock.advance(1);
    expect(deliveries()).toMatchObject([{ outcome: 'retry', status: null }]);
    expect(posted[0]?.init.signal.aborted).toBe(true);
    await world.core.clock.advance(1000);
    expect(deliveries()).toHaveLength(2);
  });

  it('is repeated after pauses that double, signed again, and given up within ten minutes', async () => {
    answers = Array.from({ length: 20 }, () => 500);
    const beginMs = world.core.clock.now();
    await send();
    await world.core.clock.advance(3_600_000);
    expect(posted.map(({ atMs }) => (atMs - beginMs) / 1000)).toEqual([0, 1, 3, 7, 15, 31, 63, 127, 255, 511]);
    expect(deliveries().at(-1)).toMatchObject({ attempt: 10, outcome: 'given up' });
    const timestamps = posted.map(({ init }) => init.headers['x-signature-timestamp']);
    expect(new Set(timestamps).size).toBe(timestamps.length);
  });

  it('holds back the later ones of its lobby, and no other lobby’s', async () => {
    answers = [500];
    for (const content of ['a', 'b', 'c']) await send(content);
    await send('elsewhere', await created());
    await settled();
    expect(contents()).toEqual(['a', 'elsewhere']);
    await world.core.clock.advance(1000);
    expect(contents()).toEqual(['a', 'elsewhere', 'a', 'b', 'c']);
  });

  it('keeps the order of messages that are sent concurrently', async () => {
    await Promise.all(Array.from({ length: 30 }, (_, at) => send(String(at))));
    await settled();
    const ids = posted.map(({ body }) => body.event.data.id);
    expect(ids).toHaveLength(30);
    expect(ids).toEqual(ids.toSorted((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1)));
  });

  it('is dropped when too many wait in its lobby, and told so', async () => {
    answers = [undefined];
    for (let at = 0; at <= waitingPerQueueMax; at++) await send(String(at));
    expect(deliveries()).toMatchObject([{ outcome: 'dropped' }]);
    await world.core.clock.advance(10_000);
    expect(posted).toHaveLength(waitingPerQueueMax + 1);
    await send('again');
    await settled();
    expect(contents().at(-1)).toBe('again');
  });

  it('stops with the service, whether it waits for an answer or for its next attempt, and goes on with the next one', async () => {
    answers = [undefined];
    await send('unanswered');
    await send('waiting');
    const other = await created();
    answers = [500];
    await send('refused', other);
    await settled();
    stop();
    await send('new');
    await world.core.clock.advance(3_000);
    expect(contents()).toEqual(['unanswered', 'refused']);
    posted = [];
    await createWebhookEvents(world.core, pendingWork).start();
    await settled();
    expect(contents().toSorted()).toEqual(['new', 'refused', 'unanswered', 'waiting']);
    expect(contents().filter(one => one !== 'refused')).toEqual(['unanswered', 'waiting', 'new']);
  });

  it('of a node that dies is continued by another one ten seconds later, and not before', async () => {
    answers = [undefined];
    await send('unanswered');
    await send('waiting');
    await settled();
    stop();
    posted = [];
    // The clock is of one process; what a node asks of the cluster here is only whether there is one.
    await createWebhookEvents({ ...world.core, cluster: {} as never }, pendingWork).start();
    await world.core.clock.advance(9_999);
    expect(posted).toEqual([]);
    await world.core.clock.advance(1);
    expect(contents()).toEqual(['unanswered', 'waiting']);
  });

  it('that another node has continued meanwhile is not recorded by the first', async () => {
    answers = [undefined];
    await send('unanswered');
    await send('waiting');
    await settled();
    const other = createWebhookEvents({ ...world.core, cluster: {} as never }, pendingWork);
    await world.core.store.transact(`lobby/${lobby.id}`, async transaction => {
      const queue = await transaction.get('webhook_queues', lobby.id);
      if (queue) transaction.put('webhook_queues', { ...queue, expires_at_ms: 0 });
    });
    await other.start();
    await settled();
    expect(contents()).toEqual(['unanswered', 'unanswered', 'waiting']);
    await world.core.clock.advance(600_000);
    expect(posted).toHaveLength(3);
    expect(await world.core.store.list('webhook_events')).toEqual([]);
  });

  it('is not sent by a node that was frozen until another one could continue', async () => {
    const thawed = Promise.withResolvers<void>();
    const transact: Store['transact'] = async (...given) => {
      const result = await world.core.store.transact(...given);
      await thawed.promise;
      return result;
    };
    // Only calls of the functions above: it looks for nothing that is due.
    const store = { get: world.core.store.get.bind(world.core.store), transact } as Store;
    const frozen = createWebhookEvents({ ...world.core, cluster: {} as never, store }, new PendingWork());
    lobbies = createLobbies(world.core, { webhookEvents: frozen });
    await send('first');
    await send('second');
    await createWebhookEvents({ ...world.core, cluster: {} as never }, pendingWork).start();
    await world.core.clock.advance(10_000);
    expect(contents()).toEqual(['first', 'second']);
    thawed.resolve();
    await settled();
    expect(contents()).toEqual(['first', 'second']);
  });

  it('leaves nothing in the store', async () => {
    await send();
    await settled();
    expect(await world.core.store.list('webhook_queues')).toEqual([]);
    expect(await world.core.store.list('webhook_events')).toEqual([]);
  });

  it('is not made for an application that is gone', async () => {
    answers = [500];
    await send();
    await settled();
    await world.core.store.transact('application/1', transaction => transaction.delete('applications', '1'));
    await world.core.clock.advance(1000);
    expect(posted).toHaveLength(1);
    expect(deliveries().at(-1)).toMatchObject({ outcome: 'dropped' });
    expect(await world.core.store.list('webhook_events')).toEqual([]);
  });

  it('with a key that cannot be read fails without harm', async () => {
    await keep({ ...application, signing_key: 'no key' });
    await send();
    await world.core.clock.advance(3_600_000);
    expect(posted).toEqual([]);
    expect(deliveries().at(-1)).toMatchObject({ outcome: 'given up' });
  });
});

describe('a server that does not answer', () => {
  const more = 10;
  const isFor = (id: string) => posted.filter(({ body }) => body.application_id === id);

  /** A message in each of more lobbies than an application may be sent at a time. */
  async function fill(): Promise<void> {
    answers = Array.from({ length: deliveriesPerApplicationMax * 20 }, () => undefined);
    for (let n = 0; n < deliveriesPerApplicationMax + more; n++) await send(String(n), await created());
    await settled();
  }

  it('delays no events of other applications', async () => {
    await fill();
    expect(isFor('1')).toHaveLength(deliveriesPerApplicationMax);
    const other = applicationRecord('2', { event_webhooks_url: url, ...createKeyPair(seededEntropy('other')) });
    await keep(other);
    const theirs: Lobby = JSON.parse(await lobbies.create(other, { members: [{ id: ada }] }));
    await lobbies.messages.send(other, userRecord(ada), theirs.id, { content: 'Hello' });
    await settled();
    expect(isFor('2')).toHaveLength(1);
  });

  it('gets the events that had to wait as soon as it has time', async () => {
    await fill();
    answers = [];
    await world.core.clock.advance(3000);
    expect(new Set(contents()).size).toBe(deliveriesPerApplicationMax + more);
  });

  it('does not delay the start of the service', async () => {
    await fill();
    stop();
    posted = [];
    await createWebhookEvents(world.core, pendingWork).start();
    expect(posted).toEqual([]);
    await settled();
    expect(isFor('1')).toHaveLength(deliveriesPerApplicationMax);
  });

  it('is not sent events that became too old while they waited', async () => {
    await fill();
    stop();
    await world.core.clock.advance(600_001);
    posted = [];
    await createWebhookEvents(world.core, pendingWork).start();
    await settled();
    expect(posted).toHaveLength(deliveriesPerApplicationMax);
    expect(deliveries().filter(({ outcome }) => outcome === 'given up')).toHaveLength(more);
  });
});

describe('the bytes that wait', () => {
  const { webhookWaitingBytesMax, webhookWaitingBytesPerApplicationMax } = serviceLimits;
  const inAnHour = { expires_at_ms: Date.UTC(2026, 0, 1, 1), claim: null, failures: 1, first: 1, next: 2 };

  /** Stores queues of which each counts as many bytes, and starts the deliveries anew, which count them. */
  async function waiting(...queues: readonly { application: string; bytes: number }[]): Promise<void> {
    stop();
    await world.core.store.transact('queues', transaction => {
      for (const [at, { application, bytes }] of queues.entries()) {
        const id = `${application}/${at}`;
        const queue = { ...inAnHour, id, scope: 'queues', application_id: application, bytes };
        transaction.put('webhook_queues', queue);
      }
    });
    events = createWebhookEvents(world.core, pendingWork);
    stop = await events.start();
    lobbies = createLobbies(world.core, { webhookEvents: events });
    await settled();
  }
  const theirs = (outcome: string) => deliveries().filter(entry => entry.outcome === outcome);

  it('for one application are bounded, and further events are dropped, also after a restart', async () => {
    await waiting({ application: '1', bytes: webhookWaitingBytesPerApplicationMax - 10_000 });
    answers = Array.from({ length: 100 }, () => undefined);
    for (let n = 0; n < 40; n++) await send('x'.repeat(500), await created());
    await settled();
    const dropped = theirs('dropped').length;
    expect(dropped).toBeGreaterThan(20);
    expect(posted).toHaveLength(40 - dropped);
  });

  it('of one application leave room for the others, up to a bound in total', async () => {
    const other = applicationRecord('2', { event_webhooks_url: url, ...createKeyPair(seededEntropy('other')) });
    await keep(other);
    await waiting({ application: '1', bytes: webhookWaitingBytesPerApplicationMax });
    const lobbyOfOther: Lobby = JSON.parse(await lobbies.create(other, { members: [{ id: ada }] }));
    const sendOther = () => lobbies.messages.send(other, userRecord(ada), lobbyOfOther.id, { content: 'Hello' });
    await send();
    await sendOther();
    await settled();
    expect(posted.map(({ body }) => body.application_id)).toEqual(['2']);
    await waiting({ application: '3', bytes: webhookWaitingBytesMax - webhookWaitingBytesPerApplicationMax });
    await sendOther();
    await settled();
    expect(posted).toHaveLength(1);
  });

  it('are fewer after each delivery and each event that is given up', async () => {
    answers = Array.from({ length: 20 }, () => 500);
    await send();
    await send();
    expect(world.core.metrics.gauge('waitingWebhookBytes')).toBeGreaterThan(1000);
    await world.core.clock.advance(3_600_000);
    expect(theirs('given up')).toHaveLength(2);
    expect(world.core.metrics.gauge('waitingWebhookBytes')).toBe(0);
    answers = [];
    await send();
    await settled();
    expect(world.core.metrics.gauge('waitingWebhookBytes')).toBe(0);
  });
});
