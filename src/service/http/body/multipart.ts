import { Buffer } from 'node:buffer';
import querystring from 'node:querystring';
import { setImmediate } from 'node:timers';
import { intakeLimits } from '../../support/service-limits.ts';

/** One part of a multipart form; its content is a view of the body's bytes. */
export interface Part {
  readonly name: string;
  /** The name of a file; undefined for a text field. */
  readonly filename: string | undefined;
  /** The media type of the part; empty if it has none. */
  readonly type: string;
  readonly content: Buffer;
}

/**
 * Parses `multipart/form-data` with one search for each delimiter, with pauses, without copying.
 *
 * @returns undefined if it is malformed, or has more than `intakeLimits.formPartsMax` parts
 * @see RFC 7578; RFC 2046, section 5.1
 */
export async function parseMultipart(contentType: string, bytes: Buffer): Promise<readonly Part[] | undefined> {
  const boundary = boundaryOf(contentType);
  if (boundary === undefined) return undefined;
  const opening = Buffer.from(`--${boundary}`);
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  // Text before the first delimiter is ignored.
  const first = await find(bytes, opening, 0);
  if (first < 0) return undefined;
  const parts: Part[] = [];
  for (let at = first + opening.length; !isLast(bytes, at); ) {
    const start = lineEnd(bytes, at);
    const end = start === undefined ? -1 : await find(bytes, delimiter, start - lineBreak.length);
    if (start === undefined || end < 0 || parts.length === intakeLimits.formPartsMax) return undefined;
    const part = readPart(bytes.subarray(start, Math.max(start, end)));
    if (!part) return undefined;
    parts.push(part);
    at = end + delimiter.length;
  }
  return parts;
}

const lineBreak = Buffer.from('\r\n');
const headEnd = Buffer.from('\r\n\r\n');

const windowBytes = 2 * 1024 * 1024;

/** The index of the needle from `start` on, or -1. Yields to the event loop after every two megabytes. */
async function find(bytes: Buffer, needle: Buffer, start: number): Promise<number> {
  for (let from = start; ; from += windowBytes) {
    const end = from + windowBytes + needle.length - 1;
    const found = bytes.subarray(from, end).indexOf(needle);
    if (found >= 0) return from + found;
    if (end >= bytes.length) return -1;
    await new Promise(resolve => setImmediate(resolve));
  }
}

/** 1 to 70 characters. @see RFC 2046, section 5.1.1 */
function boundaryOf(contentType: string): string | undefined {
  const [, quoted, bare] = /;\s*boundary=(?:"([^"\r\n]{1,70})"|([^\s;"]{1,70})(?=[\s;]|$))/i.exec(contentType) ?? [];
  return quoted ?? bare;
}

function isLast(bytes: Buffer, at: number): boolean {
  return bytes[at] === 0x2d && bytes[at + 1] === 0x2d;
}

/** The position after the whitespace and the line break at `at`. */
function lineEnd(bytes: Buffer, at: number): number | undefined {
  let end = at;
  while (bytes[end] === 0x20 || bytes[end] === 0x09) end++;
  return bytes[end] === 0x0d && bytes[end + 1] === 0x0a ? end + lineBreak.length : undefined;
}

function readPart(bytes: Buffer): Part | undefined {
  const head = bytes.subarray(0, intakeLimits.formPartHeadBytesMax);
  const end = head.indexOf(headEnd);
  if (end < 0) return undefined;
  const fields = new Map<string, string>();
  for (const line of head.toString('utf8', 0, end).split('\r\n')) {
    const colon = line.indexOf(':');
    if (colon > 0) fields.set(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim());
  }
  const disposition = fields.get('content-disposition') ?? '';
  const name = /^form-data\b/i.test(disposition) ? parameter(disposition, 'name') : undefined;
  if (name === undefined) return undefined;
  return {
    name,
    filename: filenameOf(disposition),
    type: fields.get('content-type') ?? '',
    content: bytes.subarray(end + headEnd.length),
  };
}

/** Names beyond ASCII have a second, encoded form. @see RFC 5987, section 3.2 */
function filenameOf(disposition: string): string | undefined {
  const [, encoded] = /;\s*filename\*=utf-8'[^']*'([^\s;]+)/i.exec(disposition) ?? [];
  return encoded === undefined ? parameter(disposition, 'filename') : querystring.unescape(encoded);
}

/** Characters that cannot stand between quotation marks are escaped. @see https://html.spec.whatwg.org/#multipart-form-data */
function parameter(disposition: string, name: string): string | undefined {
  const [, quoted, bare] = new RegExp(`;\\s*${name}=(?:"([^"]*)"|([^\\s;"]+))`, 'i').exec(disposition) ?? [];
  return quoted === undefined ? bare : quoted.replace(/%(?:0A|0D|22)/gi, decodeURIComponent);
}
