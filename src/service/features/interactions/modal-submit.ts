import { type Component, type Modal, type SubmittedComponent, usableComponents } from '../../../model/component.ts';
import { interactionTypes } from '../../../model/interaction.ts';
import { componentLimits } from '../../../model/limits/component-limits.ts';
import { checkSubmission } from '../../../model/rules/components/component-values.ts';
import { fillModal, givenInputs } from '../../../model/rules/components/modal-layout.ts';
import { checkRequiredText, type Fields } from '../../../model/rules/field.ts';
import type { Report } from '../../../model/rules/report.ts';
import type { InteractionId } from '../../../model/snowflake.ts';
import { type Attach, Uploads } from '../../attachments/attachments.ts';
import type { Core } from '../../core.ts';
import type { StoreView, Transaction } from '../../store/contract.ts';
import type { InteractionRecord, UserRecord } from '../../store/records.ts';
import { serviceFieldErrors } from '../../support/api-messages.ts';
import { invalidBody, RequestError, rejectIssues } from '../../support/request-error.ts';
import { metadataView } from './answer-view.ts';
import { findPlace } from './invocation-place.ts';
import { type Reference, resolve, valueReferences } from './invocation-resolved.ts';
import { createInteractionToken, interactionScope, tokenEndMs } from './records.ts';
import type { Condition, SendUse } from './sending.ts';
import { readId, readUse, readUseBody, readUseData, type UseInput } from './use-input.ts';

/** A submitted modal, as a user's client sends it. */
interface Submission extends UseInput {
  /** The interaction that was answered with the modal. */
  readonly openerId: InteractionId;
  readonly customId: string;
  /** Not yet validated against the modal. */
  readonly components: unknown;
}

/** An interaction that was answered with a modal. */
type Opener = InteractionRecord & { readonly modal: Modal };

/**
 * Handles submitted modals.
 *
 * Unspecified: a modal can be submitted once, by the user who was shown it, while the token of the answered
 * interaction is valid; a submission that the application does not answer counts, too.
 *
 * @returns throws RequestError `invalid_form_body`, `unknown_application`, `unknown_interaction` when no modal is
 *   open for this user, and what {@link findPlace} throws
 * @see docs/spec/interactions.md#submitted-modal
 */
export function createModalSubmit({ store, ids, entropy, clock }: Core, attach: Attach, send: SendUse) {
  async function findOpener(view: StoreView, user: UserRecord, asked: Submission): Promise<Opener> {
    const found = await view.get('interactions', asked.openerId);
    const isTheirs =
      found?.user_id === user.id &&
      found.application_id === asked.applicationId &&
      found.channel_id === asked.channelId &&
      found.guild_id === (asked.guildId ?? null);
    if (!isTheirs || !found.modal?.open || clock.now() >= tokenEndMs(found))
      throw new RequestError('unknown_interaction');
    return { ...found, modal: found.modal };
  }

  /** Closes the modal in the transaction of its submission. */
  function onlyOnce(user: UserRecord, submission: Submission): Condition {
    return {
      guards: [interactionScope(submission.openerId)],
      async check(transaction: Transaction) {
        const opener = await findOpener(transaction, user, submission);
        transaction.put('interactions', { ...opener, modal: { ...opener.modal, open: false } });
      },
    };
  }

  return async (user: UserRecord, body: unknown): Promise<void> => {
    const asked = readUseBody(body, readSubmission);
    const { applicationId, channelId, nonce } = asked;
    const application = await store.get('applications', applicationId);
    if (!application) throw new RequestError('unknown_application');
    const opener = await findOpener(store, user, asked);
    const inherited = opener.owners;
    const place = await findPlace(store, { application, user, invocation: asked, inherited });
    const uploads = new Uploads(attach, (body as { readonly data?: unknown }).data, channelId, user.id);
    const submission = { ...asked, components: uploads.inComponents(asked.components) };
    rejectWrongFields(submission, opener.modal);
    const given = (submission.components ?? []) as readonly SubmittedComponent[];
    const inputs = new Map(usableComponents(opener.modal.components).map(input => [input.custom_id, input]));
    const references = referencesIn(given, inputs);
    const named = await resolve(store, references, { application, user, channelId, place });
    const uploaded = uploads.resolveInputs(givenInputs(given), inputs);
    const resolved = named || uploaded ? { ...named, ...uploaded } : undefined;
    const source = opener.source && (await store.get('interaction_messages', opener.source.message_id));
    const id = ids.next();
    const data = {
      custom_id: opener.modal.custom_id,
      components: fillModal(opener.modal.components, given),
      ...(resolved && { resolved }),
    };
    const payload = { type: interactionTypes.MODAL_SUBMIT, data, ...(source && { message: source.message }) };
    const use = { id, token: createInteractionToken(entropy, id), applicationId, channelId, user, place, payload };
    const details = {
      nonce,
      command_type: opener.command_type,
      trigger: metadataView(opener, user),
      ...(source && opener.source && { source: opener.source }),
    };
    await send(use, application, details, onlyOnce(user, submission));
  };
}

function readSubmission(report: Report, body: Fields): Submission {
  return {
    ...readUse(report, body),
    ...readUseData(report, body.data, (inData, data) => ({
      openerId: readId(inData, 'id', data.id),
      customId: checkRequiredText(inData, 'custom_id', data.custom_id, componentLimits.customIdLengthMax)
        ? data.custom_id
        : '',
      components: data.components,
    })),
  };
}

/** @throws RequestError `invalid_form_body` */
function rejectWrongFields({ customId, components }: Submission, modal: Modal): void {
  if (customId !== modal.custom_id) {
    const code = 'COMPONENT_VALIDATION_FAILED';
    throw invalidBody([{ path: ['data', 'custom_id'], code, message: serviceFieldErrors[code]() }]);
  }
  const issues = checkSubmission(components, modal.components);
  rejectIssues(issues.map(issue => ({ ...issue, path: ['data', 'components', ...issue.path] })));
}

/** The ids chosen in the selects of a modal. */
function referencesIn(
  given: readonly SubmittedComponent[],
  inputs: ReadonlyMap<string | undefined, Component>,
): readonly Reference[] {
  return givenInputs(given).flatMap(({ input: { custom_id, values = [] }, path }) => {
    const input = inputs.get(custom_id);
    return input ? valueReferences(input, values, ['data', 'components', ...path, 'values']) : [];
  });
}
