import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readJsonPlaces } from '../../../../src/console/views/commands/json-places.ts';

const text = `{
  "name": "rally",
  "options": [
    { "type": 3, "name": "m\\"ap" },
    { "type": 4, "choices": [ {"name": "{", "value": 1} ] }
  ]
}`;

describe('readJsonPlaces', () => {
  const placeOf = readJsonPlaces(text);
  const at = (...path: string[]) => {
    const { line, from, to } = placeOf(path);
    return [line, text.slice(from, to)];
  };

  it('finds values by their paths, in lists and objects', () => {
    expect(at('name')).toEqual([2, '"rally"']);
    expect(at('options', '0', 'name')).toEqual([4, '"m\\"ap"']);
    expect(at('options', '1', 'choices', '0', 'value')).toEqual([5, '1']);
    expect(at('options', '1', 'choices', '0')).toEqual([5, '{"name": "{", "value": 1}']);
  });

  it('finds the nearest part of a path that is not there', () => {
    expect(at('options', '0', 'description')).toEqual([4, '{ "type": 3, "name": "m\\"ap" }']);
    expect(at('description')[0]).toBe(1);
  });

  it('finds every value of any JSON text', () => {
    fc.assert(
      fc.property(fc.json(), fc.integer({ min: 0, max: 2 }), (json, indent) => {
        const value = JSON.parse(json) as unknown;
        const written = JSON.stringify(value, null, indent);
        const find = readJsonPlaces(written);
        const visit = (part: unknown, path: readonly string[]): void => {
          const { from, to } = find(path);
          expect(JSON.parse(written.slice(from, to))).toEqual(part);
          if (typeof part === 'object' && part !== null) {
            for (const [key, item] of Object.entries(part)) visit(item, [...path, key]);
          }
        };
        visit(value, []);
      }),
      { numRuns: 50 },
    );
  });

  it('survives text that is not JSON, and very deep text', () => {
    expect(readJsonPlaces('{"a": [}')(['a']).line).toBe(1);
    const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
    expect(readJsonPlaces(deep)(['0', '0']).from).toBe(2);
  });
});
