import {
  type Activity,
  activityTypeMax,
  type ClientStatus,
  clientStatuses,
  type PresenceUpdate,
} from '../../../model/presence.ts';
import { isLonger } from '../../../model/rules/field.ts';
import { checkPresence } from '../../../model/rules/social/activity.ts';
import { asRecord } from '../../../wire/http/codec.ts';
import type { WaitingPresence } from '../../store/records.ts';

/** A presence as op 3 of a user carries it; `unknown` leaves the status to the service. */
export type GivenPresence = WaitingPresence;

type Fields = Readonly<Record<string, unknown>>;
type Test = (value: unknown) => boolean;

/**
 * Reads a presence from Identify, or from op 3 of a bot.
 *
 * Unspecified: of an activity the four fields are kept that a bot may set; a field of the wrong shape makes the whole presence malformed. Except for the status, null counts as absent,
 * because clients send it so.
 *
 * @see docs/spec/gateway.md#presence
 */
export function readPresence(value: unknown): PresenceUpdate | 'malformed' {
  const fields = asRecord(value);
  if (!fields || !isStatus(fields.status)) return 'malformed';
  const since = fields.since ?? null;
  const given = fields.activities ?? [];
  const afk = fields.afk ?? false;
  if (!(since === null || isWhole(since)) || typeof afk !== 'boolean' || !Array.isArray(given)) return 'malformed';
  const activities = given.map(activity => readActivity(asRecord(activity)));
  if (activities.includes(undefined)) return 'malformed';
  return { since, status: fields.status, afk, activities: activities.filter(activity => activity !== undefined) };
}

function readActivity(fields: Fields | undefined): Activity | undefined {
  if (!fields) return undefined;
  const kept = Object.keys(activityFields).filter(name => fields[name] !== undefined);
  if (!kept.every(name => activityFields[name]?.(fields[name]))) return undefined;
  if (fields.name === undefined || fields.type === undefined) return undefined;
  return Object.fromEntries(kept.map(name => [name, fields[name]])) as unknown as Activity;
}

const nameLengthMax = 128;
const urlLengthMax = 512;

/** The fields of a bot's activity and their checks. Only `name` and `type` are required. */
const activityFields: Readonly<Record<string, Test>> = {
  name: value => isText(value, 1, nameLengthMax),
  state: value => value === null || isText(value, 0, nameLengthMax),
  type: value => isWhole(value) && value <= activityTypeMax,
  url: value => value === null || isText(value, 0, urlLengthMax),
};

/**
 * Reads op 3 of a player's session or a user's own client; a text says what is wrong.
 *
 * Unspecified: except for the status, null counts as absent, because clients send it so.
 *
 * @see docs/spec/social.md#presence
 */
export function readUserPresence(value: unknown): GivenPresence | string {
  const [issue] = checkPresence(value);
  if (issue) return reasonOf(`${['presence', ...issue.path].join('.')}: ${issue.message}`);
  const { since, activities, status, afk } = value as Partial<GivenPresence> & Pick<GivenPresence, 'status'>;
  return { status, since: since == null ? null : Number(since), activities: activities ?? [], afk: afk ?? false };
}

/** A close frame carries at most 123 bytes of a reason. */
function reasonOf(text: string): string {
  return text.replace(/[^ -~]/g, '?').slice(0, 120);
}

function isStatus(value: unknown): value is ClientStatus {
  return (clientStatuses as readonly unknown[]).includes(value);
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isText(value: unknown, min: 0 | 1, max: number): boolean {
  return typeof value === 'string' && value.length >= min && !isLonger(value, max) && value.isWellFormed();
}
