import {
  ActionRowBuilder,
  ButtonBuilder,
  ButtonStyle,
  ChannelSelectMenuBuilder,
  ChannelType,
  CheckboxBuilder,
  CheckboxGroupBuilder,
  ContainerBuilder,
  FileBuilder,
  FileUploadBuilder,
  LabelBuilder,
  MediaGalleryBuilder,
  MentionableSelectMenuBuilder,
  ModalBuilder,
  RadioGroupBuilder,
  RoleSelectMenuBuilder,
  SectionBuilder,
  SeparatorBuilder,
  SeparatorSpacingSize,
  StringSelectMenuBuilder,
  TextDisplayBuilder,
  TextInputBuilder,
  TextInputStyle,
  ThumbnailBuilder,
  UserSelectMenuBuilder,
} from 'discord.js';
import { describe, expect, it } from 'vitest';
import { type Component, componentTypes } from '../../../../src/model/component.ts';
import { componentLimits } from '../../../../src/model/limits/component-limits.ts';
import { messageFlags } from '../../../../src/model/message.ts';
import { checkMessageData, checkModal } from '../../../../src/model/rules/interactions/callback.ts';
import { times } from '../../../support/commands/command-samples.ts';
import {
  button,
  choices,
  labelled,
  pick,
  row,
  stringSelect,
  text,
  textInput,
} from '../../../support/commands/components.ts';
import { faults } from '../../../support/commands/issues.ts';

const v2 = messageFlags.IS_COMPONENTS_V2;
const message = (...components: readonly unknown[]): string[] => faults(checkMessageData({ content: 'x', components }));
const layout = (...components: readonly unknown[]): string[] => faults(checkMessageData({ flags: v2, components }));
const modal = (...components: readonly unknown[]): string[] =>
  faults(checkModal({ custom_id: 'm', title: 'x', components }));
const inRow = (component: object): string[] => message({ type: 1, components: [component] });
const inLabel = (component: object): string[] => modal(labelled(component as Component));
const x = (length: number): string => 'x'.repeat(length);

/** Paths below the one component of a row or label. */
const below = (found: readonly string[]): string[] =>
  found.map(fault => fault.replace(/^components\.0\.(?:components\.0|component)\.?/, ''));

