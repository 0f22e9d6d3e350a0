import { take } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { LobbyStore } from '../../../src/sdk/lobby/store.ts';
import { type Logger, silentLogger } from '../../../src/wire/ports.ts';

const lobby = (id: string, map = 'harbour') => ({ id, application_id: '1', metadata: { map }, members: [] });

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
  it('replays the latest state to whoever comes, and says each change once', () => {
    const store = storeWith('1');
    const states = record(store.lobbies$);
    store.apply('LOBBY_CREATE', lobby('2'));
    store.apply('LOBBY_CREATE', lobby('2'));
    store.apply('LOBBY_DELETE', { id: '3' });
    expect(states.map(state => state.map(({ id }) => id))).toEqual([['1'], ['1', '2']]);
    expect(record(store.lobbies$)).toEqual([store.lobbies]);
  });

  it('wakes who watches one lobby only for that one', () => {
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

  it('replaces all on READY in one emission, waking who watches what differs', () => {
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

  it('lets watchers go and come while it tells of a change', () => {
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

  it('drops and reports a dispatch that cannot be read, and passes over those of other things', () => {
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
});
