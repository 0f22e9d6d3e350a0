import type { ApplicationTraits } from '../../model/application.ts';
import { type Command, type CommandEdit, type CommandItem, commandTypes } from '../../model/command.ts';
import type { CommandScope } from '../../model/rules/commands/command.ts';
import { normalizeCommand } from '../../model/rules/commands/normalize-command.ts';
import type { DesiredCommand } from './definition.ts';

/** What is known where definitions are turned into calls. */
export interface DesiredContext {
  readonly scope: CommandScope;
  /** What is known of the application. */
  readonly traits: Partial<ApplicationTraits>;
}

/**
 * The body that makes a command what its definition says, whatever it was before: every field is in it, those left
 * out of the definition with their defaults.
 *
 * Installation types that neither the definition nor the application's known traits name stay as they are, or are left
 * to the service.
 */
export function bodyOf(desired: DesiredCommand, { scope, traits }: DesiredContext, stored?: Command): CommandItem {
  const installed = desired.integration_types ?? traits.integration_types ?? stored?.integration_types;
  const known = { embedded: true, discoverable: false, integration_types: installed ?? [] };
  const { description, dm_permission, integration_types, options, ...rest } = normalizeCommand(desired, known, scope);
  const isChat = rest.type === commandTypes.CHAT_INPUT;
  return {
    ...(stored && { id: stored.id }),
    ...rest,
    ...(description !== '' && { description }),
    ...(scope === 'global' && { dm_permission }),
    ...(integration_types && integration_types.length > 0 && { integration_types }),
    ...(isChat && { options: options ?? [] }),
  };
}

/** The same as the body of an edit, which has neither id nor type. */
export function editOf(desired: DesiredCommand, context: DesiredContext, stored: Command): CommandEdit {
  const { id: _id, type: _type, ...edit } = bodyOf(desired, context, stored);
  return edit;
}
