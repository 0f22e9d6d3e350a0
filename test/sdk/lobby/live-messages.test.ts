import { describe, expect, it } from 'vitest';
import { LiveMessages, messagesKeptMax } from '../../../src/sdk/lobby/live-messages.ts';
import { readMessage } from '../../../src/sdk/lobby/message-reader.ts';
import type { LobbyMessageSnapshot } from '../../../src/sdk/lobby/snapshot.ts';
import { isDeeplyFrozen } from '../../support/runs/frozen.ts';

function message(id: number, content = `line ${id}`, more: object = {}): LobbyMessageSnapshot {
  const read = readMessage({ id: String(id), lobby_id: '5', content, ...more });
  if (!read) throw new Error('The message of the test cannot be read.');
  return read;
}

function messages(...ids: number[]): LiveMessages {
  const list = new LiveMessages();
  for (const id of ids) list.put(message(id));
  return list;
}

const loader = {};
const idsOf = (list: LiveMessages) => list.shown.map(({ id }) => Number(id));
const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);

describe('LiveMessages', () => {
  it('shows the newest 25, oldest first, each once, wherever they come in between', () => {
    const list = messages(...numbers(1, 24));
    expect(list.shown).toHaveLength(messagesKeptMax - 1);
    list.put(message(30));
    list.put(message(30));
    expect(list.shown).toHaveLength(messagesKeptMax);
    list.put(message(25));
    expect(idsOf(list)).toEqual([...numbers(2, 25), 30]);
    list.put(message(1));
    expect(idsOf(list)).toEqual([...numbers(2, 25), 30]);
    expect(isDeeplyFrozen(list.shown)).toBe(true);
  });

  it('is the same list when one comes that is older than all of the 25', () => {
    const list = messages(...numbers(2, 26));
    const { shown } = list;
    list.put(message(1));
    expect(list.shown).toBe(shown);
    list.put(message(27));
    expect(idsOf(list)).toEqual(numbers(3, 27));
    list.put(message(3, 'edited'));
    expect(list.shown[0]?.content).toBe('edited');
  });

  it('is the same list while nothing changes', () => {
    const list = messages(1, 2);
    const { shown } = list;
    list.put(message(2));
    list.edit('2', { content: 'line 2' });
    list.edit('9', { content: 'unknown' });
    list.remove('9');
    expect(list.shown).toBe(shown);
  });

  it('changes what an edit says, and removes', () => {
    const list = messages(1, 2);
    const [first] = list.shown;
    list.edit('2', { content: 'edited', editedAtMs: 5 });
    expect(list.shown[1]).toMatchObject({ content: 'edited', editedAtMs: 5, flags: 0 });
    expect(list.shown[0]).toBe(first);
    list.remove('1');
    expect(idsOf(list)).toEqual([2]);
  });
});

describe('LiveMessages with a gap', () => {
  it('holds back what comes until the gap is filled, then shows all in order', () => {
    const list = messages(1, 2);
    list.hold(loader);
    list.put(message(6));
    list.edit('6', { content: 'edited' });
    list.remove('2');
    expect(idsOf(list)).toEqual([1, 2]);
    list.fill(loader, [message(3), message(1), message(5), message(2), message(6)]);
    expect(idsOf(list)).toEqual([1, 3, 5, 6]);
    expect(list.shown.at(-1)?.content).toBe('edited');
    list.put(message(7));
    expect(idsOf(list)).toEqual([1, 3, 5, 6, 7]);
  });

  it('takes from the history nothing older than what it has, if it has anything', () => {
    const list = messages(3);
    list.hold(loader);
    list.fill(loader, [message(1), message(2), message(3), message(4)]);
    expect(idsOf(list)).toEqual([3, 4]);
    const empty = messages();
    empty.hold(loader);
    empty.fill(loader, [message(1), message(2)]);
    expect(idsOf(empty)).toEqual([1, 2]);
  });

  it('drops what the history should have and has not', () => {
    const list = messages(1, 2, 3, 4);
    list.hold(loader);
    list.fill(loader, [message(2), message(4), message(5)]);
    expect(idsOf(list)).toEqual([1, 2, 4, 5]);
  });

  it('keeps what was said beside a text, which history does not have, and takes a new text', () => {
    const list = messages();
    list.put(message(1, 'first', { metadata: { emote: 'wave' } }));
    list.hold(loader);
    list.fill(loader, [message(1, 'edited')]);
    expect(list.shown[0]).toMatchObject({ content: 'edited', metadata: { emote: 'wave' } });
  });

  it('shows what was held back when the gap cannot be filled, or when too much came', () => {
    const list = messages(1);
    list.hold(loader);
    list.put(message(3));
    list.release(loader);
    expect(idsOf(list)).toEqual([1, 3]);
    list.hold(loader);
    for (let i = 0; i < 999; i++) list.put(message(10 + i));
    expect(idsOf(list)).toEqual([1, 3]);
    list.put(message(2000));
    expect(list.shown.at(-1)?.id).toBe('2000');
  });

  it('stays held when another gap comes before the first is filled', () => {
    const list = messages(1);
    list.hold(loader);
    list.put(message(3));
    list.hold(loader);
    expect(idsOf(list)).toEqual([1]);
    list.fill(loader, [message(1), message(2), message(3)]);
    list.fill(loader, []);
    expect(idsOf(list)).toEqual([1, 2, 3]);
  });
});
