import { ArgumentError } from './errors/errors.ts';

/**
 * A unique id as decimal text: an unsigned 64-bit number that carries its creation time in the upper 42 bits.
 * Ids of different resources do not mix: the brand names the resource.
 *
 * @see docs/spec/http.md#ids
 */
export type Snowflake<Resource extends string = string> = string & { readonly __snowflake?: Resource };

export type ApplicationId = Snowflake<'application'>;
export type UserId = Snowflake<'user'>;
export type GuildId = Snowflake<'guild'>;
export type ChannelId = Snowflake<'channel'>;
export type RoleId = Snowflake<'role'>;
export type CommandId = Snowflake<'command'>;
export type LobbyId = Snowflake<'lobby'>;
export type MessageId = Snowflake<'message'>;
export type InteractionId = Snowflake<'interaction'>;

/** Milliseconds between the Unix epoch and the first instant a snowflake can name (2015-01-01T00:00:00Z). */
export const snowflakeEpochMs = 1_420_070_400_000;

/** The largest id the interface accepts in a request: 2^63 − 1. */
export const snowflakeMax = 9_223_372_036_854_775_807n;

/** The last instant an id can carry, in milliseconds since the Unix epoch (in September 2084). */
export const snowflakeTimeMsMax = Number(snowflakeMax >> 22n) + snowflakeEpochMs;

const longest = snowflakeMax.toString();
const zero = '0'.charCodeAt(0);

/** True for decimal text from 0 to {@link snowflakeMax}, without sign, blanks or leading zeros. */
export function isSnowflake<Resource extends string = string>(value: unknown): value is Snowflake<Resource> {
  if (typeof value !== 'string' || !isDecimal(value)) return false;
  return value.length < longest.length || value <= longest;
}

// Every id that comes in is looked at, and a regular expression takes twice as long.
function isDecimal(text: string): boolean {
  if (text.length === 0 || text.length > longest.length) return false;
  for (let at = 0; at < text.length; at++) {
    const digit = text.charCodeAt(at) - zero;
    if (digit < 0 || digit > 9) return false;
  }
  return text.length === 1 || text.charCodeAt(0) !== zero;
}

/**
 * Takes the forms the interface accepts for an id (decimal text, or a whole number that a double holds exactly)
 * and gives decimal text, or undefined when it is not an id.
 */
export function readSnowflake<Resource extends string = string>(value: unknown): Snowflake<Resource> | undefined {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return String(value);
  return isSnowflake(value) ? (value as Snowflake<Resource>) : undefined;
}

/**
 * Gives the id as decimal text.
 *
 * @param value decimal text, or a bigint from 0 to {@link snowflakeMax}; a number is rejected because it loses digits
 * @throws ArgumentError `invalid_snowflake`
 */
export function parseSnowflake<Resource extends string>(value: string | bigint, name = 'id'): Snowflake<Resource> {
  const text = typeof value === 'bigint' ? value.toString() : value;
  if (!isSnowflake(text)) {
    const shown = typeof text === 'string' ? JSON.stringify(text) : String(text);
    throw new ArgumentError('invalid_snowflake', `${name} must be an id below 2^63, as text (got ${shown}).`);
  }
  return text as Snowflake<Resource>;
}

/** Negative, zero or positive, as `a` was created before, is, or was created after `b`. */
export function compareSnowflakes(a: Snowflake, b: Snowflake): number {
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : a > b ? 1 : 0;
}

/** When the id was made, in milliseconds since the Unix epoch. */
export function snowflakeTimeMs(id: Snowflake): number {
  return Number(BigInt(id) >> 22n) + snowflakeEpochMs;
}
