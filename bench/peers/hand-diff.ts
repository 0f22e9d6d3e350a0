import type { Command, CommandChoice, CommandInput, CommandOption } from '../../src/model/command.ts';

/**
 * A comparison as one writes it by hand: field by field, knowing which is which, and only yes or no. The diff is held
 * against it.
 */
export function isSame(server: Command, desired: CommandInput): boolean {
  return (
    server.type === (desired.type ?? 1) &&
    server.name === desired.name &&
    server.description === (desired.description ?? '') &&
    sameTexts(server.name_localizations, desired.name_localizations) &&
    sameTexts(server.description_localizations, desired.description_localizations) &&
    server.default_member_permissions === (desired.default_member_permissions ?? null) &&
    server.nsfw === (desired.nsfw ?? false) &&
    sameList(server.contexts, desired.contexts) &&
    (desired.integration_types === undefined || sameList(server.integration_types, desired.integration_types)) &&
    sameOptions(server.options, desired.options)
  );
}

type Texts = Readonly<Record<string, string | undefined>> | null | undefined;

function sameTexts(a: Texts, b: Texts): boolean {
  if (!a || !b) return !a === !b;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  for (const key of keys) if (a[key] !== b[key]) return false;
  return true;
}

function sameList(a: readonly unknown[] | null | undefined, b: readonly unknown[] | null | undefined): boolean {
  if (!a || !b) return !a === !b;
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

function sameOptions(a: readonly CommandOption[] = [], b: readonly CommandOption[] | null | undefined = []): boolean {
  const other = b ?? [];
  if (a.length !== other.length) return false;
  for (let i = 0; i < a.length; i++) {
    const one = a[i];
    const two = other[i];
    if (!one || !two || !sameOption(one, two)) return false;
  }
  return true;
}

function sameOption(a: CommandOption, b: CommandOption): boolean {
  return (
    a.type === b.type &&
    a.name === b.name &&
    a.description === b.description &&
    sameTexts(a.name_localizations, b.name_localizations) &&
    sameTexts(a.description_localizations, b.description_localizations) &&
    (a.required ?? false) === (b.required ?? false) &&
    (a.autocomplete ?? false) === (b.autocomplete ?? false) &&
    a.min_value === b.min_value &&
    a.max_value === b.max_value &&
    a.min_length === b.min_length &&
    a.max_length === b.max_length &&
    sameList(a.channel_types, b.channel_types) &&
    sameChoices(a.choices, b.choices) &&
    sameOptions(a.options, b.options)
  );
}

function sameChoices(a: readonly CommandChoice[] = [], b: readonly CommandChoice[] = []): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) {
    const one = a[i];
    const two = b[i];
    if (!one || !two || one.name !== two.name || one.value !== two.value) return false;
    if (!sameTexts(one.name_localizations, two.name_localizations)) return false;
  }
  return true;
}
