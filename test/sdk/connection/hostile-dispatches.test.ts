import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Client } from '../../../src/sdk/client.ts';
import { type SocketEvents, systemEntropy } from '../../../src/wire/clock/ports.ts';
import { VirtualClock } from '../../../src/wire/clock/virtual-clock.ts';
import { GatewayConnection } from '../../../src/wire/gateway/gateway-connection.ts';
import { recordingLog } from '../../support/recording-log.ts';

/** A gateway within the process: what it sends is handled before `send` returns, and what is thrown is thrown by it. */
class DirectGateway {
  #events: SocketEvents | undefined;
  #sequence = 0;

  open = (_: string, events: SocketEvents) => {
    this.#events = events;
    queueMicrotask(() => {
      events.opened();
      events.received('{"op":10,"d":{"heartbeat_interval":40000}}');
      this.dispatch('READY', JSON.stringify(ready));
    });
    return { send: () => {}, close: (code = 1000) => queueMicrotask(() => events.closed(code, '')) };
  };

  dispatch(name: string, data: string): void {
    this.#events?.received(`{"op":0,"s":${++this.#sequence},"t":"${name}","d":${data}}`);
  }
}

const user = { id: '10', username: 'grace', global_name: 'Grace', avatar: 'a_1', public_flags: 0 };
const member = { id: '10', metadata: { role: 'a' }, flags: 1, connected: true, additional_name: 'q', user };
const inCall = { lobby_id: '500', user_id: '10', channel_id: '500', session_id: 's' };
const lobby = {
  id: '500',
  application_id: '1',
  metadata: { map: 'a' },
  flags: 1,
  members: [member],
  voice_states: [inCall],
};
const message = { id: '900', channel_id: '70', author: user, content: 'Hi', type: 0, flags: 0, metadata: {} };
const activity = { name: 'Starfall', type: 0, application_id: '1', party: { id: 'p', size: [1, 2] } };
const presence = { user, status: 'online', activities: [activity], hidden_activities: [activity] };
const relationship = { id: '10', type: 1, user, since: '2026-01-01T00:00:00Z', note: 'n' };
const channel = { id: '70', type: 1, recipients: [user], last_message_id: '800' };
const profile = { user_id: '10', application_id: '1', username: 'u', metadata: { a: 'b' } };
const ready = {
  session_id: 'x',
  resume_gateway_url: 'ws://127.0.0.1:1',
  user: { ...user, id: '9' },
  application: { id: '1', parent_id: '2' },
  scopes: ['sdk.social_layer'],
  lobbies: [lobby],
  relationships: [relationship],
  game_relationships: [relationship],
  presences: [presence],
  private_channels: [channel],
  user_application_profiles: { '10': [profile] },
  sessions: [{ session_id: 's', status: 'online', activities: [activity], client_info: {} }],
};
const dispatches: readonly (readonly [name: string, data: object])[] = [
  ['READY', ready],
  ['READY_SUPPLEMENTAL', { merged_presences: { friends: [presence] } }],
  ['LOBBY_CREATE', lobby],
  ['LOBBY_UPDATE', lobby],
  ['LOBBY_DELETE', { id: '501', reason: 'deleted' }],
  ['LOBBY_MEMBER_ADD', { lobby_id: '500', member }],
  ['LOBBY_MEMBER_UPDATE', { lobby_id: '500', member }],
  ['LOBBY_MEMBER_REMOVE', { lobby_id: '500', member }],
  ['LOBBY_MESSAGE_CREATE', { ...message, lobby_id: '500' }],
  ['LOBBY_MESSAGE_UPDATE', { ...message, lobby_id: '500' }],
  ['LOBBY_MESSAGE_DELETE', { id: '900', lobby_id: '500' }],
  ['LOBBY_VOICE_STATE_UPDATE', inCall],
  ['LOBBY_VOICE_SERVER_UPDATE', { lobby_id: '500', token: 't', endpoint: 'e' }],
  ['PRESENCE_UPDATE', presence],
  ['RELATIONSHIP_ADD', relationship],
  ['RELATIONSHIP_UPDATE', relationship],
  ['RELATIONSHIP_REMOVE', relationship],
  ['GAME_RELATIONSHIP_ADD', relationship],
  ['GAME_RELATIONSHIP_REMOVE', relationship],
  ['USER_UPDATE', user],
  ['USER_APPLICATION_IDENTITY_UPDATE', profile],
  ['USER_APPLICATION_IDENTITY_REMOVE', profile],
  ['CHANNEL_CREATE', channel],
  ['CHANNEL_UPDATE', channel],
  ['MESSAGE_CREATE', message],
  ['MESSAGE_CREATE', { ...message, id: '901', activity: { type: 1, party_id: 'p' }, application: { id: '1' } }],
  ['MESSAGE_UPDATE', message],
  ['MESSAGE_DELETE', { id: '900', channel_id: '70' }],
  ['CHANNEL_DELETE', channel],
  ['SESSIONS_REPLACE', ready.sessions],
];

