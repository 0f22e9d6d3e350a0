import { type CommandOption, optionTypes } from '../../model/command.ts';
import { type Component, componentTypes } from '../../model/component.ts';
import { fieldErrors } from '../../model/errors/field-errors.ts';
import type { Issue } from '../../model/errors/issue.ts';
import type { OptionValue, ResolvedData } from '../../model/interaction.ts';
import { limits } from '../../model/limits/limits.ts';
import { type Attachment, messageFlags } from '../../model/message.ts';
import { takesFile } from '../../model/rules/components/file-type.ts';
import type { GivenInput } from '../../model/rules/components/modal-layout.ts';
import { isFields } from '../../model/rules/field.ts';
import type { ChannelId, Snowflake, UserId } from '../../model/snowflake.ts';
import { randomToken } from '../../wire/clock/ports.ts';
import { asRecord } from '../../wire/http/codec.ts';
import type { Core } from '../core.ts';
import type { FileStore, ServedFile } from '../store/files.ts';
import type { MaybePromise } from '../support/maybe-promise.ts';
import { invalidBody, type RequestError, rejectIssues } from '../support/request-error.ts';
import { hashSecret } from '../support/secret.ts';
import { serviceLimits } from '../support/service-limits.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The message that files are attached to, with its present attachments. */
export interface AttachedTo {
  /** Who sends the files: the application, or the user who uploads them. */
  readonly owner: Snowflake;
  readonly channel_id: ChannelId;
  readonly flags: number;
  readonly attachments: readonly Attachment[];
}

/** The attachments of a message after its data is applied. @throws RequestError `invalid_form_body` if there are too many */
export type Attach = (data: Fields, to: AttachedTo) => readonly Attachment[];

/** Under what a file is stored, and is found by its address. */
interface Place {
  readonly id: Attachment['id'];
  /** Part of the address, so that it cannot be guessed. */
  readonly secret: string;
}

/**
 * Stores files and describes them as attachments. Those of a transaction that fails are deleted in time.
 *
 * @see docs/spec/interactions.md#answers; docs/spec/interactions.md#files
 */
export function createAttach(core: Pick<Core, 'addresses'>, files: MessageFiles): Attach {
  function show(file: UploadedFile, described: Described, { channel_id, flags, owner }: AttachedTo): Attachment {
    const filename = nameOf(file, described);
    const { description } = described;
    const { id, secret } = files.place(file, owner);
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
    const kept = keptOf(listed, to.attachments);
    const added = uploadedFiles(data).map(file => show(file, listed?.get(String(file.index)) ?? {}, to));
    if (kept.length + added.length > limits.messageAttachmentsMax) throw tooMany();
    return [...kept, ...added];
  };
}

/** The names that `attachment://` addresses in a message can use once the data, which may be invalid, is applied to it. */
export function attachmentNames(data: unknown, attachments: readonly Attachment[] = []): ReadonlySet<string> {
  if (!isFields(data)) return new Set();
  const listed = listedIn(data);
  const kept = keptOf(listed, attachments).map(({ filename }) => filename);
  const added = uploadedFiles(data).map(file => nameOf(file, listed?.get(String(file.index))));
  return new Set([...kept, ...added]);
}

type Listed = ReadonlyMap<string, Described> | undefined;

function keptOf(listed: Listed, attachments: readonly Attachment[]): readonly Attachment[] {
  return listed ? attachments.filter(({ id }) => listed.has(id)) : attachments;
}

function nameOf(file: UploadedFile, { filename }: Described = {}): string {
  return filename === undefined ? file.name : safeName(filename);
}

/** The name as a segment of an address, which cannot be empty or lead elsewhere, and as text of PostgreSQL, which has no NUL. */
function safeName(name: string): string {
  const shown = name.replaceAll('\0', '');
  return /^\.{0,2}$/.test(shown) ? 'file' : shown;
}

/** A client's description of a file. */
interface Described {
  readonly filename?: string;
  readonly description?: string;
}

/** By id: that of an existing attachment, or the index of a new file. Undefined if the data has no list. */
function listedIn({ attachments }: Fields): Listed {
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
  return invalidBody([{ path: ['attachments'], code, message }]);
}

/** The files of messages, served to everyone who knows their address. */
export interface MessageFiles {
  /** Stores the files of a body where that takes time; called before the transaction that attaches them. */
  readonly receive?: ((body: unknown, ownerOf: () => MaybePromise<string>) => Promise<void>) | undefined;
  /** Where the file is; stores it unless {@link receive} has done so. */
  place(file: UploadedFile, owner: string): Place;
  get(id: string, secret: string): MaybePromise<ServedFile | undefined>;
  clear(): void;
}

