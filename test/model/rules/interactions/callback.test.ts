import { describe, expect, it } from 'vitest';
import { optionTypes } from '../../../../src/model/command.ts';
import { componentTypes } from '../../../../src/model/component.ts';
import { callbackTypes } from '../../../../src/model/interaction.ts';
import { messageFlags } from '../../../../src/model/message.ts';
import {
  checkCallback,
  checkMessageData,
  checkModal,
  checkSuggestedValues,
  isEmptyMessage,
} from '../../../../src/model/rules/interactions/callback.ts';
import { times } from '../../../support/commands/command-samples.ts';
import { button, labelled, row, textInput } from '../../../support/commands/components.ts';
import { faults } from '../../../support/commands/issues.ts';

const check = (body: unknown): string[] => faults(checkCallback(body));
const data = (type: number, fields: unknown): string[] => check({ type, data: fields });

describe('the body of a callback', () => {
  it('is an object with a type', () => {
    for (const body of [null, [], 'x']) expect(check(body)).toEqual(['(body) DICT_TYPE_CONVERT']);
    expect(check({})).toEqual(['type BASE_TYPE_REQUIRED']);
    expect(check({ type: '4' })).toEqual(['type NUMBER_TYPE_COERCE']);
  });

  it.each([0, 2, 3, 10, 11, 13])('has not the type %i', type => {
    expect(check({ type })).toEqual(['type BASE_TYPE_CHOICES']);
  });

  it.each(Object.entries(callbackTypes).filter(([name]) => name !== 'MODAL'))('needs no data as %s', (_, type) => {
    expect(check({ type })).toEqual([]);
    expect(check({ type, data: null })).toEqual([]);
  });

  it.each([1, 6, 12])('takes no notice of data as type %i', type => {
    expect(data(type, 'anything')).toEqual([]);
  });

  it.each([4, 5, 7, 8, 9])('has an object as data as type %i', type => {
    expect(data(type, [])).toEqual(['data MODEL_TYPE_CONVERT']);
  });
});

it('the suggestions of a callback have localized names of 1 to 100 characters', () => {
  const suggest = (text: unknown) =>
    data(8, { choices: [{ name: 'a', value: 'a', name_localizations: { de: text } }] });
  expect(suggest('x'.repeat(100))).toEqual([]);
  for (const wrong of ['', 'x'.repeat(101), 'x'.repeat(3_000_000)]) {
    expect(suggest(wrong)).toEqual(['data.choices.0.name_localizations.de BASE_TYPE_BAD_LENGTH']);
  }
});

describe.each([4, 7])('a message (type %i)', type => {
  const message = (fields: object): string[] => data(type, fields);

  it.each([
    [0, []],
    [1999, []],
    [2000, []],
    [2001, ['data.content BASE_TYPE_MAX_LENGTH']],
  ])('of %i code points: %j', (length, issues) => {
    expect(message({ content: '🎲'.repeat(length) })).toEqual(issues);
  });

  it.each([
    ['embeds', 10, () => ({})],
    ['attachments', 10, () => ({})],
    ['components', 40, (i: number) => row(button(`b${i}`))],
  ])('%s: at most %i objects', (field, max, item: (i: number) => object) => {
    expect(message({ [field]: times(max, item) })).toEqual([]);
    expect(message({ [field]: times(max + 1, item) })).toEqual([`data.${field} BASE_TYPE_MAX_LENGTH`]);
    expect(message({ [field]: [null] })).toEqual([`data.${field}.0 LIST_ITEM_VALUE_REQUIRED`]);
    expect(message({ [field]: {} })).toEqual([`data.${field} LIST_TYPE_CONVERT`]);
  });

  it('has fields of the right kind', () => {
    const fields = { content: 5, tts: 'no', flags: '64', allowed_mentions: [], poll: 'x' };
    expect(message(fields)).toEqual([
      'data.content STRING_TYPE_CONVERT',
      'data.tts BOOLEAN_TYPE_CONVERT',
      'data.flags NUMBER_TYPE_COERCE',
      'data.allowed_mentions MODEL_TYPE_CONVERT',
      'data.poll MODEL_TYPE_CONVERT',
    ]);
    expect(message({ content: null, tts: null, flags: null, embeds: null, allowed_mentions: null })).toEqual([]);
    expect(message({ flags: 64, tts: false, enforce_nonce: false })).toEqual([]);
    expect(message({ flags: -1 })).toEqual(['data.flags NUMBER_TYPE_MIN']);
  });
});

describe('a deferred message', () => {
  it('has flags only', () => {
    expect(data(5, { flags: 64, content: 7 })).toEqual([]);
    expect(data(5, { flags: 1.5 })).toEqual(['data.flags NUMBER_TYPE_COERCE']);
  });
});

describe('an autocomplete result', () => {
  it.each([
    [0, []],
    [25, []],
    [26, ['data.choices BASE_TYPE_MAX_LENGTH']],
  ])('of %i choices: %j', (count, issues) => {
    expect(data(8, { choices: times(count, i => ({ name: `c${i}`, value: i })) })).toEqual(issues);
  });

  it('has choices with a name and a value', () => {
    expect(
      data(8, { choices: [{ name: 'x', value: 1.5 }, { name: '', value: 'x'.repeat(101) }, { name: 'x' }] }),
    ).toEqual([
      'data.choices.1.name BASE_TYPE_REQUIRED',
      'data.choices.1.value BASE_TYPE_BAD_LENGTH',
      'data.choices.2.value BASE_TYPE_REQUIRED',
    ]);
    expect(data(8, { choices: [{ name: 'x', value: 1e300 }] })).toEqual(['data.choices.0.value NUMBER_TYPE_MAX']);
  });
});

