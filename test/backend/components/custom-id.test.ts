import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { router } from '../../../src/backend/commands/router.ts';
import { customId, defineComponent } from '../../../src/backend/components/custom-id.ts';
import type { RoutedComponent, RoutedPattern } from '../../../src/backend/components/routed.ts';
import type { ReceivedInteraction } from '../../../src/backend/interactions/received-interaction.ts';
import { componentLimits } from '../../../src/model/limits/component-limits.ts';

const max = componentLimits.customIdLengthMax;

/** Uses the component of this custom id. */
async function use(components: readonly (RoutedComponent | RoutedPattern)[], custom_id: string): Promise<void> {
  const payload = { type: 3, data: { custom_id, component_type: 2 } };
  const handle = router([], { components, otherwise: () => void seen.push('otherwise') });
  await handle({ payload } as unknown as ReceivedInteraction);
}

const seen: unknown[] = [];
const fresh = () => seen.splice(0);
const note = <const Pattern extends string>(pattern: Pattern) =>
  defineComponent(pattern, ({ params }) => void seen.push([pattern, { ...params }]));

describe('a pattern of custom ids', () => {
  it('reads back every value that it wrote', async () => {
    const component = note('a/:one/b/:two');
    const value = fc.string({ unit: 'grapheme', maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(value, value, async (one, two) => {
        const values = { one, two };
        let id: string;
        try {
          id = component.customId(values);
        } catch {
          return;
        }
        fresh();
        await use([component], id);
        expect(seen).toEqual([['a/:one/b/:two', values]]);
      }),
    );
  });

  it.each([max - 1, max])('makes a custom id of %i characters', length => {
    expect(customId('join/:id', { id: '🦀'.repeat(length - 5) })).toBe(`join/${'🦀'.repeat(length - 5)}`);
  });

  it('rejects a custom id of 101 characters, and one whose escapes make it so long', () => {
    const tooLong = expect.objectContaining({ issues: [expect.objectContaining({ code: 'BASE_TYPE_BAD_LENGTH' })] });
    expect(() => customId('join/:id', { id: 'x'.repeat(max - 4) })).toThrow(tooLong);
    expect(() => customId('join/:id', { id: '/'.repeat(32) })).toThrow(tooLong);
    expect(customId('join/:id', { id: '/'.repeat(31) })).toBe(`join/${'%2F'.repeat(31)}`);
  });

  it('takes numbers, and rejects a value that is missing or neither text nor number', () => {
    expect(customId('page/:page', { page: 2 })).toBe('page/2');
    expect(customId('plain')).toBe('plain');
    const given = (values: object) => () => customId('page/:page', values as { page: string });
    expect(given({})).toThrow(/page[\s\S]*BASE_TYPE_REQUIRED|required/);
    expect(given({ page: null })).toThrow(expect.objectContaining({ name: 'ValidationError' }));
  });

  it.each(['', 'join/:', 'join/:1', 'join/:a-b', 'join:red', 'a:b/:c', ':a/:a'])('cannot be %j', pattern => {
    const invalid = expect.objectContaining({ code: 'invalid_custom_id_pattern' });
    expect(() => defineComponent(pattern, () => {})).toThrow(invalid);
    expect(() => customId(pattern, { a: '1', c: '1' } as never)).toThrow(invalid);
  });

  it.each(['join', 'join/a', 'join/a/b/c', 'leave/a/b', 'JOIN/a/b'])('does not match %j', async id => {
    fresh();
    await use([note('join/:id/:team')], id);
    expect(seen).toEqual(['otherwise']);
  });

  it('keeps what is no escape of its own as it is', async () => {
    fresh();
    await use([note('join/:id')], 'join/%zz%2f%41');
    expect(seen).toEqual([['join/:id', { id: '%zz%2f%41' }]]);
  });

  it('has no inherited parameter', async () => {
    const component = defineComponent('join/:id', ({ params }) => void seen.push(Reflect.get(params, 'constructor')));
    fresh();
    await use([component], 'join/1');
    expect(seen).toEqual([undefined]);
  });

  it('comes after the whole custom id, before the part before a colon, and in the order of the list', async () => {
    const plain = (custom_id: string): RoutedComponent => ({ custom_id, use: () => void seen.push(custom_id) });
    const components = [plain('join'), note('join/:id'), note(':what/all'), plain('join/7'), plain('join/a')];
    fresh();
    for (const id of ['join/7', 'join/all', 'leave/all', 'join:red', 'join/a:b']) await use(components, id);
    expect(seen).toEqual([
      'join/7',
      ['join/:id', { id: 'all' }],
      [':what/all', { what: 'leave' }],
      'join',
      ['join/:id', { id: 'a:b' }],
    ]);
  });

  it('cannot have two handlers, whatever its parameters are called', () => {
    const twice = () => router([], { components: [note('join/:id'), note('join/:lobby')] });
    expect(twice).toThrow(expect.objectContaining({ code: 'duplicate_custom_id' }));
    expect(() => router([], { components: [note('join/:id'), note('leave/:id')] })).not.toThrow();
  });
});
