/**
 * The rules of one command written by hand in a single pass, as somebody would who only wants speed: it answers yes or
 * no, stops at the first fault and can name neither its place nor its kind. The rulebook is held against it.
 *
 * It judges what a full command uses: a CHAT_INPUT command of a global scope, its options on all levels and their
 * choices. Like the rulebook it counts code points and takes translations into account.
 */
export function isCommand(command: Item): boolean {
  if (typeof command !== 'object' || command === null || Array.isArray(command)) return false;
  if (!isFree(command.type) && command.type !== 1) return false;
  if (!isName(command.name) || !isText(command.description, 100)) return false;
  if (!areTranslations(command.name_localizations, 32, true)) return false;
  if (!areTranslations(command.description_localizations, 100, false)) return false;
  if (!isFree(command.default_member_permissions) && !arePermissions(command.default_member_permissions)) return false;
  if (!isFree(command.handler)) return false;
  if (!isFree(command.nsfw) && typeof command.nsfw !== 'boolean') return false;
  if (!isFree(command.dm_permission) && typeof command.dm_permission !== 'boolean') return false;
  if (!isSet(command.contexts, 2) || !isSet(command.integration_types, 1)) return false;
  const base =
    sizeOf(command.name, command.name_localizations) + sizeOf(command.description, command.description_localizations);
  const size = optionsSize(command.options, 0);
  return size >= 0 && base + size <= 8000;
}

// biome-ignore lint/suspicious/noExplicitAny: a hand-written check reads the body as it comes
type Item = any;

const name = /^[-_'\p{L}\p{N}\p{sc=Deva}\p{sc=Thai}]{1,32}$/u;

function arePermissions(bits: unknown): boolean {
  if (typeof bits === 'number') return Number.isInteger(bits) && bits >= 0 && bits < 2 ** 54;
  return typeof bits === 'string' && /^[0-9]{1,17}$/.test(bits) && BigInt(bits) < 2n ** 54n;
}

function isFree(value: unknown): boolean {
  return value === undefined || value === null;
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && name.test(value) && value === value.toLowerCase();
}

function isText(value: unknown, max: number): value is string {
  if (typeof value !== 'string' || value.length === 0) return false;
  return value.length <= max || [...value].length <= max;
}

function areTranslations(value: Item, max: number, names: boolean): boolean {
  if (isFree(value)) return true;
  if (typeof value !== 'object' || Array.isArray(value)) return false;
  for (const locale of Object.keys(value)) {
    if (!/^[a-z]{2}(-[A-Z0-9]{2,3})?$/.test(locale)) return false;
    if (!(names ? isName(value[locale]) : isText(value[locale], max))) return false;
  }
  return true;
}

function isSet(value: Item, most: number): boolean {
  if (isFree(value)) return true;
  if (!Array.isArray(value) || value.length === 0 || value.length > most + 1) return false;
  for (let i = 0; i < value.length; i++) {
    if (!Number.isInteger(value[i]) || value[i] < 0 || value[i] > most || value.indexOf(value[i]) < i) return false;
  }
  return true;
}

function sizeOf(text: string, translations: Item): number {
  let most = text.length;
  if (!isFree(translations)) {
    for (const locale of Object.keys(translations)) most = Math.max(most, translations[locale].length);
  }
  return most;
}

/** Combined length of the options' texts, or −1 when one of them is not valid. `place`: 0 command, 1 group, 2 subcommand. */
function optionsSize(options: Item, place: 0 | 1 | 2): number {
  if (isFree(options)) return 0;
  if (!Array.isArray(options) || options.length > 25) return -1;
  let size = 0;
  let optional = false;
  for (let i = 0; i < options.length; i++) {
    const option = options[i];
    if (typeof option !== 'object' || option === null || Array.isArray(option)) return -1;
    const type = option.type;
    if (!Number.isInteger(type) || type < 1 || type > 11) return -1;
    if (place === 1 ? type !== 1 : place === 2 && type < 3) return -1;
    if (!isName(option.name) || !isText(option.description, 100)) return -1;
    if (!areTranslations(option.name_localizations, 32, true)) return -1;
    if (!areTranslations(option.description_localizations, 100, false)) return -1;
    for (let j = 0; j < i; j++) {
      if (options[j].name === option.name || options[j].type < 3 !== type < 3) return -1;
    }
    size +=
      sizeOf(option.name, option.name_localizations) + sizeOf(option.description, option.description_localizations);
    const required = option.required;
    if (!isFree(required) && typeof required !== 'boolean') return -1;
    if (required === true) {
      if (type < 3 || optional) return -1;
    } else optional = true;
    if (type < 3 && !isFree(option.choices) && option.choices.length !== 0) return -1;
    const inner = type < 3 ? optionsSize(option.options, type === 1 ? 2 : 1) : parameterSize(option, type);
    if (inner < 0) return -1;
    size += inner;
  }
  return size;
}

function parameterSize(option: Item, type: number): number {
  const chosen = type === 3 || type === 4 || type === 10;
  if (!isFree(option.options) && option.options.length !== 0) return -1;
  if (!isFree(option.autocomplete)) {
    if (typeof option.autocomplete !== 'boolean') return -1;
    if (option.autocomplete && (!chosen || option.choices?.length > 0)) return -1;
  }
  if (!isFree(option.min_length) && !(type === 3 && isWithin(option.min_length, 0, 6000))) return -1;
  if (!isFree(option.max_length) && !(type === 3 && isWithin(option.max_length, 1, 6000))) return -1;
  if (option.min_length > option.max_length) return -1;
  if (!isFree(option.min_value) && !isBound(option.min_value, type)) return -1;
  if (!isFree(option.max_value) && !isBound(option.max_value, type)) return -1;
  if (option.min_value > option.max_value) return -1;
  if (
    !isFree(option.channel_types) &&
    !(type === 7 && (option.channel_types.length === 0 || isSet(option.channel_types, 16)))
  )
    return -1;
  if (!isFree(option.file_types) && !(type === 11 && option.file_types.length <= 10)) return -1;
  return isFree(option.choices) ? 0 : chosen ? choicesSize(option.choices, type) : -1;
}

function isWithin(value: unknown, min: number, max: number): boolean {
  return Number.isInteger(value) && Number(value) >= min && Number(value) <= max;
}

function isBound(value: unknown, type: number): boolean {
  if (type === 4) return isWithin(value, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
  return type === 10 && typeof value === 'number' && Math.abs(value) <= 2 ** 53;
}

function choicesSize(choices: Item, type: number): number {
  if (!Array.isArray(choices) || choices.length > 25) return -1;
  let size = 0;
  for (let i = 0; i < choices.length; i++) {
    const choice = choices[i];
    if (typeof choice !== 'object' || choice === null || Array.isArray(choice)) return -1;
    if (!isText(choice.name, 100) || !areTranslations(choice.name_localizations, 100, false)) return -1;
    size += sizeOf(choice.name, choice.name_localizations);
    if (type !== 3) {
      if (!isBound(choice.value, type)) return -1;
      continue;
    }
    if (!isText(choice.value, 100)) return -1;
    size += choice.value.length;
  }
  return size;
}
