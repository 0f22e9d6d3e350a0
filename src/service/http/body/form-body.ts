import type { Buffer } from 'node:buffer';
import { fieldErrors } from '../../../model/errors/field-errors.ts';
import { limits } from '../../../model/limits/limits.ts';
import { isLonger } from '../../../model/rules/field.ts';
import { asRecord } from '../../../wire/http/codec.ts';
import type { Route } from '../../../wire/routes.ts';
import { UploadedFile } from '../../attachments/attachments.ts';
import { invalidBody, RequestError } from '../../support/request-error.ts';
import { type Part, parseMultipart } from './multipart.ts';
import { parseForm } from './url-encoded.ts';

/** Fields of forms in place of JSON that are integers; all others are texts. */
const numbers: ReadonlySet<string> = new Set(['flags', 'type']);

/**
 * Reads a form as the JSON body that it replaces: the object in `payload_json`, overwritten by the other text fields. The last of
 * several fields with one name counts. Files become `files`, a list of {@link UploadedFile}.
 *
 * @param kind whether the files belong to the body or to its `data`; with `texts` no field is a number
 * @throws RequestError `invalid_form_body` for a malformed form, `invalid_json`, `request_too_large` for a file
 * @see docs/spec/lobbies.md#send-a-message; docs/spec/interactions.md#after-the-answer
 */
export async function readFormBody(
  contentType: string,
  bytes: Buffer,
  kind: NonNullable<Route['forms']> = 'body',
): Promise<unknown> {
  const { texts, files: parts } = await readForm(contentType, bytes);
  const payload = texts.get(payloadName);
  const body = { ...(payload !== undefined && readPayload(payload)) };
  for (const [name, text] of texts) {
    if (name !== payloadName) set(body, name, kind === 'texts' ? text : readField(name, text));
  }
  if (parts.length === 0) return body;
  const files = filesOf(parts);
  return kind === 'data' ? { ...body, data: withFiles(body, files) } : { ...body, files };
}

/** Defined rather than assigned, because `__proto__` is a field name like any other. */
function set(body: object, name: string, value: unknown): void {
  Object.defineProperty(body, name, { value, writable: true, enumerable: true, configurable: true });
}

/** @throws RequestError `request_too_large`, `invalid_form_body` for the name of a file */
function filesOf(parts: readonly Part[]): UploadedFile[] {
  return parts.map(({ name, filename = '', type, content }, place) => {
    const [, index = place] = /^files\[(\d{1,3})\]$/.exec(name) ?? [];
    if (content.length > limits.attachmentBytesMax) throw new RequestError('request_too_large');
    const max = limits.attachmentNameLengthMax;
    if (isLonger(filename, max)) {
      const code = 'BASE_TYPE_MAX_LENGTH';
      throw invalidBody([{ path: [name], code, message: fieldErrors[code](max) }]);
    }
    // A copy, because a view would keep the whole body in memory as long as the file.
    return new UploadedFile(Number(index), { name: filename, type: mediaTypeOf(type) }, new Uint8Array(content));
  });
}

/** A file without a media type is text, as in browsers. */
function mediaTypeOf(type: string): string {
  if (type === '') return 'text/plain';
  return /^[\x20-\x7e]*$/.test(type) ? type.toLowerCase() : '';
}

/** Values that are not objects stay as they are; the rules reject them. */
function withFiles({ data = {} }: { readonly data?: unknown }, files: readonly UploadedFile[]): unknown {
  const message = data === null ? {} : asRecord(data);
  return message ? { ...message, files } : data;
}

const payloadName = 'payload_json';

function readField(name: string, text: string): string | number {
  return numbers.has(name) && /^\d{1,15}$/.test(text) ? Number(text) : text;
}

/** Text fields by name, the last of each, and files. */
interface Form {
  readonly texts: ReadonlyMap<string, string>;
  readonly files: readonly Part[];
}

async function readForm(contentType: string, bytes: Buffer): Promise<Form> {
  const isMultipart = /^\s*multipart\//i.test(contentType);
  const parts = isMultipart ? await parseMultipart(contentType, bytes) : undefined;
  const texts = isMultipart ? parts?.filter(isText).map(readText) : parseForm(bytes.toString());
  if (!texts) throw new RequestError('invalid_form_body');
  return { texts: new Map(texts), files: parts?.filter(part => !isText(part)) ?? [] };
}

function isText({ filename }: Part): boolean {
  return filename === undefined;
}

function readText({ name, content }: Part): readonly [string, string] {
  return [name, content.toString()];
}

function readPayload(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return asRecord(JSON.parse(text));
  } catch {
    throw new RequestError('invalid_json');
  }
}