describe('where components stand', () => {
  const { ACTION_ROW, SECTION, SEPARATOR, CONTAINER, LABEL } = componentTypes;

  it('a message beside its text has action rows only, one of components alone all layouts', () => {
    for (const one of [text(), { type: SEPARATOR }, button('a')]) {
      expect(message(one)).toEqual(['components.0 UNION_TYPE_CHOICES']);
    }
    expect(layout(text(), { type: SEPARATOR }, row(button('a')))).toEqual([]);
    expect(layout(button('a'))).toEqual(['components.0 UNION_TYPE_CHOICES']);
    expect(layout(labelled(textInput('a')))).toEqual(['components.0 UNION_TYPE_CHOICES']);
  });

  it('a type must be there and known', () => {
    expect(message({})).toEqual(['components.0.type BASE_TYPE_REQUIRED']);
    expect(message({ type: '1' })).toEqual(['components.0.type NUMBER_TYPE_COERCE']);
    for (const type of [0, 15, 16, 20, 24]) expect(layout({ type })).toEqual(['components.0 UNION_TYPE_CHOICES']);
    expect(message(null, 'x')).toEqual(['components.0 LIST_ITEM_VALUE_REQUIRED', 'components.1 MODEL_TYPE_CONVERT']);
  });

  it('a row of a message has one to five buttons, or one select', () => {
    const buttons = (count: number) => times(count, i => button(`b${i}`));
    expect(message(row(...buttons(1)), row(...times(5, i => button(`c${i}`))))).toEqual([]);
    expect(message(row())).toEqual(['components.0.components BASE_TYPE_BAD_LENGTH']);
    expect(message(row(...buttons(6)))).toEqual(['components.0.components BASE_TYPE_BAD_LENGTH']);
    expect(message({ type: ACTION_ROW })).toEqual(['components.0.components BASE_TYPE_REQUIRED']);
    expect(message({ type: ACTION_ROW, components: {} })).toEqual(['components.0.components LIST_TYPE_CONVERT']);
    expect(message(row(button('a'), pick('USER_SELECT', 'b')))).toEqual([
      'components.0.components.1 COMPONENT_LAYOUT_WIDTH_EXCEEDED',
    ]);
    expect(message(row(pick('USER_SELECT', 'b'), button('a')))).toEqual([
      'components.0.components.1 COMPONENT_LAYOUT_WIDTH_EXCEEDED',
    ]);
    expect(message(row(textInput('a', { label: 'x' })))).toEqual(['components.0.components.0 UNION_TYPE_CHOICES']);
  });

  it('a section has one to three texts and a button or a thumbnail', () => {
    const section = (components: readonly object[], accessory: unknown = button('a')) =>
      layout({ type: SECTION, components, accessory });
    expect(section([text()])).toEqual([]);
    expect(section(times(3, () => text()))).toEqual([]);
    expect(section(times(4, () => text()))).toEqual(['components.0.components BASE_TYPE_BAD_LENGTH']);
    expect(section([])).toEqual(['components.0.components BASE_TYPE_BAD_LENGTH']);
    expect(section([text()], null)).toEqual(['components.0.accessory BASE_TYPE_REQUIRED']);
    expect(section([text()], 'x')).toEqual(['components.0.accessory MODEL_TYPE_CONVERT']);
    expect(section([text()], text())).toEqual(['components.0.accessory UNION_TYPE_CHOICES']);
    expect(section([button('b')])).toEqual(['components.0.components.0 UNION_TYPE_CHOICES']);
  });

  it('a container holds layouts, but no container', () => {
    const container = (components: unknown, more: object = {}) => layout({ type: CONTAINER, components, ...more });
    expect(container([text(), row(button('a'))], { accent_color: 0xffffff, spoiler: true })).toEqual([]);
    expect(container([{ type: CONTAINER, components: [text()] }])).toEqual([
      'components.0.components.0 UNION_TYPE_CHOICES',
    ]);
    expect(container([text()], { accent_color: 0x1000000 })).toEqual(['components.0.accent_color NUMBER_TYPE_MAX']);
    expect(container([])).toEqual(['components.0.components BASE_TYPE_BAD_LENGTH']);
  });

  it('a modal has labels, texts and rows of one text input each', () => {
    expect(modal(labelled(textInput('a')), text(), row(textInput('b', { label: 'x' })))).toEqual([]);
    expect(modal(button('a'))).toEqual(['components.0 UNION_TYPE_CHOICES']);
    expect(modal(textInput('a'))).toEqual(['components.0 UNION_TYPE_CHOICES']);
    expect(modal(row(button('a')))).toEqual(['components.0.components.0 UNION_TYPE_CHOICES']);
    expect(modal(row(...['a', 'b'].map(id => textInput(id, { label: 'x' }))))).toEqual([
      'components.0.components.1 COMPONENT_LAYOUT_WIDTH_EXCEEDED',
    ]);
    expect(modal({ type: LABEL, label: 'x' })).toEqual(['components.0.component BASE_TYPE_REQUIRED']);
    expect(modal(labelled(button('a')))).toEqual(['components.0.component UNION_TYPE_CHOICES']);
    expect(modal(labelled(textInput('a'), { label: x(45), description: x(100) }))).toEqual([]);
    expect(modal(labelled(textInput('a'), { label: x(46), description: x(101) }))).toEqual([
      'components.0.label BASE_TYPE_BAD_LENGTH',
      'components.0.description BASE_TYPE_MAX_LENGTH',
    ]);
    expect(modal(labelled(textInput('a'), { label: '' }))).toEqual(['components.0.label BASE_TYPE_REQUIRED']);
  });

  it('a message of components alone has at most forty, on all levels together', () => {
    const rows = (count: number) => times(count, i => row(button(`b${i}`)));
    expect(layout(...rows(20))).toEqual([]);
    expect(layout(...rows(20), text())).toEqual(['components COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED']);
    expect(message(...rows(40))).toEqual([]);
  });
});

