import { describe, expect, it } from 'vitest';
import { field } from '../../../src/backend/components/field.ts';
import { defineModal } from '../../../src/backend/components/modal.ts';
import { ValidationError } from '../../../src/model/errors/errors.ts';
import { checkModal } from '../../../src/model/rules/interactions/callback.ts';
import { choices } from '../../support/commands/components.ts';

describe('a modal that is defined', () => {
  const fields = [
    field.text('name', 'What is it called?', { max_length: 40, description: 'In one line' }),
    field.paragraph('what', 'What happened?'),
    field.select('map', 'Where?', { options: choices('quay', 'keep'), required: false }),
    field.users('who', 'Who?', { max_values: 3 }),
    field.radio('side', 'On which side?', { options: choices('a', 'b') }),
  ] as const;

  it('is in the shape of the interface, each input under its heading', () => {
    const modal = defineModal({ custom_id: 'report', title: 'Report', components: fields });
    expect(modal).toEqual({ custom_id: 'report', title: 'Report', components: fields });
    expect(fields[0]).toEqual({
      type: 18,
      label: 'What is it called?',
      description: 'In one line',
      component: { type: 4, style: 1, custom_id: 'name', max_length: 40 },
    });
    expect(fields[1].component).toEqual({ type: 4, style: 2, custom_id: 'what' });
    expect(fields[3].component).toEqual({ type: 5, custom_id: 'who', max_values: 3 });
  });

  it('has fields for every kind of input', () => {
    const others = [
      field.roles('a', 'x'),
      field.mentionables('b', 'x'),
      field.channels('c', 'x', { channel_types: [0] }),
      field.checkboxes('d', 'x', { options: choices('a') }),
      field.checkbox('e', 'x', { default: true }),
    ];
    expect(others.map(({ component }) => component.type)).toEqual([6, 7, 8, 22, 23]);
    expect(checkModal({ custom_id: 'x', title: 'x', components: others })).toEqual([]);
  });

  it('is refused with all that types could not tell', () => {
    const make = () =>
      defineModal({
        custom_id: 'x'.repeat(101),
        title: '',
        components: [field.text('a', 'x'.repeat(46)), field.text('a', 'x', { max_length: 4001 })],
      });
    expect(make).toThrow(ValidationError);
    expect(make).toThrow(/custom_id[\s\S]*title[\s\S]*components\.0\.label[\s\S]*components\.1\.component\.custom_id/);
  });

  it('has its handler beside it', () => {
    const submit = () => {};
    expect(defineModal({ custom_id: 'x', title: 'x', components: [field.text('a', 'x')] }, submit)).toMatchObject({
      submit,
    });
  });
});
