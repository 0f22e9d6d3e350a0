import { describe, expect, it } from 'vitest';
import { type Middleware, router } from '../../../src/backend/commands/router.ts';
import { field } from '../../../src/backend/components/field.ts';
import { defineModal } from '../../../src/backend/components/modal.ts';
import type { RoutedComponent } from '../../../src/backend/components/routed.ts';
import type { ReceivedInteraction } from '../../../src/backend/interactions/received-interaction.ts';
import { ValidationError } from '../../../src/model/errors/errors.ts';
import type { Interaction, InteractionCallback } from '../../../src/model/interaction.ts';
import { choices } from '../../support/commands/components.ts';

/** An interaction as it arrives, and what was answered to it. */
function received(type: 3 | 5, data: object) {
  const answers: InteractionCallback[] = [];
  const respond = async (callback: InteractionCallback) => void answers.push(callback);
  const interaction = {
    payload: { type, data } as unknown as Interaction,
    answerByMs: 0,
    respond,
    reply: message => respond({ type: 4, data: message }),
    update: message => respond({ type: 7, data: message }),
  } as ReceivedInteraction;
  return { interaction, answers };
}

const seen: unknown[] = [];
const note = (custom_id: string): RoutedComponent => ({
  custom_id,
  use: async ({ values, argument, update, payload }) => {
    seen.splice(0, seen.length, payload.data.custom_id, values, argument);
    await update({ content: 'Noted' });
  },
});

describe('a component that is used', () => {
  const pressed = (custom_id: string, more: object = {}) => received(3, { custom_id, component_type: 2, ...more });

  it.each([
    ['join', undefined],
    ['join:', ''],
    ['join:5', '5'],
    ['join:a:b', 'a:b'],
  ])('goes to the handler of its custom id up to the first colon: %s', async (customId, argument) => {
    const { interaction, answers } = pressed(customId);
    await router([], { components: [note('other'), note('join')] })(interaction);
    expect(seen).toEqual([customId, [], argument]);
    expect(answers).toEqual([{ type: 7, data: { content: 'Noted' } }]);
  });

  it('goes to the handler of the whole custom id before another', async () => {
    const { interaction } = pressed('join:5', { values: ['a'] });
    await router([], { components: [note('join'), note('join:5')] })(interaction);
    expect(seen).toEqual(['join:5', ['a'], undefined]);
  });

  it('passes through every middleware, the first one outermost', async () => {
    const { interaction, answers } = pressed('join');
    const order: string[] = [];
    const step =
      (name: string): Middleware =>
      async (_, next) => {
        order.push(`before ${name}`);
        await next();
        order.push(`after ${name}`);
      };
    await router([], { components: [note('join')], middleware: [step('a'), step('b')] })(interaction);
    expect(order).toEqual(['before a', 'before b', 'after b', 'after a']);
    expect(answers).toHaveLength(1);
    const deny: Middleware = ({ reply }) => reply({ content: 'Not now', flags: 64 });
    const denied = pressed('join');
    await router([], { components: [note('join')], middleware: [deny, step('c')] })(denied.interaction);
    expect(denied.answers).toEqual([{ type: 4, data: { content: 'Not now', flags: 64 } }]);
    expect(order).toHaveLength(4);
  });

  it('says so to its user when it has no handler', async () => {
    const { interaction, answers } = pressed('gone');
    await router([], { components: [note('join')] })(interaction);
    expect(answers).toEqual([{ type: 4, data: { content: 'This is no longer available here.', flags: 64 } }]);
  });

  it('cannot have two handlers', () => {
    const twice = () => router([], { components: [note('join'), note('join')] });
    expect(twice).toThrow(expect.objectContaining({ code: 'duplicate_custom_id' }));
  });

  it('fails with what its handler throws', async () => {
    const use = () => {
      throw new Error('no');
    };
    const handle = async () => router([], { components: [{ custom_id: 'join', use }] })(pressed('join').interaction);
    await expect(handle()).rejects.toThrow('no');
  });
});