describe('ids of components', () => {
  it('are unique: each custom id and each number occurs once', () => {
    expect(message(row(button('a')), row(button('a')))).toEqual([
      'components.1.components.0.custom_id COMPONENT_CUSTOM_ID_DUPLICATED',
    ]);
    expect(modal(labelled(textInput('a')), labelled(textInput('a')))).toEqual([
      'components.1.component.custom_id COMPONENT_CUSTOM_ID_DUPLICATED',
    ]);
    const numbered = (...ids: readonly unknown[]) => layout(...ids.map(id => ({ ...text(), id })));
    expect(numbered(0, 0, null, 1, 2 ** 31 - 1)).toEqual([]);
    expect(numbered(1, 1)).toEqual(['components.1.id COMPONENT_ID_DUPLICATED']);
    expect(numbered(-1, 2 ** 31, '1')).toEqual([
      'components.0.id NUMBER_TYPE_MIN',
      'components.1.id NUMBER_TYPE_MAX',
      'components.2.id NUMBER_TYPE_COERCE',
    ]);
  });

  it.each([
    ['a button', (custom_id: unknown) => inRow({ ...button('a'), custom_id }), 'BUTTON_COMPONENT_CUSTOM_ID_REQUIRED'],
    ['a select', (custom_id: unknown) => inRow({ ...pick('ROLE_SELECT', 'a'), custom_id }), 'BASE_TYPE_REQUIRED'],
    ['a text input', (custom_id: unknown) => inLabel({ ...textInput('a'), custom_id }), 'BASE_TYPE_REQUIRED'],
    ['a checkbox', (custom_id: unknown) => inLabel({ type: 23, custom_id }), 'BASE_TYPE_REQUIRED'],
  ])('%s has one of 1 to 100 characters', (_, check, missing) => {
    expect(check('x')).toEqual([]);
    expect(check(x(100))).toEqual([]);
    expect(below(check(x(101)))).toEqual(['custom_id BASE_TYPE_BAD_LENGTH']);
    for (const none of ['', null, undefined]) expect(below(check(none))).toEqual([`custom_id ${missing}`]);
    expect(below(check(5))).toEqual(['custom_id STRING_TYPE_CONVERT']);
  });
});

describe('a button', () => {
  const check = (fields: object) => below(inRow({ type: 2, ...fields }));
  const exclusive = 'BUTTON_COMPONENT_CUSTOM_ID_URL_MUTUALLY_EXCLUSIVE';

  it('has a style of 1 to 6', () => {
    for (const style of [1, 2, 3, 4]) expect(check({ style, custom_id: 'a' })).toEqual([]);
    for (const style of [0, 7]) expect(check({ style, custom_id: 'a' })).toEqual(['style BASE_TYPE_CHOICES']);
    expect(check({ custom_id: 'a' })).toEqual(['style BASE_TYPE_REQUIRED']);
  });

  it('has a label of at most 80 characters', () => {
    expect(check({ style: 1, custom_id: 'a', label: x(80) })).toEqual([]);
    expect(check({ style: 1, custom_id: 'a', label: x(81) })).toEqual(['label BASE_TYPE_MAX_LENGTH']);
    expect(check({ style: 1, custom_id: 'a', emoji: '🎲', disabled: 1 })).toEqual([
      'emoji MODEL_TYPE_CONVERT',
      'disabled BOOLEAN_TYPE_CONVERT',
    ]);
  });

  it.each([
    [{ id: '5', name: x(32), animated: true }, []],
    [{ id: null, name: '🎲' }, []],
    [{}, []],
    [{ name: '🎲'.repeat(33) }, ['emoji.name BASE_TYPE_MAX_LENGTH']],
    [{ name: x(3_000_000) }, ['emoji.name BASE_TYPE_MAX_LENGTH']],
    [{ name: 5 }, ['emoji.name STRING_TYPE_CONVERT']],
    [{ id: x(5) }, ['emoji.id NUMBER_TYPE_COERCE']],
    [{ animated: 'yes' }, ['emoji.animated BOOLEAN_TYPE_CONVERT']],
  ])('and the options of a select have an emoji (case %#)', (emoji, expected) => {
    expect(check({ style: 1, custom_id: 'a', emoji })).toEqual(expected);
    const options = [{ ...choices('a')[0], emoji }];
    expect(below(inRow({ ...stringSelect('a', []), options }))).toEqual(expected.map(fault => `options.0.${fault}`));
  });

  it('that is a link has an address of at most 512 characters and no custom id; others have none', () => {
    const address = (length: number) => `https://a.example/${x(length - 18)}`;
    expect(check({ style: 5, url: address(512) })).toEqual([]);
    expect(check({ style: 5, url: address(513) })).toEqual(['url BASE_TYPE_BAD_LENGTH']);
    expect(check({ style: 5, url: 'discord://app' })).toEqual([]);
    expect(check({ style: 5, url: 'javascript:0' })).toEqual(['url URL_TYPE_INVALID_SCHEME']);
    expect(check({ style: 5, url: 'here' })).toEqual(['url URL_TYPE_INVALID_URL']);
    expect(check({ style: 5, custom_id: 'a' })).toEqual(['url BASE_TYPE_REQUIRED', `custom_id ${exclusive}`]);
    expect(check({ style: 1, custom_id: 'a', url: address(30) })).toEqual([`url ${exclusive}`]);
    expect(check({ style: 5, url: address(30), sku_id: '5' })).toEqual(['sku_id COMPONENT_FIELD_INVALID']);
  });

  it('that leads to a purchase names it, and nothing else', () => {
    expect(check({ style: 6, sku_id: '5' })).toEqual([]);
    expect(check({ style: 6, custom_id: 'a', label: 'x' })).toEqual([
      'sku_id BASE_TYPE_REQUIRED',
      'custom_id COMPONENT_FIELD_INVALID',
      'label COMPONENT_FIELD_INVALID',
    ]);
    expect(check({ style: 2, custom_id: 'a', sku_id: '5' })).toEqual(['sku_id COMPONENT_FIELD_INVALID']);
  });
});

