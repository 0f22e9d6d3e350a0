import { describe, expect, it } from 'vitest';
import { componentLimits } from '../../../../src/model/limits/component-limits.ts';
import { messageFlags } from '../../../../src/model/message.ts';
import { checkMessageData, checkModal } from '../../../../src/model/rules/interactions/callback.ts';
import { button, labelled, row, stringSelect, text, textInput } from '../../../support/commands/components.ts';
import { faults } from '../../../support/commands/issues.ts';

const media = { url: 'https://a.example/a.png' };
const section = (accessory: object) => ({ type: 9, components: [text()], accessory });
const shown = (component: object) =>
  faults(checkMessageData({ flags: messageFlags.IS_COMPONENTS_V2, components: [component] }));
const asked = (component: object) => faults(checkModal({ custom_id: 'm', title: 'x', components: [component] }));

/** Each of the fields with a value of a wrong type, at `path` of the component that `place` makes. */
const wrong = {
  text: [7, 'STRING_TYPE_CONVERT'],
  boolean: [7, 'BOOLEAN_TYPE_CONVERT'],
  object: ['x', 'MODEL_TYPE_CONVERT'],
  list: ['x', 'LIST_TYPE_CONVERT'],
} as const;
const sort = (kind: keyof typeof wrong) => wrong[kind];

describe('an optional field of a message component', () => {
  it.each<[string, keyof typeof wrong, string, (fields: object) => object]>([
    ['label', 'text', 'components.0', fields => row(button('a', fields))],
    ['emoji', 'object', 'components.0', fields => row(button('a', fields))],
    ['disabled', 'boolean', 'components.0', fields => row(button('a', fields))],
    ['placeholder', 'text', 'components.0', fields => row({ ...stringSelect('a', ['1']), ...fields })],
    ['disabled', 'boolean', 'components.0', fields => row({ ...stringSelect('a', ['1']), ...fields })],
    ['default_values', 'list', 'components.0', fields => row({ type: 5, custom_id: 'a', ...fields } as never)],
    ['channel_types', 'list', 'components.0', fields => row({ type: 8, custom_id: 'a', ...fields } as never)],
    ['media', 'object', 'accessory', fields => section({ type: 11, media, ...fields })],
    ['description', 'text', 'accessory', fields => section({ type: 11, media, ...fields })],
    ['spoiler', 'boolean', 'accessory', fields => section({ type: 11, media, ...fields })],
    ['media', 'object', 'items.0', fields => ({ type: 12, items: [{ media, ...fields }] })],
    ['description', 'text', 'items.0', fields => ({ type: 12, items: [{ media, ...fields }] })],
    ['spoiler', 'boolean', 'items.0', fields => ({ type: 12, items: [{ media, ...fields }] })],
    ['file', 'object', '', fields => ({ type: 13, file: media, ...fields })],
    ['spoiler', 'boolean', '', fields => ({ type: 13, file: media, ...fields })],
    ['divider', 'boolean', '', fields => ({ type: 14, ...fields })],
    ['spoiler', 'boolean', '', fields => ({ type: 17, components: [text()], ...fields })],
  ])('"%s" must be a %s where it is given, at %j', (field, kind, place, make) => {
    const [value, code] = sort(kind);
    const path = ['components', '0', place, field].filter(Boolean).join('.');
    expect(shown(make({}))).toEqual([]);
    expect(shown(make({ [field]: value }))).toEqual([`${path} ${code}`]);
  });

  it('is rejected where the kind of button or select has none', () => {
    const premium = (fields: object) => shown(row({ type: 2, style: 6, sku_id: '5', ...fields } as never));
    for (const [field, value] of [
      ['custom_id', 'a'],
      ['label', 'x'],
      ['url', 'https://a.example'],
      ['emoji', {}],
    ] as const) {
      expect(premium({ [field]: value })).toEqual([`components.0.components.0.${field} COMPONENT_FIELD_INVALID`]);
    }
    expect(shown(row({ type: 2, style: 6, sku_id: 'x' } as never))).toEqual([
      'components.0.components.0.sku_id NUMBER_TYPE_COERCE',
    ]);
    expect(shown(row({ type: 5, custom_id: 'a', channel_types: [0] } as never))).toEqual([
      'components.0.components.0.channel_types COMPONENT_FIELD_INVALID',
    ]);
  });

  it('that lists types of channels has each looked at, as far as there may be some', () => {
    const { selectOptionsMax: max } = componentLimits;
    const channels = (channel_types: unknown[]) => shown(row({ type: 8, custom_id: 'a', channel_types } as never));
    const at = 'components.0.components.0.channel_types';
    expect(channels([0, 'x', -1])).toEqual([`${at}.1 NUMBER_TYPE_COERCE`, `${at}.2 NUMBER_TYPE_MIN`]);
    expect(channels([...Array(max - 1).fill(0), 'x'])).toEqual([`${at}.${max - 1} NUMBER_TYPE_COERCE`]);
    expect(channels([...Array(max).fill(0), 'x'])).toEqual([`${at} BASE_TYPE_MAX_LENGTH`]);
  });
});

describe('an optional field of a modal component', () => {
  it.each<[string, keyof typeof wrong]>([
    ['label', 'text'],
    ['required', 'boolean'],
    ['value', 'text'],
    ['placeholder', 'text'],
  ])('"%s" must be a %s where it is given', (field, kind) => {
    const [value, code] = sort(kind);
    expect(asked(labelled(textInput('a', { [field]: value })))).toEqual([`components.0.component.${field} ${code}`]);
  });
});
