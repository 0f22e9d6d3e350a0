import type { ApplicationTraits } from '../../application.ts';
import {
  type Command,
  type CommandChoice,
  type CommandInput,
  type CommandOption,
  commandTypes,
} from '../../command.ts';
import type { Locale, Localizations } from '../../locale.ts';
import { type Fields, isFields } from '../field.ts';
import type { CommandScope } from './command.ts';
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
 * - the order of contexts, installation, channel and file types, which are sets; that of options and choices counts
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
  // The service keeps the order of file types; all other sets are sorted.
  const read = (fields: Fields, key: string) => (key === 'file_types' ? sortedSet(fields[key]) : fields[key]);
  return [...keys].map(key => [key, read(before, key), read(after, key)] as const);
}

function sortedSet(list: unknown): unknown {
  return Array.isArray(list) ? [...new Set(list)].sort() : list;
}

/**
 * Whether the two say the same without their defaults being filled in, as most do: a quick look that allocates nothing.
 * False means only that the long look is needed.
 */
export function isPlainlySame(server: Command, desired: CommandInput, { scope, traits }: DiffContext): boolean {
  return (
    server.name === desired.name &&
    server.type === (desired.type ?? commandTypes.CHAT_INPUT) &&
    server.description === (desired.description ?? '') &&
    server.nsfw === (desired.nsfw ?? false) &&
    server.default_member_permissions === (desired.default_member_permissions ?? null) &&
    desired.default_permission !== false &&
    server.handler === (desired.handler ?? undefined) &&
    sameTexts(server.name_localizations, desired.name_localizations) &&
    sameTexts(server.description_localizations, desired.description_localizations) &&
    sameItems(server.options, desired.options, sameOption) &&
    (scope === 'guild' || isPlainlySamePlace(server, desired, traits))
  );
}

function isPlainlySamePlace(server: Command, desired: CommandInput, traits: DiffContext['traits']): boolean {
  const installed = desired.integration_types ?? traits?.integration_types ?? server.integration_types;
  if (!sameItems(server.integration_types, installed, same)) return false;
  if (server.contexts || desired.contexts) return sameItems(server.contexts, desired.contexts, same);
  return (server.dm_permission ?? true) === (desired.dm_permission ?? true);
}

/** As {@link isPlainlySame}, of an option. */
export function sameOption(a: CommandOption, b: CommandOption): boolean {
  return (
    a.name === b.name &&
    a.type === b.type &&
    a.description === b.description &&
    (a.required ?? false) === (b.required ?? false) &&
    (a.autocomplete ?? false) === (b.autocomplete ?? false) &&
    same(a.min_value, b.min_value) &&
    same(a.max_value, b.max_value) &&
    same(a.min_length, b.min_length) &&
    same(a.max_length, b.max_length) &&
    sameTexts(a.name_localizations, b.name_localizations) &&
    sameTexts(a.description_localizations, b.description_localizations) &&
    sameItems(a.choices, b.choices, sameChoice) &&
    sameItems(a.options, b.options, sameOption) &&
    sameItems(a.channel_types, b.channel_types, same) &&
    sameItems(a.file_types, b.file_types, same)
  );
}

function sameChoice(a: CommandChoice, b: CommandChoice): boolean {
  return a.name === b.name && a.value === b.value && sameTexts(a.name_localizations, b.name_localizations);
}

/** Null is what is absent. */
function same(a: unknown, b: unknown): boolean {
  return a === b || (a ?? undefined) === (b ?? undefined);
}

type List<Item> = readonly Item[] | null | undefined;

/** Whether two lists have the same items; an empty list is none. */
export function sameItems<Item>(a: List<Item>, b: List<Item>, sameItem: (a: Item, b: Item) => boolean): boolean {
  if (a === b) return true;
  const length = a?.length ?? 0;
  if (length !== (b?.length ?? 0)) return false;
  for (let i = 0; i < length; i++) if (!sameItem(a?.[i] as Item, b?.[i] as Item)) return false;
  return true;
}

function sameTexts(a: Localizations | null | undefined, b: Localizations | null | undefined): boolean {
  if (!a || !b) return !a && !b;
  let left = 0;
  for (const locale in a) {
    if (a[locale as Locale] !== b[locale as Locale]) return false;
    left++;
  }
  for (const _ in b) left--;
  return left === 0;
}