describe('a select', () => {
  const check = (fields: object) => below(inRow({ ...stringSelect('a', ['1', '2', '3']), ...fields }));

  it('has one to 25 options with labels and values of 1 to 100 characters', () => {
    const options = (count: number) => times(count, i => ({ value: `${i}`, label: `${i}` }));
    expect(check({ options: options(1) })).toEqual([]);
    expect(check({ options: options(25) })).toEqual([]);
    for (const wrong of [options(0), options(26)]) {
      expect(check({ options: wrong })).toEqual(['options BASE_TYPE_BAD_LENGTH']);
    }
    expect(check({ options: undefined })).toEqual(['options BASE_TYPE_REQUIRED']);
    expect(check({ options: [{ value: x(100), label: x(100), description: x(100) }] })).toEqual([]);
    expect(check({ options: [{ value: x(101), label: x(101), description: x(101) }] })).toEqual([
      'options.0.label BASE_TYPE_BAD_LENGTH',
      'options.0.value BASE_TYPE_BAD_LENGTH',
      'options.0.description BASE_TYPE_MAX_LENGTH',
    ]);
    expect(check({ options: [{}] })).toEqual([
      'options.0.label BASE_TYPE_REQUIRED',
      'options.0.value BASE_TYPE_REQUIRED',
    ]);
    expect(check({ options: choices('a', 'b', 'a') })).toEqual([
      'options.2.value SELECT_COMPONENT_OPTION_VALUE_DUPLICATED',
    ]);
  });

  it.each([
    [3, 3, []],
    [1, 4, ['options BASE_TYPE_BAD_LENGTH']],
    [4, 4, ['options BASE_TYPE_BAD_LENGTH']],
    [4, undefined, ['min_values COMPONENT_RANGE_INVALID']],
  ])('with three options that takes %j to %j values has the faults %j', (min_values, max_values, expected) => {
    expect(check({ min_values, max_values })).toEqual(expected);
  });

  it('has a placeholder of at most 150 characters', () => {
    expect(check({ placeholder: x(150) })).toEqual([]);
    expect(check({ placeholder: x(151) })).toEqual(['placeholder BASE_TYPE_MAX_LENGTH']);
  });

  it.each([
    [0, 1, []],
    [1, 25, []],
    [25, 25, []],
    [-1, 1, ['min_values NUMBER_TYPE_MIN']],
    [26, 25, ['min_values NUMBER_TYPE_MAX']],
    [0, 0, ['max_values NUMBER_TYPE_MIN']],
    [0, 26, ['max_values NUMBER_TYPE_MAX']],
    [2, 1, ['max_values COMPONENT_RANGE_INVALID']],
    [2, undefined, ['min_values COMPONENT_RANGE_INVALID']],
    [null, null, []],
  ])('takes %j to %j values', (min_values, max_values, expected) => {
    const options = choices(...times(25, String));
    expect(check({ min_values, max_values, options })).toEqual(expected);
    expect(below(inRow(pick('USER_SELECT', 'a', { min_values, max_values })))).toEqual(expected);
  });

  it('has no more defaults than it takes values', () => {
    const options = choices('a', 'b').map(choice => ({ ...choice, default: true }));
    expect(check({ options, max_values: 2 })).toEqual([]);
    expect(check({ options })).toEqual(['options SELECT_COMPONENT_TOO_MANY_DEFAULT_VALUES']);
    const default_values = [
      { id: '1', type: 'user' },
      { id: '2', type: 'role' },
    ];
    const mentionables = (fields: object) => below(inRow(pick('MENTIONABLE_SELECT', 'a', fields)));
    expect(mentionables({ default_values, max_values: 2 })).toEqual([]);
    expect(mentionables({ default_values })).toEqual(['default_values SELECT_COMPONENT_TOO_MANY_DEFAULT_VALUES']);
    expect(mentionables({ default_values: [{}] })).toEqual([
      'default_values.0.id BASE_TYPE_REQUIRED',
      'default_values.0.type BASE_TYPE_REQUIRED',
    ]);
    expect(mentionables({ default_values: [{ id: 'x', type: 'guild' }] })).toEqual([
      'default_values.0.id NUMBER_TYPE_COERCE',
      'default_values.0.type BASE_TYPE_CHOICES',
    ]);
  });

  it('of channels may be for some types of them, and no other select', () => {
    expect(below(inRow(pick('CHANNEL_SELECT', 'a', { channel_types: [0, 2] })))).toEqual([]);
    expect(below(inRow(pick('CHANNEL_SELECT', 'a', { channel_types: ['0'] })))).toEqual([
      'channel_types.0 NUMBER_TYPE_COERCE',
    ]);
    expect(below(inRow(pick('USER_SELECT', 'a', { channel_types: [0] })))).toEqual([
      'channel_types COMPONENT_FIELD_INVALID',
    ]);
  });

  it('in a modal is not disabled, and takes none only where it may be left out', () => {
    const select = (fields: object) => below(inLabel(stringSelect('a', ['1'], fields)));
    expect(select({ required: true, disabled: false })).toEqual([]);
    expect(select({ disabled: true })).toEqual(['disabled COMPONENT_FIELD_INVALID']);
    expect(check({ disabled: true })).toEqual([]);
    expect(select({ min_values: 0 })).toEqual(['min_values NUMBER_TYPE_MIN']);
    expect(select({ min_values: 0, required: false })).toEqual([]);
    expect(select({ required: 'no' })).toEqual(['required BOOLEAN_TYPE_CONVERT']);
  });
});