/** JSON that stands where something else is expected. */
const hostile = [
  'null',
  '-1.5',
  '1e999',
  '92233720368547758079999',
  '""',
  '"99999999999999999999"',
  '"\\ud800"',
  'true',
  '[]',
  '[null]',
  '{}',
  '{"toString":1,"valueOf":1,"length":2}',
  '[{"toString":1,"valueOf":1}]',
  '{"__proto__":{"id":"5"},"constructor":"x"}',
  // Deep enough to exhaust the stack of whatever descends into it.
  '['.repeat(20_000) + ']'.repeat(20_000),
];

/** The JSON of `value` with each of its parts in turn, itself included, replaced. */
function* replaced(value: unknown, by: string): Generator<string> {
  yield by;
  if (typeof value !== 'object' || value === null) return;
  const entries = Object.entries(value);
  for (const [name, part] of entries) {
    for (const other of replaced(part, by)) {
      const parts = entries.map(([key, one]) => {
        const text = key === name ? other : JSON.stringify(one);
        return Array.isArray(value) ? text : `${JSON.stringify(key)}:${text}`;
      });
      yield Array.isArray(value) ? `[${parts}]` : `{${parts}}`;
    }
  }
}

describe('dispatches with other types than they should have', () => {
  let gateway: DirectGateway;
  let client: Client;
  const { log, lines } = recordingLog();
  beforeEach(async () => {
    gateway = new DirectGateway();
    client = new Client({
      baseUrl: 'http://127.0.0.1:9',
      fetch: async () => Response.json({ url: 'ws://127.0.0.1:9' }),
      socket: gateway.open,
      logger: log,
    });
    client.updateToken('t');
    await client.connect();
  });
  afterEach(() => client.close());

  const read = () => [
    client.lobbies.snapshot,
    client.lobbyMessages('500'),
    client.friends.friends,
    client.friends.requests,
    client.friends.blocked,
    client.messages.conversations,
    client.invites.invites,
  ];

  it.each(dispatches)('%s: none throws, now or when the state is read, and a good session follows', (name, data) => {
    const subscription = client.events$.subscribe(() => {});
    const before = JSON.stringify(read());
    for (const by of hostile) {
      for (const text of replaced(data, by)) {
        gateway.dispatch(name, text);
        read();
      }
    }
    subscription.unsubscribe();
    expect(lines.filter(({ message: text }) => text === 'a dispatch could not be handled')).toEqual([]);
    gateway.dispatch('READY', JSON.stringify(ready));
    expect(client.status.status).toBe('ready');
    expect(client.friends.friends.onlinePlayingGame.map(({ id }) => id)).toEqual(['10']);
    expect(client.lobbies.snapshot.map(({ id }) => id)).toEqual(['500']);
    expect(before).toContain('Starfall');
  });
});

it('logs what handling a dispatch throws, and goes on', async () => {
  const { log, lines } = recordingLog();
  const gateway = new DirectGateway();
  const seen: string[] = [];
  const connection = new GatewayConnection({
    url: 'ws://127.0.0.1:1',
    identify: { token: 't', properties: {}, intents: 0 },
    openSocket: gateway.open,
    clock: new VirtualClock(0),
    entropy: systemEntropy,
    logger: log,
    onStop: () => {},
    onDispatch: name => {
      seen.push(name);
      if (name === 'FIRST') throw new RangeError('too deep');
    },
  });
  await Promise.resolve();
  gateway.dispatch('FIRST', '{}');
  gateway.dispatch('SECOND', '{}');
  expect(seen).toEqual(['READY', 'FIRST', 'SECOND']);
  expect(lines).toMatchObject([{ level: 'error', name: 'FIRST', error: { class: 'RangeError' } }]);
  await connection.close();
});
