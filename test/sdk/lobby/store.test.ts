import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { type Observable, take } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { selectFrom } from '../../../src/sdk/live/select.ts';
import type { LobbyState } from '../../../src/sdk/lobby/snapshot.ts';
import { LobbyStore } from '../../../src/sdk/lobby/store.ts';
import { type Logger, silentLogger } from '../../../src/wire/clock/ports.ts';
import { isDeeplyFrozen } from '../../support/runs/frozen.ts';

const lobby = (id: string, map = 'harbour', members: object[] = []) => ({
  id,
  application_id: '1',
  metadata: { map },
  members,
});
const member = (user_id: string, team = 'red') => ({ user_id, metadata: { team }, flags: 0, connected: true });
const said = (lobby_id: string, id: string, content = 'hello') => ({ id, lobby_id, channel_id: lobby_id, content });

const part = { lobby_id: '1', channel_id: '1', session_id: 's', self_mute: false };

function storeWith(...ids: string[]): LobbyStore {
  const store = new LobbyStore(silentLogger);
  store.apply('READY', { lobbies: ids.map(id => lobby(id)) });
  return store;
}

function record<Value>(stream: { subscribe(next: (value: Value) => void): unknown }): Value[] {
  const values: Value[] = [];
  stream.subscribe(value => values.push(value));
  return values;
}