describe('a text input', () => {
  const check = (fields: object) => below(inLabel({ ...textInput('a'), ...fields }));

  it.each([
    [0, 1, []],
    [4000, 4000, []],
    [-1, 1, ['min_length NUMBER_TYPE_MIN']],
    [4001, 4000, ['min_length NUMBER_TYPE_MAX']],
    [0, 0, ['max_length NUMBER_TYPE_MIN']],
    [0, 4001, ['max_length NUMBER_TYPE_MAX']],
    [5, 4, ['max_length COMPONENT_RANGE_INVALID']],
  ])('takes %i to %i characters', (min_length, max_length, expected) => {
    expect(check({ min_length, max_length })).toEqual(expected);
  });

  it('has a style, 1 or 2, and bounded texts', () => {
    expect(check({ style: 2, value: x(4000), placeholder: x(100), required: false })).toEqual([]);
    expect(check({ style: 3 })).toEqual(['style BASE_TYPE_CHOICES']);
    expect(check({ style: null })).toEqual(['style BASE_TYPE_REQUIRED']);
    expect(check({ value: x(4001), placeholder: x(101), required: 1 })).toEqual([
      'required BOOLEAN_TYPE_CONVERT',
      'value BASE_TYPE_MAX_LENGTH',
      'placeholder BASE_TYPE_MAX_LENGTH',
    ]);
  });

  it('has a label of 1 to 45 characters in a row, where no other heading is', () => {
    const labels = (label: unknown) => below(modal(row(textInput('a', { label }))));
    expect(labels(x(45))).toEqual([]);
    expect(labels(x(46))).toEqual(['label BASE_TYPE_BAD_LENGTH']);
    expect(labels(undefined)).toEqual(['label BASE_TYPE_REQUIRED']);
  });
});

