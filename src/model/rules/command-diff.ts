import type { ApplicationTraits } from '../application.ts';
import { type Command, type CommandInput, commandTypes } from '../command.ts';
import type { CommandScope } from './command.ts';
import { type Fields, isFields } from './field.ts';
import { type NormalizedCommand, normalizeCommand } from './normalize-command.ts';

/** One field in which a registered command is not what is wanted. */
export interface CommandChange {
  /** From the command to the field, indices as decimal text: `['options', '0', 'name']`. */
  readonly path: readonly string[];
  /** What is registered, and what is wanted; undefined: nothing. Defaults count as nothing only where nothing shows. */
  readonly before: unknown;
  readonly after: unknown;
}

/** What decides how a definition reads, besides itself. */
export interface DiffContext {
  readonly scope: CommandScope;
  /** What is known of the application. Without its `integration_types` a definition that names none takes any. */
  readonly traits?: Partial<ApplicationTraits>;
}

/**
 * The fields in which a registered command differs from its definition; none when registering it would change nothing
 * that shows. Both sides are read with their defaults filled in. What does not count:
 *
 * - the order of contexts, installation and channel types, which are sets; that of options and choices counts
 * - translations that say what the default says, unless they hide a fallback
 * - the deprecated `dm_permission` while contexts are set: the service derives it from them then
 * - contexts and installation types in a guild
 * - fields that only answers carry
 *
 * @param server as answered with whole dictionaries of translations
 * @param desired a definition that passed its check
 */
export function diffCommand(server: Command, desired: CommandInput, context: DiffContext): CommandChange[] {
  if (isPlainlySame(server, desired, context)) return [];
  const { before, after } = comparable(server, desired, context);
  const changes: CommandChange[] = [];
  collect(changes, [], before, after);
  return changes;
}

/** Both sides with their defaults, without what does not count. */
function comparable(server: Command, desired: CommandInput, { scope, traits }: DiffContext) {
  // An installation list that neither the definition nor what is known of the application names may be any.
  const integration_types = traits?.integration_types ?? server.integration_types ?? [];
  const known = { embedded: true, discoverable: false, ...traits, integration_types };
  const before: Partial<NormalizedCommand> = normalizeCommand(server, known, scope);
  const after: Partial<NormalizedCommand> = normalizeCommand(desired, known, scope);
  if (scope === 'guild' || before.contexts !== null || after.contexts !== null) {
    delete before.dm_permission;
    delete after.dm_permission;
  }
  return { before, after };
}

function collect(changes: CommandChange[], path: readonly string[], before: unknown, after: unknown): void {
  if (before === after) return;
  const children = childrenOf(before, after);
  if (!children) changes.push({ path, before, after });
  else for (const [key, one, other] of children) collect(changes, [...path, key], one, other);
}

type Child = readonly [key: string, before: unknown, after: unknown];

/** What two lists or two objects hold, side by side; undefined when they are not two of a kind. */
function childrenOf(before: unknown, after: unknown): Child[] | undefined {
  if (Array.isArray(before) && Array.isArray(after)) {
    const length = Math.max(before.length, after.length);
    return Array.from({ length }, (_, i) => [String(i), before[i], after[i]] as const);
  }
  if (!isFields(before) || !isFields(after)) return undefined;
  const keys = new Set([...Object.keys(after), ...Object.keys(before)]);
  return [...keys].map(key => [key, before[key], after[key]] as const);
}

/**
 * Whether the two say the same without their defaults being filled in, as most do: a quick look that allocates nothing.
 * False means only that the long look is needed.
 */
function isPlainlySame(server: Command, desired: CommandInput, { scope, traits }: DiffContext): boolean {
  return (
    server.name === desired.name &&
    server.type === (desired.type ?? commandTypes.CHAT_INPUT) &&
    server.nsfw === (desired.nsfw ?? false) &&
    isPlain(server.description, desired.description) &&
    isPlain(server.default_member_permissions, desired.default_member_permissions) &&
    desired.default_permission !== false &&
    isPlain(server.handler, desired.handler) &&
    isPlain(server.name_localizations, desired.name_localizations) &&
    isPlain(server.description_localizations, desired.description_localizations) &&
    isPlain(server.options, desired.options) &&
    (scope === 'guild' || isPlainlySamePlace(server, desired, traits))
  );
}

function isPlainlySamePlace(server: Command, desired: CommandInput, traits: DiffContext['traits']): boolean {
  const installed = desired.integration_types ?? traits?.integration_types ?? server.integration_types;
  if (!isPlain(server.integration_types, installed) || !isPlain(server.contexts, desired.contexts)) return false;
  return !isNothing(server.contexts) || (server.dm_permission ?? true) === (desired.dm_permission ?? true);
}

/** Equal, in the same order; a field that says nothing is equal to one that is not there. */
function isPlain(a: unknown, b: unknown): boolean {
  if (a === b || (isNothing(a) && isNothing(b))) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a)) return Array.isArray(b) && isPlainList(a, b);
  return !Array.isArray(b) && isPlainFields(a as Fields, b as Fields);
}

function isPlainList(a: readonly unknown[], b: readonly unknown[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (!isPlain(a[i], b[i])) return false;
  return true;
}

function isPlainFields(a: Fields, b: Fields): boolean {
  for (const key in b) if (!isPlain(a[key], b[key])) return false;
  for (const key in a) if (!(key in b) && !isNothing(a[key])) return false;
  return true;
}

function isNothing(value: unknown): boolean {
  if (value === undefined || value === null || value === false || value === '') return true;
  return Array.isArray(value) && value.length === 0;
}
