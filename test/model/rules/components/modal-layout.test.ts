import { describe, expect, it } from 'vitest';
import type { Component, SubmittedComponent } from '../../../../src/model/component.ts';
import { fillModal, numberComponents } from '../../../../src/model/rules/components/modal-layout.ts';
import { choices, labelled, row, stringSelect, text, textInput } from '../../../support/commands/components.ts';

describe('the numbers of components', () => {
  it('are given in the order of sight, and pass over those that are taken', () => {
    const shown = [labelled(textInput('a')), { ...text(), id: 2 }, row(textInput('b', { id: 0 }))];
    expect(numberComponents(shown)).toEqual([
      labelled(textInput('a', { id: 3 }), { id: 1 }),
      { ...text(), id: 2 },
      { ...row(textInput('b', { id: 5 })), id: 4 },
    ]);
  });

  it('stay where all have one, and are given to the accessory of a section', () => {
    const numbered = numberComponents([{ type: 9, components: [text()], accessory: textInput('a') }]);
    expect(numbered).toMatchObject([{ id: 1, components: [{ id: 2 }], accessory: { id: 3 } }]);
    expect(numberComponents(numbered)).toEqual(numbered);
  });
});

describe('a modal that was filled in', () => {
  const shown = numberComponents([
    labelled(textInput('name')),
    labelled(stringSelect('map', ['quay'])),
    labelled({ type: 21, custom_id: 'side', options: choices('a', 'b') }),
    labelled({ type: 23, custom_id: 'sure' }),
    text(),
  ]);

  it('is laid out as it was shown, with numbers and without what was only to be seen', () => {
    const given = [
      { type: 18, component: { type: 23, custom_id: 'sure', value: true, extra: 1 } },
      { type: 1, components: [{ type: 4, custom_id: 'name', value: 'Ada' }] },
      { type: 18, component: { type: 3, custom_id: 'map', values: ['quay'] } },
      { type: 18, component: { type: 21, custom_id: 'side', value: 'b' } },
    ] as const;
    expect(fillModal(shown, given)).toEqual([
      { type: 18, id: 1, component: { type: 4, id: 2, custom_id: 'name', value: 'Ada' } },
      { type: 18, id: 3, component: { type: 3, id: 4, custom_id: 'map', values: ['quay'] } },
      { type: 18, id: 5, component: { type: 21, id: 6, custom_id: 'side', value: 'b' } },
      { type: 18, id: 7, component: { type: 23, id: 8, custom_id: 'sure', value: true } },
      { type: 10, id: 9 },
    ]);
  });

  it('takes no notice of fields that a component of its type does not have', () => {
    const given = [
      { type: 10, components: 5, component: 6 },
      { type: 18, component: { type: 4, custom_id: 'name', value: 'Ada' }, components: null },
      {
        type: 1,
        components: [{ type: 23, custom_id: 'sure', value: true }],
        component: { custom_id: 'map', values: 7 },
      },
    ] as unknown as readonly SubmittedComponent[];
    const [name, map, , sure] = fillModal(shown, given);
    expect([name?.component?.value, map?.component?.values, sure?.component?.value]).toEqual(['Ada', [], true]);
    const odd = [{ ...text(), components: 5, accessory: 'x' }, labelled({ ...textInput('a'), component: 7 } as never)];
    expect(numberComponents(odd as unknown as readonly Component[])).toMatchObject([
      { id: 1 },
      { id: 2, component: { id: 3 } },
    ]);
  });

  it('says what was left empty', () => {
    const values = fillModal(shown, []).map(({ component }) => component?.values ?? component?.value);
    expect(values).toEqual(['', [], null, false, undefined]);
  });
});
