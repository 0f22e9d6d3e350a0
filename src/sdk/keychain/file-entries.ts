import type { Entries } from './entries.ts';
import type { KeychainBackend } from './keychain.ts';
import { digest } from './names.ts';
import type { PrivateFolder } from './private-folder.ts';

/** How a text lies on the disk. */
export interface Covering {
  cover(text: string): Promise<Uint8Array>;
  /** @throws KeychainError */
  uncover(content: Buffer): Promise<string>;
}

/** As it is. */
export const uncovered: Covering = {
  cover: async text => Buffer.from(text),
  uncover: async content => content.toString('utf8'),
};

/** Entries that are a file each. Deleting needs no covering. */
export function fileEntries(folder: PrivateFolder, backend: KeychainBackend, covering: Covering): Entries {
  const fileOf = (account: string) => `${digest(account)}.${backend}.key`;
  return {
    async get(account) {
      const content = await folder.read(fileOf(account));
      return content && covering.uncover(content);
    },
    async set(account, text) {
      await folder.replace(fileOf(account), await covering.cover(text));
      // What a writer that died left half written.
      await folder.sweep(`${fileOf(account)}.`);
    },
    async delete(account) {
      const isDeleted = await folder.remove(fileOf(account));
      await folder.sweep(`${fileOf(account)}.`);
      return isDeleted;
    },
  };
}
