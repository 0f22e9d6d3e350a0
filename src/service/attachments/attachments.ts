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

/** Where the message is that files are attached to, and what it has already. */
export interface AttachedTo {
  readonly channel_id: ChannelId;
  readonly flags: number;
  readonly attachments: readonly Attachment[];
}

/** What a message has attached once its data is taken. @throws RequestError `invalid_form_body` when that is too much */
export type Attach = (data: Fields, to: AttachedTo) => readonly Attachment[];

/**
 * Puts files on the shelf and shows them as attachments. Those of a work that is not kept go from there in their time.
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

/** What a client says of a file. */
interface Described {
  readonly filename?: string;
  readonly description?: string;
}

/** By id, that of an attachment there is or the index of a file; undefined when the data does not list them. */
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
 * The files of messages, for whoever has their address.
 *
 * Our choice: they are kept in memory, up to `serviceLimits.filesKeptBytesMax` in all; newer ones take the place of those that
 * nobody has looked at for longest, and all go with the process. Messages go on naming them.
 */
export class AttachmentCache {
  readonly #files = new LruCache<UploadedFile>(serviceLimits.filesKeptBytesMax);

  /** @param secret what its address ends in, so that nobody guesses it */
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

/** What an empty file takes, about. */
const entryBytes = 512;

/** A file that came with a form. */
export class UploadedFile {
  /** Which entry of the message's `attachments` describes it. */
  readonly index: number;
  readonly name: string;
  /** Its media type, empty when none was said. */
  readonly type: string;
  readonly content: Uint8Array;

  constructor(index: number, { name, type }: Pick<File, 'name' | 'type'>, content: Uint8Array) {
    this.index = index;
    this.name = name;
    this.type = type;
    this.content = content;
  }
}

/** The files that came with a message; none of what its JSON says of itself. */
export function uploadedFiles({ files }: Readonly<Record<string, unknown>>): readonly UploadedFile[] {
  return Array.isArray(files) ? files.filter(file => file instanceof UploadedFile) : [];
}
