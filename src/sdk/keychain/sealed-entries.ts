import { createCipheriv, createDecipheriv, randomBytes, randomUUID } from 'node:crypto';
import { type Entries, unreadable } from './entries.ts';
import type { KeychainBackend } from './keychain.ts';
import { digest } from './names.ts';
import type { PrivateFolder } from './private-folder.ts';

export interface SealingOptions {
  /** Stores the short texts: the file name and the key of each encrypted one. */
  readonly entries: Entries;
  /** Stores the encrypted texts. */
  readonly folder: PrivateFolder;
  readonly service: string;
  readonly backend: KeychainBackend;
  /** Texts of up to this many bytes are stored in `entries` unencrypted. Absent: all are encrypted. */
  readonly plainBytesMax?: number | undefined;
}

const mark = 'rallypoint-sealed:1:';
const reference = /^rallypoint-sealed:1:([0-9a-f-]{36}):([A-Za-z0-9_-]{43})$/;

/**
 * Entries of any length on top of entries that hold few bytes. A long text is encrypted into a file of its own; the entry
 * holds the file's name and its key. The entry is written last, so a process that dies before that leaves the old text, and
 * one that dies after it the new text. The caller holds a lock for writes, because each write deletes the files that its
 * entry does not name.
 */
export function sealedEntries({ entries, folder, service, backend, plainBytesMax = -1 }: SealingOptions): Entries {
  const filesOf = (account: string) => `${digest(account)}.${backend}.sealed.`;
  const belongsTo = (account: string, id: string) => JSON.stringify([mark, backend, service, account, id]);

  async function open(account: string, text: string): Promise<string | undefined> {
    const [, id, key] = reference.exec(text) ?? [];
    if (id === undefined || key === undefined) throw unreadable('does not name an encrypted file');
    const content = await folder.read(filesOf(account) + id);
    return content && unseal({ key, content }, belongsTo(account, id));
  }

  async function get(account: string): Promise<string | undefined> {
    for (let last: string | undefined; ; ) {
      const text = await entries.get(account);
      if (text === undefined) return undefined;
      if (!text.startsWith(mark)) {
        if (plainBytesMax < 0) throw unreadable('does not name an encrypted file');
        return text;
      }
      const opened = await open(account, text);
      if (opened !== undefined) return opened;
      // Another process may have replaced the entry and the file between the two reads. Then there is a new entry now.
      if (text === last) throw unreadable('names a file that is missing');
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

/** On Windows keytar counts bytes of UTF-8 and keyring bytes of UTF-16. Neither accepts '' or NUL on every system. */
function isPlain(secret: string, bytesMax: number): boolean {
  const bytes = Math.max(Buffer.byteLength(secret, 'utf8'), Buffer.byteLength(secret, 'utf16le'));
  return bytes > 0 && bytes <= bytesMax && !secret.includes('\0') && !secret.startsWith(mark);
}

/** An encrypted file has the nonce, the authentication tag, then AES-256-GCM cipher text. */
const algorithm = 'aes-256-gcm';
const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;

export interface Sealed {
  /** base64url. Every text has a new key, so that an older file that is put back cannot be decrypted. */
  readonly key: string;
  readonly content: Buffer;
}

/** @param belongsTo identifies the entry; decrypting needs the same text */
export function seal(text: string, belongsTo: string): Sealed {
  const key = randomBytes(keyBytes);
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagBytes }).setAAD(Buffer.from(belongsTo));
  const hidden = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return { key: key.toString('base64url'), content: Buffer.concat([nonce, cipher.getAuthTag(), hidden]) };
}

/** @throws KeychainError `keychain_unreadable`: the key, the content or `belongsTo` differs from what was encrypted */
export function unseal({ key, content }: Sealed, belongsTo: string): string {
  const secret = Buffer.from(key, 'base64url');
  if (secret.length !== keyBytes || content.length < nonceBytes + tagBytes) throw unreadable('is truncated');
  const tagEnd = nonceBytes + tagBytes;
  const nonce = content.subarray(0, nonceBytes);
  const decipher = createDecipheriv(algorithm, secret, nonce, { authTagLength: tagBytes })
    .setAAD(Buffer.from(belongsTo))
    .setAuthTag(content.subarray(nonceBytes, tagEnd));
  try {
    return decipher.update(content.subarray(tagEnd), undefined, 'utf8') + decipher.final('utf8');
  } catch {
    throw unreadable('was changed from outside');
  }
}