describe('LobbyStore', () => {
  it('replays the latest state to new subscribers, and emits each change once', () => {
    const store = storeWith('1');
    const states = record(store.lobbies$);
    store.apply('LOBBY_CREATE', lobby('2'));
    store.apply('LOBBY_CREATE', lobby('2'));
    store.apply('LOBBY_DELETE', { id: '3' });
    expect(states.map(state => state.map(({ id }) => id))).toEqual([['1'], ['1', '2']]);
    expect(record(store.lobbies$)).toEqual([store.lobbies]);
  });

  it('notifies subscribers of one lobby only for that one', () => {
    const store = storeWith('1', '2');
    const first = record(store.lobby$('1'));
    const third = record(store.lobby$('3'));
    store.apply('LOBBY_UPDATE', lobby('2', 'reef'));
    store.apply('LOBBY_UPDATE', lobby('1', 'reef'));
    store.apply('LOBBY_DELETE', { id: '1' });
    store.apply('LOBBY_CREATE', lobby('3'));
    expect(first.map(one => one?.metadata.map)).toEqual(['harbour', 'reef', undefined]);
    expect(third.map(one => one?.id)).toEqual([undefined, '3']);
  });

  it('changes the call of a lobby and nothing else of it, and notifies only its subscribers', () => {
    const store = storeWith('1', '2');
    store.apply('LOBBY_UPDATE', lobby('1', 'harbour', [member('9'), member('10')]));
    const [state, members, calls] = [
      record(store.lobby$('1')),
      record(store.members$('1')),
      record(store.voiceStates$('1')),
    ];
    const speaks = (user_id: string, self_mute = false) =>
      store.apply('LOBBY_VOICE_STATE_UPDATE', { ...part, user_id, self_mute });
    speaks('10');
    speaks('9');
    speaks('10');
    speaks('10', true);
    store.apply('LOBBY_VOICE_STATE_UPDATE', { ...part, user_id: '9', channel_id: null });
    store.apply('LOBBY_VOICE_STATE_UPDATE', { ...part, user_id: '9', channel_id: null });
    store.apply('LOBBY_VOICE_STATE_UPDATE', { ...part, lobby_id: '3', user_id: '9' });
    expect(calls.map(call => call?.map(({ id, selfMute }) => id + (selfMute ? ' muted' : '')))).toEqual([
      [],
      ['10'],
      ['9', '10'],
      ['9', '10 muted'],
      ['10 muted'],
    ]);
    expect(state).toHaveLength(5);
    expect(members).toHaveLength(1);
    expect(calls[2]?.[0]).toBe(calls[3]?.[0]);
    expect(new Set(state.map(one => one?.members)).size).toBe(1);
    expect(state.every(isDeeplyFrozen)).toBe(true);
  });

  it('knows a call from its lobby, keeps it when the lobby says nothing of it, and loses it with the lobby', () => {
    const store = storeWith();
    store.apply('READY', { lobbies: [{ ...lobby('1'), voice_states: [{ ...part, user_id: '9' }] }] });
    const calls = record(store.voiceStates$('1'));
    store.apply('LOBBY_UPDATE', lobby('1', 'reef'));
    store.apply('LOBBY_UPDATE', { ...lobby('1', 'reef'), voice_states: [{ ...part, user_id: '10' }] });
    store.apply('READY', { lobbies: [{ ...lobby('1', 'reef'), voice_states: [] }] });
    store.apply('LOBBY_DELETE', { id: '1' });
    expect(calls.map(call => call?.map(({ id }) => id))).toEqual([['9'], ['10'], [], undefined]);
  });

  it('replaces all on READY in one emission, and notifies subscribers of what differs', () => {
    const store = storeWith('1', '2');
    const states = record(store.lobbies$);
    const [first, second, third] = [record(store.lobby$('1')), record(store.lobby$('2')), record(store.lobby$('3'))];
    store.apply('READY', { lobbies: [lobby('2'), lobby('3')] });
    expect(states).toHaveLength(2);
    expect([first.length, second.length, third.length]).toEqual([2, 1, 2]);
  });

  it('says nothing on a READY that brings what is known', () => {
    const store = storeWith('1', '2');
    const states = record(store.lobbies$);
    store.apply('READY', { lobbies: [lobby('2'), lobby('1')] });
    expect(states).toHaveLength(1);
  });

  it('shows watchers a state in which the event is done', () => {
    const store = storeWith('1');
    const lengths: number[] = [];
    store.lobbies$.subscribe(state => lengths.push(state.length, store.lobbies.length));
    store.lobby$('2').subscribe(() => lengths.push(store.lobbies.length));
    store.apply('LOBBY_CREATE', lobby('2'));
    expect(lengths).toEqual([1, 1, 1, 2, 2, 2]);
  });

  it('lets subscribers come and go while it notifies of a change', () => {
    const store = storeWith('1');
    const late: unknown[] = [];
    store
      .lobby$('1')
      .pipe(take(2))
      .subscribe({ complete: () => store.lobby$('1').subscribe(one => late.push(one)) });
    const other = record(store.lobby$('1'));
    store.apply('LOBBY_UPDATE', lobby('1', 'reef'));
    store.apply('LOBBY_UPDATE', lobby('1', 'cave'));
    expect(other).toHaveLength(3);
    expect(late).toHaveLength(2);
  });

  it('drops and logs a dispatch that cannot be read, and ignores those about other things', () => {
    const reports: unknown[] = [];
    const logger: Logger = { ...silentLogger, error: (fields, message) => reports.push({ fields, message }) };
    const store = new LobbyStore(logger);
    store.apply('LOBBY_CREATE', { secret: 'x' });
    store.apply('LOBBY_CREATE', undefined);
    store.apply('READY', { lobbies: [{}, lobby('1')] });
    store.apply('MESSAGE_CREATE', undefined);
    expect(store.lobbies).toHaveLength(1);
    expect(reports).toHaveLength(3);
    expect(JSON.stringify(reports)).not.toContain('secret');
  });

  it('forgets all on clear, and ends every stream on close', () => {
    const store = storeWith('1');
    const ended: string[] = [];
    store.lobbies$.subscribe({ complete: () => ended.push('all') });
    store.lobby$('1').subscribe({ complete: () => ended.push('one') });
    store.clear();
    expect(store.lobbies).toEqual([]);
    store.close();
    store.lobby$('1').subscribe({ complete: () => ended.push('late') });
    expect(ended).toEqual(['all', 'one', 'late']);
  });

  it('notifies subscribers of one member only for that one', () => {
    const store = new LobbyStore(silentLogger);
    store.apply('READY', { lobbies: [lobby('1', 'harbour', [member('8'), member('9')])] });
    const [eighth, ninth, tenth] = ['8', '9', '10'].map(id => record(store.member$('1', id)));
    const members = record(store.members$('1'));
    const update = (who: object) => store.apply('LOBBY_MEMBER_UPDATE', { member: who, lobby_id: '1' });
    update(member('9', 'blue'));
    update(member('9', 'blue'));
    store.apply('LOBBY_MEMBER_ADD', { member: member('10'), lobby_id: '1' });
    store.apply('LOBBY_MEMBER_DISCONNECT', { member: member('10'), lobby_id: '1' });
    store.apply('LOBBY_MEMBER_REMOVE', { member: member('9'), lobby_id: '1' });
    expect(eighth?.map(one => one?.metadata.team)).toEqual(['red']);
    expect(ninth?.map(one => one?.metadata.team)).toEqual(['red', 'blue', undefined]);
    expect(tenth?.map(one => one?.connected)).toEqual([undefined, true, false]);
    expect(members.map(list => list.map(({ id }) => id))).toEqual([
      ['8', '9'],
      ['8', '9'],
      ['8', '9', '10'],
      ['8', '9', '10'],
      ['8', '10'],
    ]);
    expect(store.member('1', '8')).toBe(eighth?.[0]);
  });

  it('shares with the snapshot before what an event does not touch, in one lobby of 1,000 members, too', () => {
    const store = new LobbyStore(silentLogger);
    const everybody = Array.from({ length: 1_000 }, (_, i) => member(String(1_000 + i)));
    store.apply('READY', { lobbies: [lobby('1', 'harbour', everybody), lobby('2')] });
    const before = store.lobbies;
    store.apply('LOBBY_MEMBER_UPDATE', { member: member('1500', 'blue'), lobby_id: '1' });
    const after = store.lobbies;
    expect(after[1]).toBe(before[1]);
    expect(after[0]?.metadata).toBe(before[0]?.metadata);
    const changed = after[0]?.members.filter((one, place) => one !== before[0]?.members[place]);
    expect(changed).toEqual([expect.objectContaining({ id: '1500', metadata: { team: 'blue' } })]);
    store.apply('LOBBY_UPDATE', lobby('1', 'reef', everybody.with(500, member('1500', 'blue'))));
    expect(store.lobby('1')?.members).toBe(after[0]?.members);
  });

  const user = { id: '9', username: 'ada', global_name: 'Ada' };
  const ada = { ...member('9'), flags: 1, additional_name: 'The Brave', user };

  it.each([
    ['LOBBY_MEMBER_UPDATE', { metadata: {} }, { metadata: {}, additionalName: undefined }],
    ['LOBBY_MEMBER_UPDATE', { flags: 0 }, { flags: 0, canLinkLobby: false }],
    ['LOBBY_MEMBER_UPDATE', { connected: false }, { connected: false }],
    ['LOBBY_MEMBER_UPDATE', { additional_name: null }, { additionalName: undefined }],
    ['LOBBY_MEMBER_DISCONNECT', {}, { connected: false }],
    ['LOBBY_MEMBER_ADD', {}, {}],
  ])('keeps of a member what %s with %j leaves out, whether somebody has looked or not', (name, said, changed) => {
    for (const hasLooked of [true, false]) {
      const store = storeWith('1');
      store.apply('LOBBY_MEMBER_ADD', { member: ada, lobby_id: '1' });
      const before = store.member('1', '9');
      if (!hasLooked) store.apply('LOBBY_MEMBER_UPDATE', { member: ada, lobby_id: '1' });
      store.apply(name, { member: { user_id: '9', ...said }, lobby_id: '1' });
      expect(store.member('1', '9')).toEqual({ ...before, ...changed });
    }
  });

  it('keeps nothing of a member that was gone in between', () => {
    const store = storeWith('1');
    store.apply('LOBBY_MEMBER_ADD', { member: ada, lobby_id: '1' });
    store.apply('LOBBY_MEMBER_REMOVE', { member: ada, lobby_id: '1' });
    store.apply('LOBBY_MEMBER_ADD', { member: { user_id: '9', connected: true }, lobby_id: '1' });
    expect(store.member('1', '9')).toMatchObject({ metadata: {}, flags: 0, connected: true, user: undefined });
  });

  it('keeps of a lobby what LOBBY_UPDATE leaves out, but for the channel: without one it is not linked', () => {
    const store = new LobbyStore(silentLogger);
    const linked_channel = { id: '7', name: 'general', guild_id: '3' };
    store.apply('READY', { lobbies: [{ ...lobby('1', 'harbour', [ada]), flags: 1, linked_channel }] });
    const before = store.lobby('1');
    store.apply('LOBBY_UPDATE', { id: '1' });
    expect(store.lobby('1')).toEqual({ ...before, linkedChannel: undefined });
    expect(store.members('1')).toBe(before?.members);
    store.apply('LOBBY_UPDATE', { id: '1', members: [{ user_id: '9', metadata: { team: 'blue' } }, { id: '10' }] });
    expect(store.members('1')).toMatchObject([
      { id: '9', metadata: { team: 'blue' }, flags: 1, connected: true, user: { displayName: 'Ada' } },
      { id: '10', metadata: {}, flags: 0, connected: false },
    ]);
    store.apply('LOBBY_UPDATE', { id: '1', metadata: null, members: [] });
    expect(store.lobby('1')).toMatchObject({ metadata: {}, members: [], flags: 1 });
  });

  it('keeps the user of a member when an event leaves it out', () => {
    const store = new LobbyStore(silentLogger);
    store.apply('READY', { lobbies: [lobby('1', 'harbour', [{ ...member('9'), user }])] });
    store.apply('LOBBY_MEMBER_UPDATE', { member: member('9', 'blue'), lobby_id: '1' });
    expect(store.member('1', '9')).toMatchObject({ metadata: { team: 'blue' }, user: { displayName: 'Ada' } });
  });

  it('notifies only subscribers of messages about messages', () => {
    const store = storeWith('1');
    const states = record(store.lobbies$);
    const messages = record(store.messages$('1'));
    store.apply('LOBBY_MESSAGE_CREATE', said('1', '50'));
    store.apply('LOBBY_MESSAGE_CREATE', said('1', '50'));
    store.apply('LOBBY_MESSAGE_CREATE', said('7', '51'));
    store.apply('LOBBY_MESSAGE_UPDATE', said('1', '50', 'changed'));
    store.apply('LOBBY_MESSAGE_DELETE', { id: '50', lobby_id: '1' });
    expect(messages.map(list => list.map(({ content }) => content))).toEqual([[], ['hello'], ['changed'], []]);
    expect(states).toHaveLength(1);
    expect(store.messages('7')).toEqual([]);
  });

  it('keeps the messages of a lobby over a READY that has it, and forgets those of one that is gone', () => {
    const store = storeWith('1', '2');
    store.apply('LOBBY_MESSAGE_CREATE', said('1', '50'));
    store.apply('LOBBY_MESSAGE_CREATE', said('2', '51'));
    store.apply('READY', { lobbies: [lobby('1')] });
    store.apply('LOBBY_CREATE', lobby('2'));
    expect([store.messages('1').length, store.messages('2').length]).toEqual([1, 0]);
  });

  it('shows one consistent state while it notifies of a READY', () => {
    const store = storeWith('1', '2');
    const seen: string[] = [];
    const look = () =>
      seen.push([store.lobbies.map(({ id }) => id), store.lobby('1')?.id, store.lobby('3')?.id].join());
    const streams: Observable<unknown>[] = [store.lobby$('1'), store.lobby$('3'), store.members$('1'), store.lobbies$];
    for (const stream of streams) stream.subscribe(look);
    const before = seen.length;
    store.apply('READY', { lobbies: [lobby('2'), lobby('3')] });
    expect(new Set(seen.slice(before))).toEqual(new Set(['2,3,,3']));
  });

  it('drops feeds without subscribers', () => {
    const store = storeWith('1');
    const watches: Observable<unknown>[] = [
      store.lobby$('1'),
      store.member$('1', '9'),
      store.member$('1', '9'),
      store.messages$('7'),
    ];
    const subscriptions = watches.map(stream => stream.subscribe());
    expect(store.observedCount).toBe(2);
    for (const subscription of subscriptions) subscription.unsubscribe();
    expect(store.observedCount).toBe(0);
  });
});

