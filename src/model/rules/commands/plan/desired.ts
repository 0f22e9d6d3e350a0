import type { ApplicationTraits } from '../../../application.ts';
import { type Command, type CommandEdit, type CommandItem, commandTypes, integrationTypes } from '../../../command.ts';
import type { ApplicationId, GuildId } from '../../../snowflake.ts';
import type { CommandScope } from '../command.ts';
import { normalizeCommand } from '../normalize-command.ts';

/** What a scope's commands shall be: {@link CommandItem}s, which may say what they were called before. */
export interface DesiredCommand extends CommandItem {
  /** The command's current name. It is renamed and keeps its id, instead of being deleted and created again. */
  readonly formerName?: string;
}

/** Where commands are registered: everywhere, or in one guild. */
export interface CommandPlace {
  readonly applicationId: ApplicationId;
  readonly guildId?: GuildId | undefined;
}

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

/** The default assumptions about an application: those that reject the least. */
export const traitsUnknown: ApplicationTraits = {
  embedded: true,
  discoverable: false,
  integration_types: Object.values(integrationTypes),
};
