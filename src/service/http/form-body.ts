import type { Buffer } from 'node:buffer';
import { asRecord } from '../../wire/codec.ts';
import { Fault } from '../fault.ts';

/** Media types of a form that may stand for a JSON body. */
export const formTypes = ['application/x-www-form-urlencoded', 'multipart/form-data'] as const;

export function isFormType(mediaType: string | undefined): boolean {
  return (formTypes as readonly unknown[]).includes(mediaType);
}

/** Fields of such bodies that are whole numbers; all other fields of a form are texts. */
const numbers: ReadonlySet<string> = new Set(['flags', 'type']);

/**
 * Reads a form as the JSON body it stands for: its texts by name over what its field `payload_json` says. Of repeated
 * fields the last counts; files are passed over.
 *
 * @throws Fault `invalid_form_body` when it is no such form, `invalid_json`
 * @see lobbies.md 2.11; commands.md 3.4
 */
export async function readFormBody(contentType: string, bytes: Buffer): Promise<unknown> {
  const form = await readForm(contentType, bytes);
  const payload = form.get(payloadName);
  const fields = [...form].filter(([name, value]) => name !== payloadName && typeof value === 'string');
  return {
    ...(typeof payload === 'string' && readPayload(payload)),
    ...Object.fromEntries(fields.map(([name, value]) => [name, readField(name, String(value))])),
  };
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
