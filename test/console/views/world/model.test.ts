import { describe, expect, it } from 'vitest';
import { hasPermission, namePermissions, withPermission } from '../../../../src/console/views/world/bits.ts';
import { locateInJson } from '../../../../src/console/views/world/locate-in-json.ts';

describe('Permission bits', () => {
  it('are switched one by one, and the others stay', () => {
    const on = withPermission('2', 'SEND_MESSAGES', true);
    expect(on).toBe('2050');
    expect(hasPermission(on, 'SEND_MESSAGES')).toBe(true);
    expect(withPermission(on, 'SEND_MESSAGES', false)).toBe('2');
    expect(namePermissions(on)).toEqual({ names: ['SEND_MESSAGES'], rest: '2' });
    expect(namePermissions('many')).toBeUndefined();
    expect(namePermissions('18014398509481984')).toBeUndefined();
  });
});

describe('A path of an issue', () => {
  const text = `{
  "users": [{ "id": "9", "username": "a\\"]}" }],
  "guilds": [
    { "id": "5", "roles": [] },
    { "owner_id" : "nobody" }
  ]
}`;

  it('leads to the value in the text of the document', () => {
    const place = locateInJson(text, ['guilds', '1', 'owner_id']);
    expect(text.slice(place.start, place.end)).toBe('"nobody"');
    expect([place.line, place.column]).toEqual([5, 20]);
  });

  it('leads behind texts with quotation marks and brackets in them', () => {
    const place = locateInJson(text, ['guilds', '0']);
    expect(text.slice(place.start, place.end)).toBe('{ "id": "5", "roles": [] }');
  });

  it('that leads to nothing ends at its last part that exists', () => {
    const place = locateInJson(text, ['guilds', '0', 'name']);
    expect(text.slice(place.start, place.end)).toBe('{ "id": "5", "roles": [] }');
    expect(locateInJson(text, []).line).toBe(1);
    expect(locateInJson('', ['a'])).toMatchObject({ line: 1, column: 1 });
  });
});
