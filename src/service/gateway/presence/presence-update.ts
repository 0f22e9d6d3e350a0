import {
  type Activity,
  activityTypeMax,
  type ClientStatus,
  clientStatuses,
  type PresenceUpdate,
} from '../../../model/presence.ts';
import { isSnowflake } from '../../../model/snowflake.ts';
import { asRecord } from '../../../wire/http/codec.ts';

type Fields = Readonly<Record<string, unknown>>;
type Test = (value: unknown) => boolean;

/**
 * Reads a presence from Identify or op 3.
 *
 * Unspecified: of an activity the fields that the interface names are kept, of a bot's activity the four that it may
 * set; a field of the wrong shape makes the whole presence malformed. Except for the status, null counts as absent,
 * because clients send it so.
 *
 * @see docs/spec/gateway.md#presence
 */
export function readPresence(value: unknown, isBot = true): PresenceUpdate | 'malformed' {
  const fields = asRecord(value);
  if (!fields || !isStatus(fields.status)) return 'malformed';
  const since = fields.since ?? null;
  const given = fields.activities ?? [];
  const afk = fields.afk ?? false;
  if (!(since === null || isWhole(since)) || typeof afk !== 'boolean' || !Array.isArray(given)) return 'malformed';
  const activities = given.map(activity => readActivity(asRecord(activity), isBot));
  if (activities.includes(undefined)) return 'malformed';
  return { since, status: fields.status, afk, activities: activities.filter(activity => activity !== undefined) };
}

function readActivity(fields: Fields | undefined, isBot: boolean): Activity | undefined {
  if (!fields) return undefined;
  const names = isBot ? botFields : Object.keys(activityFields);
  const kept = names.filter(name => fields[name] !== undefined);
  if (!kept.every(name => activityFields[name]?.(fields[name]))) return undefined;
  if (fields.name === undefined || fields.type === undefined) return undefined;
  return Object.fromEntries(kept.map(name => [name, fields[name]])) as unknown as Activity;
}

const nameLengthMax = 128;
const urlLengthMax = 512;
const buttonsMax = 2;
const buttonLabelLengthMax = 32;
const displayTypeMax = 2;

const text: Test = value => isText(value, 0, nameLengthMax);
const url: Test = value => isText(value, 0, urlLengthMax);
const orNull =
  (test: Test): Test =>
  value =>
    value === null || test(value);

/** The fields of an activity and their checks. Only `name` and `type` are required. */
const activityFields: Readonly<Record<string, Test>> = {
  name: value => isText(value, 1, nameLengthMax),
  type: value => isWhole(value) && value <= activityTypeMax,
  url: orNull(url),
  state: orNull(text),
  state_url: orNull(url),
  details: orNull(text),
  details_url: orNull(url),
  timestamps: value => isObject(value, { start: isWhole, end: isWhole }),
  application_id: value => isSnowflake(value),
  status_display_type: orNull(value => isWhole(value) && value <= displayTypeMax),
  emoji: orNull(value => isObject(value, { name: text, id: orNull(id => isSnowflake(id)), animated: isFlag })),
  party: value => isObject(value, { id: text, size: isPartySize }),
  assets: value => Object.values(asRecord(value) ?? { none: undefined }).every(url),
  secrets: value => isObject(value, { join: text, spectate: text, match: text }),
  instance: isFlag,
  flags: isWhole,
  buttons: value => Array.isArray(value) && value.length <= buttonsMax && value.every(isButton),
};

const botFields = ['name', 'state', 'type', 'url'] as const;

function isButton(value: unknown): boolean {
  const { label, url } = asRecord(value) ?? {};
  return isText(label, 1, buttonLabelLengthMax) && isText(url, 1, urlLengthMax);
}

function isPartySize(value: unknown): boolean {
  return Array.isArray(value) && value.length === 2 && value.every(isWhole);
}

/** An object whose present fields all pass their checks. */
function isObject(value: unknown, tests: Readonly<Record<string, Test>>): boolean {
  const fields = asRecord(value);
  if (!fields) return false;
  return Object.entries(tests).every(([name, test]) => fields[name] === undefined || test(fields[name]));
}

function isStatus(value: unknown): value is ClientStatus {
  return (clientStatuses as readonly unknown[]).includes(value);
}

function isFlag(value: unknown): boolean {
  return typeof value === 'boolean';
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isText(value: unknown, min: number, max: number): boolean {
  return typeof value === 'string' && value.length >= min && value.length <= max;
}
