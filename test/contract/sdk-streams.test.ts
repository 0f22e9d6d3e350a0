import type { Observable } from 'rxjs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Client, LobbyHandle, UserId } from '../../src/sdk/index.ts';
import { createWorld, type World } from '../../src/testing/index.ts';

/** What subscribers to one stream receive. */
class Seen {
  readonly name: string;
  readonly stream$: Observable<unknown>;
  readonly values: unknown[] = [];
  completions = 0;

  constructor(name: string, stream$: Observable<unknown>) {
    this.name = name;
    this.stream$ = stream$;
  }

  subscribe(): this {
    this.stream$.subscribe({ next: value => this.values.push(value), complete: () => this.completions++ });
    return this;
  }

  /** The first value that was the same as the one before. */
  get repeated(): string | undefined {
    const texts = this.values.map(value => JSON.stringify(value));
    const place = texts.findIndex((text, index) => index > 0 && text === texts[index - 1]);
    return place < 0 ? undefined : `${this.name} emitted twice in a row: ${texts[place]}`;
  }
}

let world: World;
let ada: Client;
let graceId: UserId;
let lobby: LobbyHandle;

beforeAll(async () => {
  world = await createWorld({ users: ['ada', 'grace'] });
  await world.befriend('ada', 'grace');
  ada = await world.player('ada');
  graceId = world.user('grace').id;
  lobby = await ada.lobbies.join('the harbour');
  await world.settled();
});

afterAll(() => world.close());

function streamsOf(client: Client, { id }: LobbyHandle, other: UserId): Record<string, Observable<unknown>> {
  const conversation = client.messages.get(other);
  return {
    status$: client.status$,
    lobbies$: client.lobbies$,
    waits$: client.waits$,
    lobby$: client.lobby$(id),
    members$: client.members$(id),
    member$: client.member$(id, other),
    lobbyMessages$: client.lobbyMessages$(id),
    select$: client.select$(lobbies => lobbies.length),
    commands$: client.commands$('bot_dm'),
    friends$: client.friends.friends$,
    requests$: client.friends.requests$,
    blocked$: client.friends.blocked$,
    own$: client.presence.own$,
    presence$: client.presence.presence$(other),
    invites$: client.invites.invites$,
    launch$: client.invites.launch$,
    conversations$: client.messages.conversations$,
    user$: client.users.user$(other),
    'conversation.messages$': conversation.messages$,
    'conversation.unreadCount$': conversation.unreadCount$,
    'lobby.snapshot$': lobby.snapshot$,
    'lobby.metadata$': lobby.metadata$,
    'lobby.members$': lobby.members$,
    'lobby.member$': lobby.member$(other),
    'lobby.messages$': lobby.messages$,
    'lobby.unreadCount$': lobby.unreadCount$,
    'lobby.call.snapshot$': lobby.call.snapshot$,
  };
}

/** Does something of everything that streams are about. */
async function play(grace: Client): Promise<void> {
  const steps: readonly (() => Promise<unknown> | unknown)[] = [
    () => grace.lobbies.join('the harbour', { memberMetadata: { ship: 'sloop' } }),
    () => lobby.send('Ahoy!'),
    () => lobby.send('Anyone?'),
    () => grace.lobbies.get(lobby.id)?.send('Aye!'),
    () => lobby.loadOlder(),
    () => lobby.loadOlder(),
    () => lobby.setMetadata({ lobby: { wind: 'north' }, member: { ship: 'brig' } }),
    () => lobby.setMetadata({ lobby: { wind: 'north' } }),
    () => ada.messages.get(graceId).send('Psst'),
    () => grace.messages.get(world.user('ada').id).send('What?'),
    () => ada.messages.get(graceId).loadOlder(),
    () => grace.presence.set({ state: 'sailing', party: { id: 'party', size: [1, 4] }, joinSecret: 'the harbour' }),
    () => grace.presence.set({ state: 'sailing', party: { id: 'party', size: [1, 4] }, joinSecret: 'the harbour' }),
    () => grace.invites.send(world.user('ada').id),
    () => grace.presence.setStatus('idle'),
    () => grace.presence.clear(),
    () => ada.presence.setStatus('idle'),
    () => ada.presence.setStatus('idle'),
    () => lobby.call.join(),
    () => lobby.call.leave(),
    () => ada.disconnect(),
    () => ada.connect(),
    () => lobby.send('Back again'),
    () => ada.disconnect(),
    () => ada.connect(),
  ];
  for (const step of steps) {
    await step();
    await world.advance('1 s');
    await world.settled();
  }
}

it('streams of state emit no value twice in a row, and complete with the client, also for late subscribers', async () => {
  const streams = Object.entries(streamsOf(ada, lobby, graceId));
  const seen = streams.map(([name, stream$]) => new Seen(name, stream$).subscribe());
  await play(await world.player('grace'));
  const late = Object.entries(streamsOf(ada, lobby, graceId)).map(([name, stream$]) => new Seen(name, stream$));
  await ada.close();
  expect(seen.map(({ repeated }) => repeated).filter(one => one !== undefined)).toEqual([]);
  expect(seen.filter(({ completions }) => completions !== 1).map(({ name }) => name)).toEqual([]);
  for (const one of late) one.subscribe();
  expect(late.map(({ name, values, completions }) => [name, values.length, completions])).toEqual(
    late.map(({ name }) => [name, 0, 1]),
  );
  expect(() => ada.commands$('bot_dm')).not.toThrow();
});
