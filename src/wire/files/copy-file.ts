import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { obstacleTo } from './obstacle.ts';

const chunkBytes = 1024 * 1024;

/**
 * Copies a file that another process may write or cut meanwhile, up to the end that it has when the copy gets there. `copyFile` of
 * Node.js never ends when the file becomes shorter than it was: it waits for bytes that are gone.
 *
 * @param copy is replaced
 * @throws what the system says, with its `code`, and with the path of the file if that cannot be read
 */
export async function copyChangingFile(path: string, copy: string, mode = 0o600): Promise<void> {
  const from = await openToRead(path);
  try {
    const to = await open(copy, 'w', mode);
    try {
      const buffer = Buffer.allocUnsafe(chunkBytes);
      for (let at = 0; ; ) {
        const { bytesRead } = await from.read(buffer, 0, chunkBytes, at).catch(naming(path));
        if (bytesRead === 0) return;
        // On a full disk a write takes what there is room for, and only the next one fails.
        for (const end = at + bytesRead, start = at; at < end; ) {
          at += (await to.write(buffer, at - start, end - at, at)).bytesWritten;
        }
      }
    } finally {
      await to.close();
    }
  } finally {
    await from.close();
  }
}

/**
 * Opens a file. Whatever else has its name is rejected; a pipe would be waited for.
 *
 * @throws what the system says, with its `code`; an Error with the `path`
 */
export async function openToRead(path: string): Promise<FileHandle> {
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  if ((await file.stat()).isFile()) return file;
  await file.close();
  return naming(path)(new Error(`it is ${obstacleTo(path)?.what ?? 'not a file'}`));
}

/** The system says which file cannot be opened, but not which cannot be read. */
export function naming(path: string): (error: unknown) => never {
  return error => {
    throw Object.assign(error as Error, { path });
  };
}
