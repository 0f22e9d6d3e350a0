import { describe, expect, it } from 'vitest';
import { lobbyActions } from '../../../../src/console/views/lobbies/lobby-actions.ts';
import { parseLobbySearch, withFilter } from '../../../../src/console/views/lobbies/lobby-search.ts';
import {
  countChanges,
  diffMetadata,
  duplicateKeys,
  metadataLength,
  metadataLine,
  metadataOf,
  rowsOf,
} from '../../../../src/console/views/lobbies/metadata.ts';

describe('The search of the lobbies', () => {
  it('takes filters out of the text, in any order', () => {
    expect(parseLobbySearch('harbour application:1 duel member:9')).toEqual({
      text: 'harbour duel',
      application: '1',
      member: '9',
      mistakes: [],
    });
  });

  it('takes quoted words for text, also when they look like a filter', () => {
    expect(parseLobbySearch('"member:9" "two words"').text).toBe('member:9 two words');
  });

  it('names filters that hold no id, and second ones', () => {
    expect(parseLobbySearch('member:ada app:1 app:2').mistakes).toEqual(['member:ada', 'app:2']);
  });

  it('leaves words with a colon alone that are no filter', () => {
    expect(parseLobbySearch('mode:duel constructor:1').text).toBe('mode:duel constructor:1');
  });

  it('sets and removes one filter and leaves the rest as it was written', () => {
    expect(withFilter('app:1 "a  b" x', 'application', '2')).toBe('application:2 "a  b" x');
    expect(withFilter('application:2 x', 'application', undefined)).toBe('x');
  });
});

describe('Metadata', () => {
  it('is compared key by key', () => {
    const changes = diffMetadata({ map: 'harbour', mode: 'duel', old: '1' }, { mode: 'team', map: 'harbour', new: '' });
    expect(changes).toEqual([
      { key: 'mode', kind: 'changed', before: 'duel', after: 'team' },
      { key: 'map', kind: 'same', before: 'harbour', after: 'harbour' },
      { key: 'new', kind: 'added', after: '' },
      { key: 'old', kind: 'removed', before: '1' },
    ]);
    expect(countChanges(changes)).toBe(3);
    expect(countChanges(diffMetadata(null, {}))).toBe(0);
  });

  it('survives the form, with keys that objects have by nature', () => {
    const rows = [
      { key: '__proto__', value: 'x' },
      { key: 'constructor', value: 'y' },
      { key: '', value: '' },
    ];
    const metadata = metadataOf(rows);
    expect(rowsOf(metadata)).toEqual(rows.slice(0, 2));
    expect(metadataOf([{ key: '', value: '' }])).toBeNull();
  });

  it('with two rows of the same key names the key', () => {
    const row = { key: 'map', value: '1' };
    expect([...duplicateKeys([row, { key: 'mode', value: '' }, row])]).toEqual(['map']);
  });

  it('is counted in code points, as the limit counts', () => {
    expect(metadataLength({ '🚀': 'ab' })).toBe(3);
  });

  it('is shortened in a row of the table', () => {
    expect(metadataLine({ a: '1', b: 'x'.repeat(10) }, 8)).toBe('a=1 · b=…');
    expect(metadataLine(null)).toBe('');
  });
});

describe('The acts of the lobbies', () => {
  it('are calls of the API with the credential that may make them', () => {
    expect(lobbyActions.create('1', { metadata: { map: 'harbour' } })).toEqual({
      call: {
        as: { kind: 'bot', application_id: '1' },
        method: 'POST',
        path: '/lobbies',
        body: { metadata: { map: 'harbour' } },
      },
      issues: [],
    });
    expect(lobbyActions.link({ id: '5', application_id: '1' }, '9', undefined).call).toEqual({
      as: { kind: 'user', application_id: '1', user_id: '9' },
      method: 'PATCH',
      path: '/lobbies/5/channel-linking',
      body: {},
    });
  });

  it('say before they are sent what the rulebook finds wrong', () => {
    const { issues } = lobbyActions.edit({ id: '5', application_id: '1' }, { idle_timeout_seconds: 4 });
    expect(issues.map(({ path, code }) => [path, code])).toEqual([[['idle_timeout_seconds'], 'NUMBER_TYPE_MIN']]);
  });
});
