import { asRecord } from '../http/codec.ts';
import { type AnswerHeaders, headerOf } from '../http/transport.ts';

/** What a response says about the rate limits that counted it. Times in milliseconds. */
export interface LimitReport {
  /** Absent when the answer carries no bucket. */
  readonly bucket?: BucketReport;
  /** Present on a 429. */
  readonly refusal?: Refusal;
}

export interface BucketReport {
  /** Opaque; several routes can share one. */
  readonly id: string;
  /** Calls a window allows. */
  readonly limit: number;
  /** Calls left in the current window. */
  readonly remaining: number;
  /** When the current window ends, by the service's clock: identifies the window. */
  readonly resetMs: number;
  /** How long from now the current window lasts. */
  readonly resetAfterMs: number;
}

/**
 * Who used the limit up: this credential on this route (`user`), on all routes (`global`), or everybody on this
 * resource together (`shared`).
 */
export type RejectionScope = 'user' | 'global' | 'shared';

export interface Refusal {
  readonly scope: RejectionScope;
  readonly retryAfterMs: number;
}

// The longest window of the interface. What says more is broken, and must not silence a caller for years.
const durationMsMax = 24 * 60 * 60_000;

/**
 * Reads the limits out of an answer; whatever is missing or not a number counts as absent.
 *
 * @param body the parsed body; only a 429's is looked at
 * @param unnamedMs how long to wait after a 429 that names no time, such as one of a proxy
 * @see docs/spec/limits.md#headers; docs/spec/limits.md#the-body-of-a-429
 */
export function readLimits(status: number, headers: AnswerHeaders, body: unknown, unnamedMs = 1_000): LimitReport {
  const bucket = readBucket(headers);
  return {
    ...(bucket ? { bucket } : {}),
    ...(status === 429 ? { refusal: readRefusal(headers, body, unnamedMs) } : {}),
  };
}

function readBucket(headers: AnswerHeaders): BucketReport | undefined {
  const id = headerOf(headers, 'x-ratelimit-bucket');
  const limit = numberOf(headers, 'x-ratelimit-limit');
  const remaining = numberOf(headers, 'x-ratelimit-remaining');
  const reset = numberOf(headers, 'x-ratelimit-reset');
  const resetAfter = numberOf(headers, 'x-ratelimit-reset-after');
  if (id === undefined || !limit || remaining === undefined || reset === undefined || resetAfter === undefined) return;
  return { id, limit, remaining, resetMs: toMs(reset), resetAfterMs: durationMs(resetAfter) };
}

function readRefusal(headers: AnswerHeaders, body: unknown, unnamedMs: number): Refusal {
  const told = asRecord(body);
  const retryAfter = longer(told?.retry_after, numberOf(headers, 'retry-after') ?? secondsToDate(headers));
  const scope = headerOf(headers, 'x-ratelimit-scope');
  const isGlobal = scope === 'global' || told?.global === true || headers['x-ratelimit-global'] !== undefined;
  return {
    scope: isGlobal ? 'global' : scope === 'shared' ? 'shared' : 'user',
    retryAfterMs: retryAfter === undefined ? unnamedMs : durationMs(retryAfter),
  };
}

/** Of two that disagree the longer one. The header has whole seconds, so one that only rounds the body's up does not disagree. */
function longer(inBody: unknown, inHeader: number | undefined): number | undefined {
  if (!isCount(inBody)) return inHeader;
  return inHeader !== undefined && inHeader > Math.ceil(inBody) ? inHeader : inBody;
}

/** The wait until a date, which proxies may send: by the sender's clock, because ours may differ (RFC 9110, section 10.2.3). */
function secondsToDate(headers: AnswerHeaders): number | undefined {
  const seconds = (dateMsOf(headers, 'retry-after') - dateMsOf(headers, 'date')) / 1000;
  return seconds > 0 ? seconds : undefined;
}

/** The date that a header holds, in milliseconds since the Unix epoch; NaN without one. */
export function dateMsOf(headers: AnswerHeaders, name: string): number {
  const text = headerOf(headers, name) ?? '';
  return httpDate.test(text) ? Date.parse(text) : Number.NaN;
}

// The one form that is not obsolete (RFC 9110, section 5.6.7).
const httpDate = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/;

function numberOf(headers: AnswerHeaders, name: string): number | undefined {
  const text = headerOf(headers, name);
  const value = text ? Number(text) : Number.NaN;
  return isCount(value) ? value : undefined;
}

// The interface gives milliseconds as decimal places of seconds, which doubles do not all hold.
function toMs(seconds: number): number {
  return Math.round(seconds * 1000);
}

function durationMs(seconds: number): number {
  return Math.min(toMs(seconds), durationMsMax);
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}
