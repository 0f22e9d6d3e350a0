import type { ModalInteraction } from '../../model/interaction.ts';
import { checkModal } from '../../model/rules/interactions/callback.ts';
import { rejectIssues } from '../../wire/http/check.ts';
import type { ReceivedInteraction } from '../received-interaction.ts';
import type { ModalDefinition } from './modal-definition.ts';
import type { ModalValues } from './modal-values.ts';

/** A modal that a user filled in, with what its definition says it carries. */
export interface ModalUse<Definition> extends ReceivedInteraction {
  readonly payload: ModalInteraction;
  /** By custom id. */
  readonly values: ModalValues<Definition>;
  /** What the modal was shown with. */
  readonly argument: string | undefined;
}

/** What happens when a modal is submitted. */
export interface ModalHandlers<Definition> {
  submit?(use: ModalUse<Definition>): void | Promise<void>;
}

/** A definition that passed its check, with its handler. */
export type DefinedModal<Definition = ModalDefinition> = Definition & Readonly<ModalHandlers<Definition>>;

/**
 * Defines a modal: what is shown and, from the same text, the types its handler sees.
 *
 * @param definition as the interface shapes a modal; `field` makes inputs in few words. Its custom id has no colon, as
 *   what follows one is the argument that it is shown with.
 * @param submit what a router calls
 * @throws ValidationError every fault the types could not tell
 * @example
 * ```ts
 * const report = defineModal(
 *   { custom_id: 'report', title: 'Report a player', components: [field.paragraph('what', 'What happened?')] },
 *   ({ values, reply }) => reply({ content: `Thank you: ${values.what}`, flags: messageFlags.EPHEMERAL }),
 * );
 * ```
 */
export function defineModal<const Definition extends ModalDefinition>(
  definition: Definition,
  submit?: NonNullable<ModalHandlers<Definition>['submit']>,
): DefinedModal<Definition> {
  rejectIssues(`The modal "${definition.custom_id}"`, checkModal(definition));
  return { ...definition, ...(submit && { submit }) };
}