describe('LobbyStore, against maps that are changed in place', () => {
  const id = fc.constantFrom('1', '2', '3', '10');
  const one = fc.tuple(id, fc.constantFrom('red', 'blue')).map(([id, team]) => member(id, team));
  const whole = fc
    .tuple(
      id,
      fc.uniqueArray(one, { maxLength: 3, selector: ({ user_id }) => user_id }),
      fc.constantFrom('reef', 'cave'),
    )
    .map(([id, members, map]) => lobby(id, map, members));
  const event = fc.oneof(
    whole.map(data => ['LOBBY_UPDATE', data] as const),
    id.map(id => ['LOBBY_DELETE', { id }] as const),
    fc.tuple(id, one).map(([lobby_id, member]) => ['LOBBY_MEMBER_UPDATE', { lobby_id, member }] as const),
    fc.tuple(id, one).map(([lobby_id, member]) => ['LOBBY_MEMBER_REMOVE', { lobby_id, member }] as const),
    fc.uniqueArray(whole, { maxLength: 3, selector: ({ id }) => id }).map(lobbies => ['READY', { lobbies }] as const),
  );
  type Plain = Map<string, { map: string; members: Map<string, string> }>;

  function apply(plain: Plain, name: string, data: Record<string, unknown>): void {
    const put = ({ id, metadata, members }: ReturnType<typeof lobby>) =>
      plain.set(id, {
        map: metadata.map,
        members: new Map(
          (members as ReturnType<typeof member>[]).map(({ user_id, metadata }) => [user_id, metadata.team]),
        ),
      });
    const { lobby_id, member: one } = data as { lobby_id: string; member: ReturnType<typeof member> };
    if (name === 'LOBBY_UPDATE') put(data as ReturnType<typeof lobby>);
    else if (name === 'LOBBY_DELETE') plain.delete(String(data.id));
    else if (name === 'LOBBY_MEMBER_UPDATE') plain.get(lobby_id)?.members.set(one.user_id, one.metadata.team);
    else if (name === 'LOBBY_MEMBER_REMOVE') plain.get(lobby_id)?.members.delete(one.user_id);
    else {
      plain.clear();
      (data.lobbies as ReturnType<typeof lobby>[]).forEach(put);
    }
  }

  const byNumber = ([a]: [string, unknown], [b]: [string, unknown]) => Number(a) - Number(b);
  const plainView = (plain: Plain) =>
    [...plain].sort(byNumber).map(([id, { map, members }]) => [id, map, [...members].sort(byNumber)]);
  const view = (state: LobbyState) =>
    state.map(({ id, metadata, members }) => [
      id,
      metadata.map,
      members.map(({ id, metadata }) => [id, metadata.team]),
    ]);

  it('holds the same, frozen; each subscriber receives exactly the changes of what it subscribed to', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 30 }), events => {
        const plain: Plain = new Map();
        const store = new LobbyStore(silentLogger);
        const streams = [
          store.lobbies$,
          store.lobby$('1'),
          store.members$('10'),
          store.member$('1', '2'),
          selectFrom(store.lobbies$, ([first]) => first?.metadata.map, Object.is),
        ] as Observable<unknown>[];
        const told = streams.map(stream => record(stream));
        for (const [name, data] of events) {
          const before = { state: store.lobbies, told: told.map(values => values.length), shown: told.map(last) };
          store.apply(name, structuredClone(data));
          apply(plain, name, data as Record<string, unknown>);
          expect(view(store.lobbies)).toEqual(plainView(plain));
          expect(isDeeplyFrozen(store.lobbies)).toBe(true);
          expect(store.lobbies === before.state).toBe(isDeepStrictEqual(store.lobbies, before.state));
          for (const [place, values] of told.entries()) {
            const more = values.length - (before.told[place] ?? 0);
            expect(more).toBe(isDeepStrictEqual(last(values), before.shown[place]) ? 0 : 1);
          }
          expect(last(told[0] ?? [])).toBe(store.lobbies);
          expect(last(told[3] ?? [])).toBe(store.member('1', '2'));
        }
      }),
    );
  });

  it('holds the same when it is read only now and then', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(event, fc.constantFrom('all', 'one', 'nobody', 'nobody')), { maxLength: 60 }),
        steps => {
          const plain: Plain = new Map();
          const store = new LobbyStore(silentLogger);
          for (const [[name, data], look] of steps) {
            store.apply(name, structuredClone(data));
            apply(plain, name, data as Record<string, unknown>);
            if (look === 'one') expect(store.member('1', '2')?.metadata.team).toBe(plain.get('1')?.members.get('2'));
            if (look === 'all') expect(view(store.lobbies)).toEqual(plainView(plain));
          }
          expect(view(store.lobbies)).toEqual(plainView(plain));
        },
      ),
    );
  });

  const last = (values: unknown[]) => values.at(-1);
});
