import type { Buffer } from 'node:buffer';
import { limits } from '../../model/limits.ts';
import { asRecord } from '../../wire/codec.ts';
import type { Route } from '../../wire/routes.ts';
import { Fault } from '../fault.ts';
import { SentFile } from '../sent-file.ts';

/** Media types of a form that may stand for a JSON body. */
export const formTypes = ['application/x-www-form-urlencoded', 'multipart/form-data'] as const;

export function isFormType(mediaType: string | undefined): boolean {
  return (formTypes as readonly unknown[]).includes(mediaType);
}

/** Fields of such bodies that are whole numbers; all other fields of a form are texts. */
const numbers: ReadonlySet<string> = new Set(['flags', 'type']);

/**
 * Reads a form as the JSON body it stands for: its texts by name over what its field `payload_json` says. Of repeated
 * fields the last counts. Its files come as `files`, a list of {@link SentFile}.
 *
 * @param kind whether the files belong to the body or to its `data`; of a body that is all `texts` no field is a number
 * @throws Fault `invalid_form_body` when it is no such form, `invalid_json`, `request_too_large` when a file is
 * @see lobbies.md 2.11; commands.md 3.4
 */
export async function readFormBody(
  contentType: string,
  bytes: Buffer,
  kind: NonNullable<Route['forms']> = 'body',
): Promise<unknown> {
  const form = await readForm(contentType, bytes);
  const payload = form.get(payloadName);
  const fields = [...form].filter(([name, value]) => name !== payloadName && typeof value === 'string');
  const body = {
    ...(typeof payload === 'string' && readPayload(payload)),
    ...Object.fromEntries(
      fields.map(([name, value]) => [name, kind === 'texts' ? value : readField(name, String(value))]),
    ),
  };
  const files = await filesOf(form);
  if (files.length === 0) return body;
  return kind === 'data' ? { ...body, data: withFiles(body, files) } : { ...body, files };
}

/** @throws Fault `request_too_large` */
async function filesOf(form: FormData): Promise<SentFile[]> {
  const files: SentFile[] = [];
  for (const [name, value] of form) {
    if (typeof value === 'string') continue;
    const [, index = files.length] = /^files\[(\d{1,3})\]$/.exec(name) ?? [];
    if (value.size > limits.attachmentBytesMax) throw new Fault('request_too_large');
    files.push(new SentFile(Number(index), value, new Uint8Array(await value.arrayBuffer())));
  }
  return files;
}

/** What is no object stays, for the rules to refuse. */
function withFiles({ data = {} }: { readonly data?: unknown }, files: readonly SentFile[]): unknown {
  const message = data === null ? {} : asRecord(data);
  return message ? { ...message, files } : data;
}

const payloadName = 'payload_json';

function readField(name: string, text: string): string | number {
  return numbers.has(name) && /^\d{1,15}$/.test(text) ? Number(text) : text;
}

async function readForm(contentType: string, bytes: Buffer): Promise<FormData> {
  try {
    return await new Response(new Uint8Array(bytes), { headers: { 'content-type': contentType } }).formData();
  } catch {
    throw new Fault('invalid_form_body');
  }
}

function readPayload(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return asRecord(JSON.parse(text));
  } catch {
    throw new Fault('invalid_json');
  }
}
