import type { CallFile } from '../../../wire/control/act.ts';

/** A file as the control API takes it. */
export async function callFileOf(file: File, name: string): Promise<CallFile> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  let text = '';
  // Arguments of one call are bounded.
  const step = 0x8000;
  for (let i = 0; i < bytes.length; i += step) text += String.fromCharCode(...bytes.subarray(i, i + step));
  return { name, filename: file.name, content: btoa(text), ...(file.type !== '' && { content_type: file.type }) };
}

/** The files of a form, and how `data` names them. */
export async function filesOf(files: readonly File[]): Promise<{
  readonly parts: readonly CallFile[];
  readonly attachments: readonly { readonly id: string; readonly filename: string }[];
}> {
  const parts = await Promise.all(files.map((file, i) => callFileOf(file, `files[${i}]`)));
  return { parts, attachments: files.map((file, i) => ({ id: String(i), filename: file.name })) };
}