describe('a modal that was submitted', () => {
  const report = defineModal(
    {
      custom_id: 'report',
      title: 'Report',
      components: [
        field.text('what', 'What?', { min_length: 2 }),
        field.select('map', 'Where?', { options: choices('quay', 'keep'), required: false }),
        field.checkbox('sure', 'Sure?'),
      ],
    },
    async ({ values, argument, reply }) => {
      seen.splice(0, seen.length, values.what, values.map, values.sure, argument);
      await reply({ content: 'Thank you' });
    },
  );
  const submitted = (what: string, custom_id = 'report') =>
    received(5, {
      custom_id,
      components: [
        { type: 18, component: { type: 4, custom_id: 'what', value: what } },
        { type: 18, component: { type: 3, custom_id: 'map', values: ['keep'] } },
        { type: 18, component: { type: 23, custom_id: 'sure', value: true } },
      ],
    });

  it('goes to its handler with the values by custom id, and the argument it was shown with', async () => {
    const { interaction, answers } = submitted('Nothing', 'report:7');
    await router([], { modals: [report] })(interaction);
    expect(seen).toEqual(['Nothing', ['keep'], true, '7']);
    expect(answers).toEqual([{ type: 4, data: { content: 'Thank you' } }]);
  });

  it('that does not fit its definition is answered as outdated and rejected', async () => {
    const { interaction, answers } = submitted('x');
    await expect(router([], { modals: [report] })(interaction)).rejects.toThrow(ValidationError);
    expect(answers).toMatchObject([{ type: 4, data: { flags: 64, content: expect.stringContaining('changed') } }]);
  });

  it('says so to its user when it has no handler, or goes to `otherwise`', async () => {
    const { interaction, answers } = submitted('Nothing', 'other');
    await router([], { modals: [report] })(interaction);
    expect(answers).toHaveLength(1);
    let otherwise = 0;
    await router([], { modals: [{ ...report, custom_id: 'x' }], otherwise: () => void otherwise++ })(interaction);
    expect(otherwise).toBe(1);
    expect(() => router([], { modals: [report, report] })).toThrow(
      expect.objectContaining({ code: 'duplicate_custom_id' }),
    );
  });

  it('finds nothing inherited among its values', async () => {
    const odd = defineModal({ custom_id: 'odd', title: 'x', components: [field.text('a', 'x')] }, ({ values }) => {
      seen.splice(0, seen.length, Reflect.get(values, 'constructor'));
    });
    const components = [{ type: 18, component: { type: 4, custom_id: 'a', value: 'x' } }];
    await router([], { modals: [odd] })(received(5, { custom_id: 'odd', components }).interaction);
    expect(seen).toEqual([undefined]);
  });
});

describe('a modal whose custom id is a pattern', () => {
  const filled: unknown[] = [];
  const components = [field.text('why', 'Why?')] as const;
  const ban = defineModal(
    { custom_id: 'ban/:userId/:days', title: 'Ban', components },
    ({ params, values, argument }) => {
      filled.splice(0, filled.length, { ...params }, values.why, argument);
    },
  );
  const submitted = (custom_id: string) =>
    received(5, { custom_id, components: [{ type: 18, component: { type: 4, custom_id: 'why', value: 'Spam' } }] });

  it('is shown with values, which its handler receives exactly', async () => {
    const shown = ban.withParams({ userId: 'a/b:50%', days: 7 });
    expect(shown).toEqual({ custom_id: 'ban/a%2Fb:50%25/7', title: 'Ban', components });
    await router([], { modals: [ban] })(submitted(shown.custom_id).interaction);
    expect(filled).toEqual([{ userId: 'a/b:50%', days: '7' }, 'Spam', undefined]);
  });

  it('is found after a modal of the whole custom id, and not for an id of another shape', async () => {
    const exact = defineModal({ custom_id: 'ban/me/now', title: 'Ban', components }, () => {
      filled.splice(0, filled.length, 'exact');
    });
    const route = router([], { modals: [ban, exact] });
    await route(submitted('ban/me/now').interaction);
    expect(filled).toEqual(['exact']);
    await route(submitted('ban/42').interaction);
    expect(filled).toEqual(['exact']);
  });

  it('is rejected with a missing value, a pattern that is none, and beside one of the same shape', () => {
    expect(() => ban.withParams({ userId: '42' } as never)).toThrow(ValidationError);
    const wrong = { custom_id: 'ban/:id/:id', title: 'Ban', components };
    expect(() => defineModal(wrong)).toThrow(/invalid_custom_id_pattern|parameters with different names/);
    const same = defineModal({ custom_id: 'ban/:who/:long', title: 'Ban', components });
    expect(() => router([], { modals: [ban, same] })).toThrow(/Two handlers/);
  });
});
