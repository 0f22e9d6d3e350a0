import type { Attachment } from '../../model/message.ts';
import { LruCache } from '../support/lru-cache.ts';
import { serviceLimits } from '../support/service-limits.ts';
import type { SentFile } from './uploaded-file.ts';

/**
 * The files of messages, for whoever has their address.
 *
 * Our choice: they are kept in memory, up to `serviceLimits.filesKeptBytesMax` in all; newer ones take the place of those that
 * nobody has looked at for longest, and all go with the process. Messages go on naming them.
 */
export class AttachmentCache {
  readonly #files = new LruCache<SentFile>(serviceLimits.filesKeptBytesMax);

  /** @param secret what its address ends in, so that nobody guesses it */
  put(id: Attachment['id'], secret: string, file: SentFile): void {
    this.#files.set(`${id}/${secret}`, file, file.content.length + entryBytes);
  }

  get(id: string, secret: string): SentFile | undefined {
    return this.#files.get(`${id}/${secret}`);
  }

  clear(): void {
    this.#files.clear();
  }
}

/** What an empty file takes, about. */
const entryBytes = 512;
