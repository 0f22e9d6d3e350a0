import { fieldErrors } from '../../model/errors/issue.ts';
import { limits } from '../../model/limits/limits.ts';
import { type Attachment, messageFlags } from '../../model/message.ts';
import type { ChannelId } from '../../model/snowflake.ts';
import { randomToken } from '../../wire/clock/ports.ts';
import { asRecord } from '../../wire/http/codec.ts';
import type { Core } from '../core.ts';
import { LruCache } from '../support/lru-cache.ts';
import { RequestError } from '../support/request-error.ts';
import { serviceLimits } from '../support/service-limits.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The message that files are attached to, with its present attachments. */
export interface AttachedTo {
  readonly channel_id: ChannelId;
  readonly flags: number;
  readonly attachments: readonly Attachment[];
}

/** The attachments of a message after its data is applied. @throws RequestError `invalid_form_body` if there are too many */
export type Attach = (data: Fields, to: AttachedTo) => readonly Attachment[];

/**
 * Puts files into the cache and describes them as attachments. Files of a transaction that fails leave the cache in time.
 *
 * @see docs/spec/interactions.md#answers; docs/spec/interactions.md#files
 */
export function createAttach(core: Pick<Core, 'ids' | 'addresses' | 'entropy'>, files: AttachmentCache): Attach {
  function show(file: UploadedFile, described: Described, { channel_id, flags }: AttachedTo): Attachment {
    const id: Attachment['id'] = core.ids.next();
    const { filename = file.name, description } = described;
    const secret = randomToken(core.entropy, 16);
    files.put(id, secret, file);
    const url = `${core.addresses.web}/attachments/${channel_id}/${id}/${encodeURIComponent(filename)}?key=${secret}`;
    return {
      id,
      filename,
      size: file.content.length,
      url,
      proxy_url: url,
      ...(file.type !== '' && { content_type: file.type }),
      ...(description !== undefined && { description }),
      ...((flags & messageFlags.EPHEMERAL) !== 0 && { ephemeral: true }),
    };
  }

  return (data, to) => {
    const listed = listedIn(data);
    const kept = listed ? to.attachments.filter(({ id }) => listed.has(id)) : to.attachments;
    const added = uploadedFiles(data).map(file => show(file, listed?.get(String(file.index)) ?? {}, to));
    if (kept.length + added.length > limits.messageAttachmentsMax) throw tooMany();
    return [...kept, ...added];
  };
}

/** A client's description of a file. */
interface Described {
  readonly filename?: string;
  readonly description?: string;
}

/** By id: that of an existing attachment, or the index of a new file. Undefined if the data has no list. */
function listedIn({ attachments }: Fields): ReadonlyMap<string, Described> | undefined {
  if (!Array.isArray(attachments)) return undefined;
  return new Map(
    attachments.map(item => {
      const { id, filename, description } = asRecord(item) ?? {};
      return [
        String(id),
        {
          ...(typeof filename === 'string' && { filename }),
          ...(typeof description === 'string' && { description }),
        },
      ];
    }),
  );
}

function tooMany(): RequestError {
  const code = 'BASE_TYPE_MAX_LENGTH';
  const message = fieldErrors[code](limits.messageAttachmentsMax);
  return new RequestError('invalid_form_body', {}, [{ path: ['attachments'], code, message }]);
}

/**
 * The files of messages, served to everyone who knows their address.
 *
 * Unspecified: they are kept in memory, up to `serviceLimits.filesKeptBytesMax` in all. The least recently used are removed first, and none
 * survives a restart; messages still name them.
 */
export class AttachmentCache {
  readonly #files = new LruCache<UploadedFile>(serviceLimits.filesKeptBytesMax);

  /** @param secret part of its address, so that the address cannot be guessed */
  put(id: Attachment['id'], secret: string, file: UploadedFile): void {
    this.#files.set(`${id}/${secret}`, file, file.content.length + entryBytes);
  }

  get(id: string, secret: string): UploadedFile | undefined {
    return this.#files.get(`${id}/${secret}`);
  }

  clear(): void {
    this.#files.clear();
  }
}

/** Approximate memory of an empty file. */
const entryBytes = 512;

/** A file of a form. */
export class UploadedFile {
  /** Which entry of the message's `attachments` describes it. */
  readonly index: number;
  readonly name: string;
  /** Its media type; empty if none was sent. */
  readonly type: string;
  readonly content: Uint8Array;

  constructor(index: number, { name, type }: Pick<File, 'name' | 'type'>, content: Uint8Array) {
    this.index = index;
    this.name = name;
    this.type = type;
    this.content = content;
  }
}

/** The files that were uploaded with a message; `files` in its JSON is ignored. */
export function uploadedFiles({ files }: Readonly<Record<string, unknown>>): readonly UploadedFile[] {
  return Array.isArray(files) ? files.filter(file => file instanceof UploadedFile) : [];
}