/** Opens the files of a service on its own, or of a cluster. */
export function openMessageFiles(core: Pick<Core, 'ids' | 'entropy' | 'files'>): MessageFiles {
  return core.files ? sharedFiles(core, core.files) : new AttachmentCache(core);
}

function newPlace({ ids, entropy }: Pick<Core, 'ids' | 'entropy'>): Place {
  return { id: ids.next(), secret: randomToken(entropy, 16) };
}

/** The files of one owner, the least recently used first. */
interface OwnedFiles {
  readonly files: Map<string, UploadedFile>;
  bytes: number;
}

/**
 * Unspecified: a service on its own keeps them in memory, up to `serviceLimits.filesKeptBytesPerOwnerMax` of one owner, and
 * `filesKeptBytesMax` in all. The least recently used of the owner who has the most are removed first, and none survives a restart;
 * messages still name them.
 */
class AttachmentCache implements MessageFiles {
  readonly #core: Pick<Core, 'ids' | 'entropy'>;
  readonly #owners = new Map<string, OwnedFiles>();
  readonly #ownerOf = new Map<string, string>();
  #bytes = 0;

  constructor(core: Pick<Core, 'ids' | 'entropy'>) {
    this.#core = core;
  }

  place(file: UploadedFile, owner: string): Place {
    const { id, secret } = newPlace(this.#core);
    const key = `${id}/${secret}`;
    const owned = this.#owners.get(owner) ?? { files: new Map(), bytes: 0 };
    this.#owners.set(owner, owned);
    owned.files.set(key, file);
    this.#ownerOf.set(key, owner);
    this.#count(owned, bytesOf(file));
    while (owned.bytes > serviceLimits.filesKeptBytesPerOwnerMax) this.#removeOldest(owner, owned);
    while (this.#bytes > serviceLimits.filesKeptBytesMax) this.#removeOldest(...this.#largest());
    return { id, secret };
  }

  get(id: string, secret: string): ServedFile | undefined {
    const key = `${id}/${secret}`;
    const owned = this.#owners.get(this.#ownerOf.get(key) ?? '');
    const file = owned?.files.get(key);
    if (!owned || !file) return undefined;
    owned.files.delete(key);
    owned.files.set(key, file);
    return { type: file.type, size: file.content.length, pieces: [file.content] };
  }

  clear(): void {
    this.#owners.clear();
    this.#ownerOf.clear();
    this.#bytes = 0;
  }

  #largest(): [owner: string, owned: OwnedFiles] {
    return [...this.#owners].reduce((largest, one) => (one[1].bytes > largest[1].bytes ? one : largest));
  }

  #removeOldest(owner: string, owned: OwnedFiles): void {
    for (const [key, file] of owned.files) {
      owned.files.delete(key);
      this.#ownerOf.delete(key);
      this.#count(owned, -bytesOf(file));
      break;
    }
    if (owned.files.size === 0) this.#owners.delete(owner);
  }

  #count(owned: OwnedFiles, bytes: number): void {
    owned.bytes += bytes;
    this.#bytes += bytes;
  }
}

function bytesOf({ content }: UploadedFile): number {
  return content.length + entryBytes;
}

/** The nodes of a cluster keep them in the store: an event that names a file may reach another node immediately. */
function sharedFiles(core: Pick<Core, 'ids' | 'entropy'>, store: FileStore): MessageFiles {
  const places = new WeakMap<UploadedFile, Place>();
  const keyOf = (id: string, secret: string) => `${id}/${hashSecret(secret)}`;

  async function receive(body: unknown, ownerOf: () => MaybePromise<string>): Promise<void> {
    if (!isFields(body)) return;
    const files = [body, body.data].flatMap(part => (isFields(part) ? uploadedFiles(part) : []));
    if (files.length === 0) return;
    const owner = await ownerOf();
    const storing = files.map(async file => {
      const { id, secret } = newPlace(core);
      await store.put(keyOf(id, secret), owner, file);
      places.set(file, { id, secret });
    });
    await Promise.all(storing);
  }

  return {
    receive,
    place(file) {
      const known = places.get(file);
      if (!known) throw new Error('A file was attached that was not stored before.');
      return known;
    },
    get: (id, secret) => store.get(keyOf(id, secret)),
    // The code that replaces the whole state clears the store.
    clear: () => {},
  };
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
    this.name = safeName(name);
    this.type = type;
    this.content = content;
  }
}