describe('a modal', () => {
  const modal = { custom_id: 'x'.repeat(100), title: 'x'.repeat(45), components: [labelled(textInput('a'))] };
  const inputs = (count: number) => times(count, i => labelled(textInput(`i${i}`)));

  it('has an id, a title and one to five components', () => {
    expect(data(9, modal)).toEqual([]);
    expect(data(9, { ...modal, components: inputs(5) })).toEqual([]);
    expect(data(9, { ...modal, components: inputs(6) })).toEqual(['data.components BASE_TYPE_BAD_LENGTH']);
    expect(data(9, { ...modal, components: [] })).toEqual(['data.components BASE_TYPE_BAD_LENGTH']);
    expect(data(9, { ...modal, custom_id: 'x'.repeat(101) })).toEqual(['data.custom_id BASE_TYPE_BAD_LENGTH']);
    expect(data(9, { ...modal, title: 'x'.repeat(46) })).toEqual(['data.title BASE_TYPE_BAD_LENGTH']);
    expect(data(9, {})).toEqual([
      'data.custom_id BASE_TYPE_REQUIRED',
      'data.title BASE_TYPE_REQUIRED',
      'data.components BASE_TYPE_REQUIRED',
    ]);
    expect(check({ type: 9 })).toEqual(['data BASE_TYPE_REQUIRED']);
  });

  it('is checked by itself as well, from its own root', () => {
    expect(checkModal(modal)).toEqual([]);
    expect(faults(checkModal({ ...modal, title: '', components: [{}] }))).toEqual([
      'title BASE_TYPE_REQUIRED',
      'components.0.type BASE_TYPE_REQUIRED',
    ]);
    expect(faults(checkModal('x'))).toEqual(['(body) DICT_TYPE_CONVERT']);
  });
});

describe('a message of components alone (flag 32768)', () => {
  const flags = messageFlags.IS_COMPONENTS_V2;
  const text = { type: componentTypes.TEXT_DISPLAY, content: 'x' };

  it('takes components of all types, and neither text nor embeds nor poll', () => {
    expect(data(4, { flags, components: [text], content: '', embeds: [], poll: null })).toEqual([]);
    expect(data(4, { components: [text] })).toEqual(['data.components.0 UNION_TYPE_CHOICES']);
    const code = 'MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2';
    expect(data(4, { flags, components: [text], content: 'x', embeds: [{}], poll: {} })).toEqual(
      ['content', 'embeds', 'poll'].map(field => `data.${field} ${code}`),
    );
  });

  it('stays one when it is edited, whether the edit says so or not', () => {
    const edit = (fields: object, before: number | null) => faults(checkMessageData(fields, before));
    expect(edit({ components: [text] }, flags)).toEqual([]);
    expect(edit({ content: 'x' }, flags)).toHaveLength(1);
    expect(edit({ components: [text] }, 0)).toHaveLength(1);
    expect(faults(checkCallback({ type: 7, data: { components: [text] } }, flags))).toEqual([]);
    expect(faults(checkCallback({ type: 4, data: { components: [text] } }, flags))).toHaveLength(1);
  });

  it('may use either layout where the message’s own layout is unknown', () => {
    for (const fields of [{ components: [text] }, { content: 'x', components: times(40, i => row(button(`b${i}`))) }]) {
      expect(checkMessageData(fields, null)).toEqual([]);
    }
  });
});

describe('an empty message', () => {
  it.each([undefined, null, [], {}, { content: '' }, { content: ' \n ' }, { embeds: [] }, { content: 5 }])(
    'is %j',
    value => {
      expect(isEmptyMessage(value)).toBe(true);
    },
  );

  it.each([{ content: 'x' }, { embeds: [{}] }, { components: [{}] }, { attachments: [{}] }, { poll: {} }])(
    'is not %j',
    value => {
      expect(isEmptyMessage(value)).toBe(false);
    },
  );
});

describe('what is suggested', () => {
  it.each([
    [optionTypes.STRING, ['', 'x'], []],
    [optionTypes.STRING, ['x', 1], ['data.choices.1.value STRING_TYPE_CONVERT']],
    [optionTypes.INTEGER, [1, -1], []],
    [
      optionTypes.INTEGER,
      ['1', 1.5],
      ['data.choices.0.value NUMBER_TYPE_COERCE', 'data.choices.1.value NUMBER_TYPE_COERCE'],
    ],
    [optionTypes.INTEGER, [2 ** 53], ['data.choices.0.value NUMBER_TYPE_MAX']],
    [optionTypes.NUMBER, [1.5, 2 ** 53], []],
    [optionTypes.NUMBER, [null], ['data.choices.0.value NUMBER_TYPE_COERCE']],
  ])('can be a value of an option of type %i: %j', (type, values, expected) => {
    expect(
      faults(
        checkSuggestedValues(
          values.map(value => ({ value })),
          type,
        ),
      ),
    ).toEqual(expected);
  });
});

describe('a message by itself', () => {
  it('is checked like that of a callback, from its own root', () => {
    expect(checkMessageData({ content: 'x', embeds: [], flags: 0 })).toEqual([]);
    expect(faults(checkMessageData({ content: 'x'.repeat(2001), tts: 1 }))).toEqual([
      'content BASE_TYPE_MAX_LENGTH',
      'tts BOOLEAN_TYPE_CONVERT',
    ]);
    expect(faults(checkMessageData([]))).toEqual(['(body) DICT_TYPE_CONVERT']);
  });
});
