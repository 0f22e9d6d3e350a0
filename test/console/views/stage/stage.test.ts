import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readMarkdown } from '../../../../src/console/views/stage/markdown.ts';
import { findUsages, optionValues, usagesOf, usageText } from '../../../../src/console/views/stage/option-values.ts';
import { channelOf, placeText, readPlace } from '../../../../src/console/views/stage/places.ts';
import { changeUse, emptyScreen, receive, type Use, withUse } from '../../../../src/console/views/stage/screen.ts';
import { initialValues, submissionOf } from '../../../../src/console/views/stage/submission.ts';
import type { Command } from '../../../../src/model/command.ts';
import { type Component, componentTypes } from '../../../../src/model/component.ts';
import { checkSubmission } from '../../../../src/model/rules/components/component-values.ts';
import { checkInvocation } from '../../../../src/model/rules/interactions/invocation.ts';

const crew = {
  id: '1',
  type: 1,
  name: 'crew',
  name_localized: 'mannschaft',
  description: 'Your crew',
  options: [
    {
      type: 1,
      name: 'add',
      description: 'Adds somebody',
      options: [
        { type: 6, name: 'who', description: 'Whom', required: true },
        { type: 4, name: 'rank', description: 'As what' },
        { type: 5, name: 'loud', description: 'Tell all' },
      ],
    },
    { type: 2, name: 'list', description: 'Lists', options: [{ type: 1, name: 'all', description: 'All of it' }] },
  ],
} as unknown as Command;

describe('the ways to use a command', () => {
  const [add, all] = usagesOf(crew);

  it('are its subcommands, by the names that the reader sees', () => {
    expect(usagesOf(crew).map(usageText)).toEqual(['/mannschaft add', '/mannschaft list all']);
    expect(findUsages(usagesOf(crew), '/mannschaft li').map(usageText)).toEqual(['/mannschaft list all']);
    expect(findUsages(usagesOf(crew), 'adds').map(usageText)).toEqual(['/mannschaft add']);
  });

  it('send what was filled in as values that the rulebook accepts', () => {
    if (!add || !all) throw new Error('A usage is missing.');
    const values = optionValues(add, { who: '9', rank: '3', loud: 'false' });
    expect(values).toMatchObject([{ name: 'add', type: 1, options: [{ value: '9' }, { value: 3 }, { value: false }] }]);
    expect(checkInvocation(values, crew)).toEqual([]);
    expect(checkInvocation(optionValues(all, {}), crew)).toEqual([]);
    expect(checkInvocation(optionValues(add, { rank: 'three' }), crew).length).toBe(2);
  });

  it('mark the option that is being typed', () => {
    if (!add) throw new Error('A usage is missing.');
    expect(optionValues(add, { rank: '1' }, 'rank')).toMatchObject([{ options: [{ value: '1', focused: true }] }]);
  });
});

describe('a place in the address', () => {
  it.each(['channel-5-7', 'direct-1', 'lobby-1-8'])('%s is read and written alike', text => {
    const place = readPlace(text);
    expect(place && placeText(place)).toBe(text);
  });

  it('is nothing when it is not one', () => {
    for (const text of [undefined, '', 'channel-5', 'direct-x', 'constructor-1', 'lobby-1-2-3']) {
      expect(readPlace(text)).toBeUndefined();
    }
  });

  it('stands for the channel that a client names', () => {
    expect(channelOf({ kind: 'direct', applicationId: '1' }, '9')).toEqual({ channel_id: '9' });
    expect(channelOf({ kind: 'channel', guildId: '5', channelId: '7' }, '9')).toEqual({
      channel_id: '7',
      guild_id: '5',
    });
  });
});