describe('groups and boxes of a modal', () => {
  const radio = (count: number, fields: object = {}) =>
    below(inLabel({ type: 21, custom_id: 'a', options: choices(...times(count, String)), ...fields }));
  const boxes = (count: number, fields: object = {}) =>
    below(inLabel({ type: 22, custom_id: 'a', options: choices(...times(count, String)), ...fields }));

  it('have 2 to 10 radio options, 1 to 10 checkboxes', () => {
    expect([...radio(2), ...radio(10), ...boxes(1), ...boxes(10)]).toEqual([]);
    for (const found of [radio(1), radio(11), boxes(0), boxes(11)])
      expect(found).toEqual(['options BASE_TYPE_BAD_LENGTH']);
  });

  it('say by a boolean whether they are required', () => {
    expect([...radio(2, { required: false }), ...boxes(2, { min_values: 0, required: false })]).toEqual([]);
    for (const found of [radio(2, { required: 1 }), boxes(2, { required: 1 })]) {
      expect(found).toEqual(['required BOOLEAN_TYPE_CONVERT']);
    }
  });

  it('take as many checks as there are boxes, unless they say less', () => {
    expect(boxes(3, { min_values: 3 })).toEqual([]);
    expect(boxes(3, { min_values: 4 })).toEqual(['min_values COMPONENT_RANGE_INVALID']);
    expect(boxes(3, { max_values: 3 })).toEqual([]);
    expect(boxes(3, { max_values: 4 })).toEqual(['options BASE_TYPE_BAD_LENGTH']);
    expect(boxes(3, { max_values: 11 })).toEqual(['max_values NUMBER_TYPE_MAX']);
    expect(below(inLabel({ type: 23, custom_id: 'a', default: 'yes' }))).toEqual(['default BOOLEAN_TYPE_CONVERT']);
  });

  it('take up to ten files', () => {
    const upload = (fields: object) => below(inLabel({ type: 19, custom_id: 'a', ...fields }));
    expect(upload({ min_values: 1, max_values: 10 })).toEqual([]);
    expect(upload({ max_values: 11 })).toEqual(['max_values NUMBER_TYPE_MAX']);
  });
});

describe('what components show', () => {
  const only = (component: object) => layout(component).map(fault => fault.replace('components.0.', ''));

  it('is bounded', () => {
    expect(only(text(x(4000)))).toEqual([]);
    expect(only(text(x(4001)))).toEqual(['content BASE_TYPE_BAD_LENGTH']);
    expect(only(text(''))).toEqual(['content BASE_TYPE_REQUIRED']);
    const items = (count: number) => ({
      type: 12,
      items: times(count, () => ({ media: { url: 'https://a.example' } })),
    });
    expect(only(items(10))).toEqual([]);
    for (const count of [0, 11]) expect(only(items(count))).toEqual(['items BASE_TYPE_BAD_LENGTH']);
    expect(only({ type: 12, items: [{ media: {}, description: x(1025) }] })).toEqual([
      'items.0.media.url BASE_TYPE_REQUIRED',
      'items.0.description BASE_TYPE_MAX_LENGTH',
    ]);
    for (const url of ['javascript:0', 'data:,x', 'file:///etc', 'attachment:map.png']) {
      expect(only({ type: 13, file: { url } })).toEqual(['file.url URL_TYPE_INVALID_SCHEME']);
    }
    expect(only({ type: 13, file: { url: 'here' } })).toEqual(['file.url URL_TYPE_INVALID_URL']);
    expect(only({ type: 13, file: { url: `attachment://${x(2036)}` } })).toEqual(['file.url BASE_TYPE_BAD_LENGTH']);
    expect(only({ type: 13 })).toEqual(['file BASE_TYPE_REQUIRED']);
    expect(only({ type: 13, file: 'x' })).toEqual(['file MODEL_TYPE_CONVERT']);
    expect(only({ type: 14, spacing: 2, divider: false })).toEqual([]);
    expect(only({ type: 14, spacing: 3 })).toEqual(['spacing NUMBER_TYPE_MAX']);
  });
});

