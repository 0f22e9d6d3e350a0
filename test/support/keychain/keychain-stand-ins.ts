import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import * as nodeFileSystem from 'node:fs/promises';
import type { SafeStorage } from '../../../src/sdk/keychain/keychain.ts';
import type { FileSystem } from '../../../src/sdk/keychain/private-folder.ts';
import type { Keytar, LibraryName, LoadLibrary } from '../../../src/sdk/keychain/system-libraries.ts';

/** A library over a map, by `service/account`; `step` is called before whatever it does. */
export function keytarOver(entries: Map<string, string>, step: () => void | Promise<void> = () => {}): Keytar {
  const filed = (service: string, account: string) => `${service}/${account}`;
  return {
    async getPassword(service, account) {
      await step();
      return entries.get(filed(service, account)) ?? null;
    },
    async setPassword(service, account, password) {
      await step();
      entries.set(filed(service, account), password);
    },
    async deletePassword(service, account) {
      await step();
      return entries.delete(filed(service, account));
    },
  };
}

/** A system's keychain, reached by both libraries. */
export function librariesOver(
  entries: Map<string, string>,
  step?: () => void | Promise<void>,
): Record<LibraryName, LoadLibrary> {
  const load = async () => keytarOver(entries, step);
  return { keytar: load, keyring: load };
}

/** What happens where a package is not installed. */
export const noLibraries: Record<LibraryName, LoadLibrary> = { keytar: notInstalled, keyring: notInstalled };

async function notInstalled(): Promise<never> {
  throw Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' });
}

/** Encrypts as Electron does on Linux and macOS: AES-128-CBC, which does not notice a changed text by itself. */
export class StandInSafeStorage implements SafeStorage {
  readonly #key = randomBytes(16);
  isReady = true;
  /** What Linux says; undefined elsewhere. */
  selected: string | undefined = 'gnome_libsecret';

  isEncryptionAvailable(): boolean {
    return this.isReady;
  }

  encryptString(text: string): Buffer {
    const nonce = randomBytes(16);
    const cipher = createCipheriv('aes-128-cbc', this.#key, nonce);
    return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final()]);
  }

  decryptString(encrypted: Buffer): string {
    const decipher = createDecipheriv('aes-128-cbc', this.#key, encrypted.subarray(0, 16));
    return decipher.update(encrypted.subarray(16), undefined, 'utf8') + decipher.final('utf8');
  }

  getSelectedStorageBackend(): string {
    return this.selected ?? '';
  }
}

/** Takes steps, and dies before one of them: that one and all later ones fail. */
export class Life {
  /** Steps that were asked for. */
  steps = 0;
  readonly #dies: number;

  /** @param dies number of the step that is not taken any more, from 0 */
  constructor(dies: number) {
    this.#dies = dies;
  }

  get isOver(): boolean {
    return this.steps > this.#dies;
  }

  readonly step = (): void => {
    this.steps++;
    if (this.isOver) throw new Error('died');
  };
}

/** The disk, as a process that dies leaves it: a file being written is left with half of its content. */
export function filesOf(life: Life): FileSystem {
  const stepped =
    <Args extends unknown[], Value>(work: (...args: Args) => Promise<Value>) =>
    async (...args: Args): Promise<Value> => {
      life.step();
      return work(...args);
    };
  const open: FileSystem['open'] = async (path, flags, mode) => {
    life.step();
    const file = await nodeFileSystem.open(path, flags, mode);
    return {
      // A step like any other, but the machine stays up: what is written is there without it.
      sync: stepped(async () => {}),
      close: () => file.close(),
      async writeFile(content: Uint8Array) {
        await file.write(content.subarray(0, content.length / 2));
        life.step();
        await file.write(content.subarray(content.length / 2));
      },
    };
  };
  return { ...nodeFileSystem, rename: stepped(nodeFileSystem.rename), rm: stepped(nodeFileSystem.rm), open };
}
