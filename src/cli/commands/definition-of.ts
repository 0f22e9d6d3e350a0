import { type Command, type CommandInput, commandTypes } from '../../model/command.ts';

/**
 * A registered command as somebody would write its definition: without what only answers carry, and without what says
 * nothing. Deploying it changes nothing.
 */
export function definitionOf(command: Command): CommandInput {
  const { id: _id, application_id: _application, guild_id: _guild, version: _version, type, ...content } = command;
  const { name, description, dm_permission, ...rest } = content;
  const isDerived = dm_permission !== false || (command.contexts ?? null) !== null;
  return withoutNothing({
    ...(type !== commandTypes.CHAT_INPUT && { type }),
    name,
    ...(description !== '' && { description }),
    ...rest,
    ...(!isDerived && { dm_permission }),
  }) as CommandInput;
}

/** Without fields that are null or false, which is what a field that is absent means; on every level. */
function withoutNothing(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNothing);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).filter(
    ([key, field]) => field !== null && (field !== false || key === 'dm_permission'),
  );
  return Object.fromEntries(fields.map(([key, field]) => [key, withoutNothing(field)]));
}