describe('what an unmodified builder makes', () => {
  let pressed = 0;
  const press = () => new ButtonBuilder().setCustomId(`b${pressed++}`).setLabel('Press').setStyle(ButtonStyle.Success);

  it('is accepted in a message: buttons and selects of every kind', () => {
    const link = new ButtonBuilder().setLabel('Go').setStyle(ButtonStyle.Link).setURL('https://a.example');
    const premium = new ButtonBuilder().setSKUId('5').setStyle(ButtonStyle.Premium);
    const emoji = press().setEmoji('🎲').setDisabled(true);
    const select = new StringSelectMenuBuilder()
      .setCustomId('select')
      .setPlaceholder('Which?')
      .setMinValues(0)
      .setMaxValues(2)
      .addOptions({ label: 'A', value: 'a', emoji: '🎲' }, { label: 'B', value: 'b', description: 'x', default: true });
    const rows = [
      new ActionRowBuilder<ButtonBuilder>().addComponents(press(), press(), link, premium, emoji),
      ...[
        select,
        new UserSelectMenuBuilder().setCustomId('user').setDefaultUsers('1'),
        new RoleSelectMenuBuilder().setCustomId('role').setMaxValues(25),
        new MentionableSelectMenuBuilder().setCustomId('any').addDefaultRoles('1'),
        new ChannelSelectMenuBuilder().setCustomId('channel').setChannelTypes(ChannelType.GuildText),
      ].map(one => new ActionRowBuilder<typeof one>().addComponents(one)),
    ];
    expect(message(...sent(rows))).toEqual([]);
  });

  it('is accepted in a message of components alone', () => {
    const words = () => new TextDisplayBuilder().setContent('Words');
    const thumbnail = new ThumbnailBuilder().setURL('https://a.example/a.png').setDescription('x').setSpoiler(true);
    const section = new SectionBuilder().addTextDisplayComponents(words());
    const container = new ContainerBuilder()
      .setAccentColor(0xff8800)
      .addTextDisplayComponents(words())
      .addSectionComponents(section.setThumbnailAccessory(thumbnail))
      .addSeparatorComponents(new SeparatorBuilder().setDivider(true).setSpacing(SeparatorSpacingSize.Large))
      .addMediaGalleryComponents(new MediaGalleryBuilder().addItems({ media: { url: 'https://a.example/b.png' } }))
      .addFileComponents(new FileBuilder().setURL('attachment://a.txt'))
      .addActionRowComponents(new ActionRowBuilder<ButtonBuilder>().addComponents(press()));
    const withButton = new SectionBuilder().addTextDisplayComponents(words(), words()).setButtonAccessory(press());
    expect(layout(...sent([words(), container, withButton]))).toEqual([]);
  });

  it('is accepted as a modal: rows, labels and every kind of input', () => {
    const input = (id: string) => new TextInputBuilder().setCustomId(id).setStyle(TextInputStyle.Paragraph);
    const old = new ModalBuilder()
      .setCustomId('m')
      .setTitle('x')
      .addComponents(
        ['a', 'b'].map(id => new ActionRowBuilder<TextInputBuilder>().addComponents(input(id).setLabel('What?'))),
      );
    expect(faults(checkModal(old.toJSON()))).toEqual([]);
    const label = () => new LabelBuilder().setLabel('What?').setDescription('x');
    const options = [
      { label: 'A', value: 'a' },
      { label: 'B', value: 'b' },
    ];
    const labels = [
      label().setTextInputComponent(input('a').setMinLength(1).setMaxLength(4000).setRequired(false).setValue('x')),
      label().setStringSelectMenuComponent(
        new StringSelectMenuBuilder().setCustomId('b').addOptions(options).setRequired(true),
      ),
      label().setUserSelectMenuComponent(new UserSelectMenuBuilder().setCustomId('c')),
      label().setChannelSelectMenuComponent(new ChannelSelectMenuBuilder().setCustomId('d')),
      label().setFileUploadComponent(new FileUploadBuilder().setCustomId('e').setMaxValues(3)),
      label().setRadioGroupComponent(new RadioGroupBuilder().setCustomId('f').addOptions(options)),
      label().setCheckboxGroupComponent(new CheckboxGroupBuilder().setCustomId('g').addOptions(options)),
      label().setCheckboxComponent(new CheckboxBuilder().setCustomId('h').setDefault(true)),
    ];
    for (const part of [
      labels.slice(0, componentLimits.modalComponentsMax),
      labels.slice(componentLimits.modalComponentsMax),
    ]) {
      const made = new ModalBuilder().setCustomId('m').setTitle('x').addLabelComponents(part);
      expect(faults(checkModal(JSON.parse(JSON.stringify(made))))).toEqual([]);
    }
  });

  /** As it goes over the wire. */
  function sent(builders: readonly { toJSON(): unknown }[]): unknown[] {
    return JSON.parse(JSON.stringify(builders));
  }
});