/** The files that were uploaded with a message; `files` in its JSON is ignored. */
export function uploadedFiles({ files }: Readonly<Record<string, unknown>>): readonly UploadedFile[] {
  return Array.isArray(files) ? files.filter(file => file instanceof UploadedFile) : [];
}

/**
 * Files that a user's client uploaded with an interaction. The interaction refers to them by number; the application receives ids.
 *
 * Unspecified: an id without a file is passed on as it is, unresolved.
 *
 * @see docs/spec/interactions.md#resolved-data
 */
export class Uploads {
  readonly #byNumber = new Map<string, Attachment>();
  readonly #byId = new Map<string, Attachment>();

  /** @param data of the use @throws RequestError `invalid_form_body` when there are too many */
  constructor(attach: Attach, data: unknown, channel_id: ChannelId, owner: UserId) {
    if (!isFields(data)) return;
    const files = uploadedFiles(data);
    if (files.length === 0) return;
    attach(data, { owner, channel_id, flags: messageFlags.EPHEMERAL, attachments: [] }).forEach((attachment, i) => {
      this.#byNumber.set(String(files[i]?.index), attachment);
      this.#byId.set(attachment.id, attachment);
    });
  }

  /** The option values with ids in place of numbers, not validated yet. */
  inOptions(values: unknown): unknown {
    if (this.#byId.size === 0 || !Array.isArray(values)) return values;
    return values.map((value: unknown) => {
      if (!isFields(value)) return value;
      if (value.options !== undefined) return { ...value, options: this.inOptions(value.options) };
      return value.type === optionTypes.ATTACHMENT ? { ...value, value: this.#idOf(value.value) } : value;
    });
  }

  /** The submitted values with ids in place of numbers, not validated yet. */
  inComponents(components: unknown): unknown {
    if (this.#byId.size === 0 || !Array.isArray(components)) return components;
    return components.map((layout: unknown) => {
      const component = isFields(layout) ? layout.component : undefined;
      if (!isFields(layout) || !isFields(component) || component.type !== componentTypes.FILE_UPLOAD) return layout;
      const values = Array.isArray(component.values) ? component.values.map(one => this.#idOf(one)) : component.values;
      return { ...layout, component: { ...component, values } };
    });
  }

  /** What the values of attachment options stand for. @throws RequestError `invalid_form_body` at one of another type */
  resolveOptions(values: readonly OptionValue[], options: readonly CommandOption[]): Resolved {
    if (this.#byId.size === 0) return undefined;
    return this.#resolve(this.#idsInOptions(values, options, ['data', 'options']));
  }

  /** Like {@link resolveOptions}, for the inputs of a modal. */
  resolveInputs(given: readonly GivenInput[], inputs: ReadonlyMap<string | undefined, Component>): Resolved {
    return this.#resolve(
      given.flatMap(({ input: { custom_id, type, values = [] }, path }) => {
        if (type !== componentTypes.FILE_UPLOAD) return [];
        const { file_types } = inputs.get(custom_id) ?? {};
        return values.map((id, i) => ({
          id,
          fileTypes: file_types ?? [],
          path: ['data', 'components', ...path, 'values', String(i)],
        }));
      }),
    );
  }

  #idsInOptions(values: readonly OptionValue[], options: readonly CommandOption[], path: readonly string[]): Wanted[] {
    return values.flatMap(({ name, type, value, options: inner }, i) => {
      const option = options.find(one => one.name === name);
      if (inner) return this.#idsInOptions(inner, option?.options ?? [], [...path, String(i), 'options']);
      if (type !== optionTypes.ATTACHMENT) return [];
      return [{ id: String(value), fileTypes: option?.file_types ?? [], path: [...path, String(i), 'value'] }];
    });
  }

  #resolve(wanted: readonly Wanted[]): Resolved {
    const found: Record<string, Attachment> = {};
    const issues: Issue[] = [];
    for (const { id, fileTypes, path } of wanted) {
      const attachment = this.#byId.get(id);
      if (!attachment) continue;
      found[id] = attachment;
      const code = 'BASE_TYPE_CHOICES';
      if (!takesFile(fileTypes, attachment)) issues.push({ path, code, message: fieldErrors[code](fileTypes) });
    }
    rejectIssues(issues);
    return Object.keys(found).length > 0 ? { attachments: found } : undefined;
  }

  #idOf(value: unknown): unknown {
    return this.#byNumber.get(String(value))?.id ?? value;
  }
}

/** An attachment that an interaction refers to. */
interface Wanted {
  readonly id: string;
  readonly fileTypes: readonly string[];
  readonly path: readonly string[];
}

type Resolved = Pick<ResolvedData, 'attachments'> | undefined;
