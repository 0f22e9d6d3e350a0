import cookie from '@fastify/cookie';
import fastify from 'fastify';
import { createNegotiator } from '../src/model/rules/locales/requester-locale.ts';
import { decodeEtf } from '../src/service/gateway/connection/etf/decode.ts';
import { parseLargeJson } from '../src/service/http/body/large-json.ts';
import { parseMultipart } from '../src/service/http/body/multipart.ts';
import { parseForm, parseQuery } from '../src/service/http/body/url-encoded.ts';
import { intakeLimits } from '../src/service/support/service-limits.ts';
import { type BenchRow, median } from './row.ts';

/**
 * What reads a stranger's bytes, each on the worst input we know for it: the largest that is taken against half of that. Twice
 * the bytes take twice the time, or the time is not linear; the goal leaves room for noise. `ours` says the time of one byte, too.
 */
export async function run(): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const [name, bytes, make, read, growthMax = growthMaxDefault] of parsers) {
    const whole = make(bytes);
    const half = make(bytes / 2);
    const rounds: { readonly whole: number; readonly half: number }[] = [];
    for (let round = 0; round < roundCount; round++)
      rounds.push({ whole: await time(read, whole), half: await time(read, half) });
    const ratio = median(rounds.map(one => one.whole / one.half));
    const nanoseconds = median(rounds.map(one => one.whole)) / bytes;
    rows.push({
      name: `${name}, ${bytes / 1024} KiB`,
      ours: `${nanoseconds.toFixed(1)} ns a byte`,
      peer: `half of it: ${((2 * median(rounds.map(one => one.half))) / bytes).toFixed(1)} ns a byte`,
      ratio,
      goal: `≤ ${growthMax}; ≤ ${nanosecondsMax} ns a byte`,
      ok: ratio <= growthMax && nanoseconds <= nanosecondsMax,
    });
  }
  return rows;
}

const roundCount = 9;
const turnMs = 40;
const growthMaxDefault = 2.6;
/** The constant that holds for all of them: 64 KiB take 20 ms at most. */
const nanosecondsMax = 300;

type Read = (text: string) => unknown;
type Make = (bytes: number) => string;
type Parser = readonly [name: string, bytes: number, make: Make, read: Read, growthMax?: number];

const kibibytes = (count: number) => count * 1024;
const fill = (unit: string) => (bytes: number) => unit.repeat(bytes / unit.length);
const negotiate = createNegotiator(['en-US', 'de']);
const multipart = (text: string) => parseMultipart('multipart/form-data; boundary=x', Buffer.from(text));
const part = '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n';

const site = fastify();
await site.register(cookie);
const readCookies: Read = text => site.parseCookie(text);

const parsers: readonly Parser[] = [
  ['form, empty fields', kibibytes(64), fill('a&'), parseForm],
  ['form, escapes', kibibytes(64), fill('%ff%f'), parseForm],
  ['form, one field of escapes', kibibytes(64), fill('%c3%a9'), parseForm],
  ['query, empty fields', kibibytes(16), bytes => `?${fill('a&')(bytes)}`, parseQuery],
  ['cookies', kibibytes(16), fill('a=%ff;'), readCookies],
  ['accept-language', kibibytes(16), fill('de;q=0.1,'), negotiate],
  ['accept-language, parameters', kibibytes(16), fill(';'), negotiate],
  [
    'JSON, nested',
    intakeLimits.jsonPortionBytes,
    bytes => '['.repeat(bytes / 2) + ']'.repeat(bytes / 2),
    JSON.parse,
    // Half of it fits into the garbage collector's nursery and costs half as much for each byte; from there on it is linear.
    4.5,
  ],
  [
    'JSON, names that differ',
    intakeLimits.jsonPortionBytes,
    bytes => list(bytes, number => `{"${number}k":1}`),
    JSON.parse,
  ],
  [
    'JSON, large, objects',
    kibibytes(4096),
    bytes => list(bytes, number => `{"a":"${number}${'.'.repeat(30)}","b":[]}`),
    large,
  ],
  ['JSON, large, escapes', kibibytes(4096), bytes => `["${fill('\\n')(bytes)}"]`, large],
  ['multipart, line breaks', kibibytes(16_384), bytes => part + fill('\r\n')(bytes), multipart],
  ['multipart, delimiters', kibibytes(16_384), bytes => part + fill('\r\n--')(bytes), multipart],
  [
    'ETF, lists',
    4096,
    bytes => `\x83${'l\0\0\0\x01'.repeat(bytes / 5)}`,
    text => decodeEtf(Buffer.from(text, 'latin1')),
  ],
  [
    'ETF, a large number',
    256,
    bytes => `\x83n${String.fromCharCode(bytes - 1)}\0${'\x7f'.repeat(bytes - 1)}`,
    text => decodeEtf(Buffer.from(text, 'latin1')),
  ],
];

function large(text: string): Promise<unknown> {
  return parseLargeJson(Buffer.from(text), JSON.parse).catch(() => undefined);
}

function list(bytes: number, item: (number: number) => string): string {
  const items: string[] = [];
  for (let size = 0, number = 0; size < bytes; number++) {
    const text = item(number);
    size += text.length + 1;
    items.push(text);
  }
  return `[${items.join(',')}]`;
}

/** Nanoseconds of the processor, of as many times as its clock needs to tell them apart. */
async function time(read: Read, text: string): Promise<number> {
  const endMs = performance.now() + turnMs;
  const before = process.threadCpuUsage();
  let times = 0;
  do {
    await read(text);
    times++;
  } while (performance.now() < endMs);
  const { user, system } = process.threadCpuUsage(before);
  return ((user + system) * 1000) / times;
}