describe('the screen of a user', () => {
  const use: Use = { nonce: 'n', label: '/x', applicationId: '1', channelId: '7', startedMs: 0, state: 'waiting' };
  const screen = withUse(emptyScreen, use);

  it('shows messages as they are now, in order', () => {
    const shown = [
      ['MESSAGE_CREATE', { id: '1', content: 'a' }],
      ['MESSAGE_CREATE', { id: '2', content: 'b' }],
      ['MESSAGE_UPDATE', { id: '1', content: 'c' }],
      ['MESSAGE_CREATE', { id: '3', content: 'd' }],
      ['MESSAGE_DELETE', { id: '2' }],
      ['LOBBY_CREATE', {}],
    ].reduce((screen, [name, data]) => receive(screen, String(name), data), screen);
    expect(shown.messages.map(({ content }) => content)).toEqual(['c', 'd']);
  });

  it('notes what became of what was done', () => {
    expect(receive(screen, 'INTERACTION_SUCCESS', { id: '4', nonce: 'n' }).uses[0]).toMatchObject({
      state: 'answered',
      interactionId: '4',
    });
    expect(receive(screen, 'INTERACTION_FAILURE', { id: '4', nonce: 'n' }).uses[0]?.state).toBe('failed');
    expect(receive(screen, 'INTERACTION_FAILURE', { id: '4', nonce: 'other' }).uses[0]?.state).toBe('waiting');
    expect(changeUse(screen, 'n', { error: 'no' }).uses[0]?.error).toBe('no');
    const modal = receive(screen, 'INTERACTION_MODAL_CREATE', { id: '4', nonce: 'n', custom_id: 'm', components: [] });
    expect([modal.modal?.custom_id, modal.uses[0]?.state]).toEqual(['m', 'answered']);
  });

  it('keeps a bounded number of messages', () => {
    const many = Array.from({ length: 600 }, (_, i) => ({ id: String(i) }));
    expect(many.reduce((screen, message) => receive(screen, 'MESSAGE_CREATE', message), screen).messages).toHaveLength(
      500,
    );
  });
});

describe('the marks in a text', () => {
  it('become pieces, and everything else stays text', () => {
    expect(readMarkdown('Hi **<@9>**, see `x`')).toEqual([
      { kind: 'text', text: 'Hi ' },
      { kind: 'strong', pieces: [{ kind: 'user', id: '9', text: '<@9>' }] },
      { kind: 'text', text: ', see ' },
      { kind: 'code', text: 'x' },
    ]);
    expect(readMarkdown('<script>alert(1)</script>')).toEqual([{ kind: 'text', text: '<script>alert(1)</script>' }]);
    expect(readMarkdown('</rally:12> <t:60:R>')).toMatchObject([
      { kind: 'command', id: '12', text: '/rally' },
      {},
      { kind: 'time', seconds: 60 },
    ]);
  });

  it('lose no letter that is not a mark, and take no time', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'*_~`|<@#>/t:1a\n') }), text => {
        const letters = (pieces: ReturnType<typeof readMarkdown>): string =>
          pieces.map(piece => ('pieces' in piece ? letters(piece.pieces) : piece.text)).join('');
        expect(letters(readMarkdown(text)).replace(/[^a]/g, '').length).toBeGreaterThanOrEqual(
          text.replace(/`{3}a+\n/g, '').replace(/[^a]/g, '').length - (text.match(/`{3}a+\n/g)?.join('').length ?? 0),
        );
      }),
      { numRuns: 200 },
    );
    const begun = performance.now();
    readMarkdown('**'.repeat(50_000));
    readMarkdown('<@'.repeat(50_000));
    expect(performance.now() - begun).toBeLessThan(1000);
  });
});

describe('a form', () => {
  const components = [
    { type: componentTypes.TEXT_DISPLAY, content: 'Hello' },
    {
      type: componentTypes.LABEL,
      label: 'Name',
      component: { type: componentTypes.TEXT_INPUT, custom_id: 'name', value: 'x' },
    },
    {
      type: componentTypes.LABEL,
      label: 'Map',
      component: {
        type: componentTypes.STRING_SELECT,
        custom_id: 'map',
        options: [
          { value: 'a', label: 'A', default: true },
          { value: 'b', label: 'B' },
        ],
      },
    },
    { type: componentTypes.LABEL, label: 'Loud', component: { type: componentTypes.CHECKBOX, custom_id: 'loud' } },
  ] as readonly Component[];

  it('sends what it showed at first when nothing is filled in', () => {
    const sent = submissionOf(components, initialValues(components));
    expect(sent).toMatchObject([
      {},
      { component: { value: 'x' } },
      { component: { values: ['a'] } },
      { component: { value: false } },
    ]);
    expect(checkSubmission(sent, components)).toEqual([]);
  });

  it('sends what was filled in', () => {
    const filled = new Map([
      ...initialValues(components),
      ['name', 'y'] as const,
      ['map', ['b']] as const,
      ['loud', true] as const,
    ]);
    const sent = submissionOf(components, filled);
    expect(sent).toMatchObject([
      {},
      { component: { value: 'y' } },
      { component: { values: ['b'] } },
      { component: { value: true } },
    ]);
    expect(checkSubmission(sent, components)).toEqual([]);
  });
});
