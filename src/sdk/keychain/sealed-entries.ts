import { randomUUID } from 'node:crypto';
import type { Entries } from './entries.ts';
import type { KeychainBackend } from './keychain.ts';
import { digest } from './names.ts';
import type { PrivateFolder } from './private-folder.ts';
import { seal, unreadable, unseal } from './seal.ts';

export interface SealingOptions {
  /** Keeps the short texts: file and key of each sealed one. */
  readonly entries: Entries;
  /** Keeps the sealed ones. */
  readonly folder: PrivateFolder;
  readonly service: string;
  readonly backend: KeychainBackend;
  /** Bytes up to which a text is kept in `entries` as it is; absent: all are sealed. */
  readonly plainBytesMax?: number;
}

const mark = 'rallypoint-sealed:1:';
const reference = /^rallypoint-sealed:1:([0-9a-f-]{36}):([A-Za-z0-9_-]{43})$/;

/**
 * Entries of any length over entries of few bytes: a long text lies sealed in a file of its own, and the entry says which
 * and holds the key. The entry is written last and decides: whoever dies before leaves the old text, whoever dies after
 * the new one. Writers take turns, because each sweeps away the files that its entry does not name.
 */
export function sealedEntries({ entries, folder, service, backend, plainBytesMax = -1 }: SealingOptions): Entries {
  const filesOf = (account: string) => `${digest(account)}.${backend}.sealed.`;
  const belongsTo = (account: string, id: string) => JSON.stringify([mark, backend, service, account, id]);

  async function open(account: string, text: string): Promise<string | undefined> {
    const [, id, key] = reference.exec(text) ?? [];
    if (id === undefined || key === undefined) throw unreadable('is no reference to a sealed file');
    const content = await folder.read(filesOf(account) + id);
    return content && unseal({ key, content }, belongsTo(account, id));
  }

  async function get(account: string): Promise<string | undefined> {
    for (let last: string | undefined; ; ) {
      const text = await entries.get(account);
      if (text === undefined) return undefined;
      if (!text.startsWith(mark)) {
        if (plainBytesMax < 0) throw unreadable('is no reference to a sealed file');
        return text;
      }
      const opened = await open(account, text);
      if (opened !== undefined) return opened;
      // A writer may have replaced both between our two readings; then there is a new entry by now.
      if (text === last) throw unreadable('has lost its file');
      last = text;
    }
  }

  async function set(account: string, secret: string): Promise<void> {
    if (isPlain(secret, plainBytesMax)) {
      await entries.set(account, secret);
      return folder.sweep(filesOf(account));
    }
    const id = randomUUID();
    const file = filesOf(account) + id;
    const { key, content } = seal(secret, belongsTo(account, id));
    await folder.replace(file, content);
    await entries.set(account, `${mark}${id}:${key}`);
    await folder.sweep(filesOf(account), file);
  }

  return {
    get,
    set,
    async delete(account) {
      const isDeleted = await entries.delete(account);
      await folder.sweep(filesOf(account));
      return isDeleted;
    },
  };
}

/** keytar counts the bytes of UTF-8 on Windows, keyring those of UTF-16; neither takes '' or NUL on every system. */
function isPlain(secret: string, bytesMax: number): boolean {
  const bytes = Math.max(Buffer.byteLength(secret, 'utf8'), Buffer.byteLength(secret, 'utf16le'));
  return bytes > 0 && bytes <= bytesMax && !secret.includes('\0') && !secret.startsWith(mark);
}
