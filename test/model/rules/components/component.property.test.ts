import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SubmittedComponent } from '../../../../src/model/component.ts';
import { callbackTypes } from '../../../../src/model/interaction.ts';
import { messageFlags } from '../../../../src/model/message.ts';
import { checkComponentUse, checkSubmission } from '../../../../src/model/rules/components/component-values.ts';
import { fillModal, numberComponents } from '../../../../src/model/rules/components/modal-layout.ts';
import { checkCallback, checkMessageData, checkModal } from '../../../../src/model/rules/interactions/callback.ts';
import { issuesMax } from '../../../../src/model/rules/report.ts';
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
import { hostileBody } from '../../../support/http/hostile-bodies.ts';

const shown = [
  labelled(textInput('what', { min_length: 2 })),
  labelled(stringSelect('map', ['quay', 'keep'], { required: false })),
  labelled({ type: 21, custom_id: 'side', options: choices('a', 'b') }),
  labelled({ type: 23, custom_id: 'sure' }),
];
const components = [
  row(button('a'), button('b', { disabled: true })),
  row(pick('CHANNEL_SELECT', 'c', { channel_types: [0] })),
  { type: 17, components: [text(), { type: 9, components: [text()], accessory: button('d') }, { type: 14 }] },
  { type: 12, items: [{ media: { url: 'https://a.example' } }] },
];
const message = { flags: messageFlags.IS_COMPONENTS_V2, components };
const modal = { custom_id: 'm', title: 'x', components: shown };
const filled = [
  { type: 18, component: { type: 4, custom_id: 'what', value: 'Nice' } },
  { type: 18, component: { type: 3, custom_id: 'map', values: ['keep'] } },
  { type: 1, components: [{ type: 21, custom_id: 'side', value: 'a' }] },
];

/** Any JSON at all, most of it a body that is valid but for one place. */
const bodies = (sample: unknown) =>
  hostileBody([sample]).map(body => {
    try {
      return JSON.parse(body) as unknown;
    } catch {
      return body;
    }
  });

const runs = { numRuns: 1500 };

describe('hostile components', () => {
  it('are checked without throwing, with a bounded report', () => {
    fc.assert(
      fc.property(bodies(message), body => {
        const { length } = checkMessageData(body);
        expect(length).toBeLessThanOrEqual(issuesMax);
        checkMessageData(body, null);
        checkCallback({ type: callbackTypes.UPDATE_MESSAGE, data: body }, messageFlags.IS_COMPONENTS_V2);
      }),
      runs,
    );
  });

  it('of modals that pass can be numbered and filled in', () => {
    fc.assert(
      fc.property(bodies(modal), body => {
        if (checkModal(body).length > 0) return;
        const numbered = numberComponents((body as typeof modal).components);
        expect(checkModal({ ...modal, components: numbered })).toEqual([]);
        fillModal(numbered, []);
      }),
      runs,
    );
  });

  it('that were filled in are checked without throwing, and are laid out as shown if they pass', () => {
    fc.assert(
      fc.property(bodies(filled), body => {
        const issues = checkSubmission(body, shown);
        checkComponentUse(body, stringSelect('map', ['quay']));
        if (issues.length > 0) return;
        const laidOut = fillModal(shown, (body ?? []) as readonly SubmittedComponent[]);
        expect(laidOut.map(({ type }) => type)).toEqual(shown.map(({ type }) => type));
        expect(checkSubmission(laidOut, shown)).toEqual([]);
      }),
      runs,
    );
  });
});
