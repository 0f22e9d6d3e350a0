import { ArgumentError } from '../../model/errors/errors.ts';
import type { Issue } from '../../model/errors/issue.ts';
import { componentLimits } from '../../model/limits/component-limits.ts';
import { limits } from '../../model/limits/limits.ts';
import { checkItems, checkList, checkRequiredText, checkText, type Fields, isAbsent } from '../../model/rules/field.ts';
import { Report } from '../../model/rules/report.ts';
import type { EncodedBody } from '../../wire/http/http.ts';

/** A file that is sent with a message. */
export interface MessageFile {
  /** 1 to `limits.attachmentNameLengthMax` characters. Embeds and components of the message refer to the file as `attachment://` and this name. */
  readonly name: string;
  /** At most as many bytes as the interaction's `attachment_size_limit`. Text is sent in UTF-8. */
  readonly content: string | Uint8Array;
  /** The media type. Default: `text/plain` for text, `application/octet-stream` for bytes. */
  readonly type?: string | undefined;
  /** Describes the file to users who cannot see it: at most `componentLimits.mediaDescriptionLengthMax` characters. */
  readonly description?: string | undefined;
}

/** The data of a message without its files, the files, and what is wrong with them. */
interface SplitMessage<Data> {
  readonly data: Data;
  readonly files: readonly MessageFile[];
  readonly issues: readonly Issue[];
}

/**
 * Takes the files out of a message. Its `attachments` then describe the files by index, after those attachments that an edit
 * keeps.
 *
 * @param bytesMax of each file
 * @see docs/spec/interactions.md#files
 */
export function splitMessage<Data extends object>(
  message: Data,
  bytesMax: number = limits.attachmentBytesMax,
): SplitMessage<Data> {
  const { files, attachments, ...data } = message as Data & Fields;
  if (isAbsent(files)) return { data: message, files: [], issues: [] };
  const report = new Report();
  if (checkList(report, 'files', files, limits.messageAttachmentsMax)) {
    checkItems(report, 'files', files, limits.messageAttachmentsMax, (at, file) => checkFile(at, file, bytesMax));
  }
  const { issues } = report;
  if (issues.length > 0) return { data: data as unknown as Data, files: [], issues };
  const checked = files as readonly MessageFile[];
  const kept = Array.isArray(attachments) ? attachments : [];
  return {
    data: { ...data, attachments: [...kept, ...checked.map(describe)] } as unknown as Data,
    files: checked,
    issues,
  };
}

function checkFile(report: Report, { name, content, type, description }: Fields, bytesMax: number): void {
  checkRequiredText(report, 'name', name, limits.attachmentNameLengthMax);
  if (typeof content !== 'string' && !(content instanceof Uint8Array)) report.at('content', 'STRING_TYPE_CONVERT');
  else if (Buffer.byteLength(content) > bytesMax) report.at('content', 'BASE_TYPE_MAX_LENGTH', bytesMax);
  if (!isAbsent(type) && (typeof type !== 'string' || !mediaType.test(type))) report.at('type', 'STRING_TYPE_REGEX');
  if (!isAbsent(description)) {
    checkText(report, 'description', description, 0, componentLimits.mediaDescriptionLengthMax);
  }
}

// Anything else would be dropped without an error.
const mediaType = /^[\x20-\x7e]*$/;

function describe({ name, description }: MessageFile, index: number): object {
  return { id: String(index), filename: name, ...(description !== undefined && { description }) };
}

/** The body of a call, as JSON or, with files, as a form of several parts. @throws ArgumentError `unencodable_body` */
export async function encodeAnswer(
  json: unknown,
  files: readonly MessageFile[],
): Promise<{ readonly body: unknown } | { readonly encodedBody: EncodedBody }> {
  if (files.length === 0) return { body: json };
  const form = new FormData();
  form.set('payload_json', encodeJson(json));
  files.forEach(({ name, content, type = defaultType(content) }, i) => {
    form.set(`files[${i}]`, new Blob([content as BlobPart], { type }), name);
  });
  const encoded = new Response(form);
  return {
    encodedBody: { type: encoded.headers.get('content-type') ?? '', content: await encoded.arrayBuffer() },
  };
}

function defaultType(content: MessageFile['content']): string {
  return typeof content === 'string' ? 'text/plain' : 'application/octet-stream';
}

/** @throws ArgumentError `unencodable_body` */
export function encodeJson(answer: unknown): string {
  try {
    return JSON.stringify(answer);
  } catch {
    throw new ArgumentError(
      'unencodable_body',
      'The answer cannot be encoded as JSON: it contains a bigint or a cycle.',
    );
  }
}
