import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { eventParser } from '../../../src/console/control/stream.ts';
import { hrefOf, parseHash } from '../../../src/console/router.ts';
import { differencesOf } from '../../../src/console/ui/diff.tsx';
import { bytesText } from '../../../src/console/ui/text/numbers.ts';
import { clockText, durationText } from '../../../src/console/ui/text/time.ts';
import { entriesMax, merged } from '../../../src/console/views/traffic/feed.ts';
import { treeOf } from '../../../src/console/views/traffic/tree.tsx';
import { dispatchEntry, madeTraffic, requestEntry } from '../../support/console/made-traffic.ts';

describe('an address of the console', () => {
  it.each([
    ['', { view: 'overview', path: [], query: {} }],
    ['#/', { view: 'overview', path: [], query: {} }],
    [
      '#/traffic/12?status=4xx&search=a%26b',
      { view: 'traffic', path: ['12'], query: { status: '4xx', search: 'a&b' } },
    ],
    ['#/lobbies/a%2Fb', { view: 'lobbies', path: ['a/b'], query: {} }],
    ['#/nonsense', { view: undefined, path: [], query: {} }],
    ['#/traffic/%E0%A4%A', { view: 'traffic', path: ['%E0%A4%A'], query: {} }],
  ])('%s names a view, its path and its filters', (hash, route) => {
    expect(parseHash(hash)).toEqual(route);
  });

  it('leads back to what it was made of', () => {
    const query = { search: 'a?b&c=d#e/f', status: '5xx' };
    expect(parseHash(hrefOf('traffic', ['a/b?c'], query))).toEqual({ view: 'traffic', path: ['a/b?c'], query });
    expect(hrefOf('overview')).toBe('#/');
    expect(hrefOf('traffic', [], { search: '', status: undefined, kind: false })).toBe('#/traffic');
  });
});

describe('the reader of events', () => {
  it.each([1, 2, 3, 7, 1000])('finds the same events in parts of %i characters', size => {
    const text =
      ': hello\n\nid: 1\r\nevent: traffic\r\ndata: {"a":\r\ndata: 1}\r\n\r\nid: 2\ndata: "\\n"\n\nevent: lost\ndata: 1\n';
    const found: unknown[] = [];
    const parse = eventParser((...event) => found.push(event));
    for (let at = 0; at < text.length; at += size) parse(text.slice(at, at + size));
    expect(found).toEqual([
      ['traffic', '1', { a: 1 }],
      ['message', '2', '\n'],
    ]);
  });

  it('gives up an event that never ends', () => {
    const parse = eventParser(() => expect.fail());
    const part = `data: ${'x'.repeat(1024 * 1024)}\n`;
    expect(() => {
      for (let count = 0; count < 20; count++) parse(part);
    }).toThrow('too large');
  });
});

describe('the entries of the traffic', () => {
  it('are in the order of their ids, each once, whatever order they come in', () => {
    const entries = madeTraffic(1, 50, 0);
    const shuffled = [...entries.slice(10, 30), ...entries.slice(0, 10), ...entries.slice(25)];
    const all = shuffled.reduce<ReturnType<typeof merged>>((list, entry) => merged(list, [entry]), []);
    expect(all).toEqual(entries);
  });

  it('are bounded: the oldest make room', () => {
    const all = merged(madeTraffic(1, entriesMax, 0), madeTraffic(entriesMax + 1, 7, 0));
    expect([all.length, all[0]?.id, all.at(-1)?.id]).toEqual([entriesMax, 8, entriesMax + 7]);
  });

  it('form a tree by their causes, without those that belong to something else', () => {
    const root = requestEntry(1, 0);
    const event = dispatchEntry(3, 0, 1);
    const request = requestEntry(5, 0, { cause: 3 });
    const tree = treeOf(root, [request, event, root, dispatchEntry(4, 0, 2)]);
    expect(tree).toEqual({
      entry: root,
      effects: [{ entry: event, effects: [{ entry: request, effects: [] }] }],
    });
  });
});

describe('texts of the console', () => {
  it('say durations, sizes and times shortly', () => {
    expect([0, 999, 1000, 61_000, 3_600_000, 90_061_000, -5000, Number.NaN].map(durationText)).toEqual([
      ...['0 ms', '999 ms', '1 s', '1 min 1 s', '1 h', '1 d 1 h', '−5 s', 'NaN'],
    ]);
    expect([0, 1023, 1536, 10 * 1024 * 1024].map(bytesText)).toEqual(['0 B', '1023 B', '1.5 KiB', '10.0 MiB']);
    expect(clockText(Date.UTC(2026, 10, 23, 8, 15, 2))).toBe('2026-11-23 08:15:02Z');
    expect(clockText(1e300)).toBe('1e+300');
  });

  it('name every difference of two values at its place', () => {
    const before = { a: 1, list: [1, { x: 1 }], same: { deep: [] } };
    const after = { b: 2, list: [1, { x: 2 }, 3], same: { deep: [] } };
    expect(differencesOf(before, after)).toEqual([
      { path: 'a', kind: 'removed', before: 1, after: undefined },
      { path: 'list.1.x', kind: 'changed', before: 1, after: 2 },
      { path: 'list.2', kind: 'added', before: undefined, after: 3 },
      { path: 'b', kind: 'added', before: undefined, after: 2 },
    ]);
  });
});

describe('the sources of the console', () => {
  const files = globSync('src/console/**/*.{ts,tsx,html}');

  it('never turn text into markup or into code', () => {
    const forbidden =
      /innerHTML|outerHTML|insertAdjacentHTML|dangerouslySetInnerHTML|document\.write|\beval\(|new Function|DOMParser|srcdoc/;
    expect(files.length).toBeGreaterThan(40);
    expect(files.filter(file => forbidden.test(readFileSync(file, 'utf8')))).toEqual([]);
  });
});
