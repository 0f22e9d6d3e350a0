import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { systemCode } from './http/transport.ts';

/** Creates one folder, as `mkdir` of `node:fs/promises` does. */
export type MakeOne = (path: string, options: { readonly mode: number }) => Promise<unknown>;

/**
 * Creates a folder and those above it that are missing; an existing one stays as it is.
 *
 * Each is tried once. Node's own `recursive` option never returns below a folder that exists, allows no folder in it, and
 * reports then that it is missing (/proc).
 *
 * @throws what the system says, with its `code`; `EEXIST`: there is something else in its place
 */
export async function makeFolder(path: string, mode: number, makeOne: MakeOne = mkdir): Promise<void> {
  try {
    await makeOne(path, { mode });
  } catch (error) {
    const above = dirname(path);
    if (systemCode(error) === 'ENOENT' && above !== path) {
      await makeFolder(above, mode, makeOne);
      await makeOne(path, { mode }).catch(again => rejectUnlessThere(path, again));
    } else await rejectUnlessThere(path, error);
  }
}

async function rejectUnlessThere(path: string, error: unknown): Promise<void> {
  const isThere = systemCode(error) === 'EEXIST' && (await stat(path).catch(() => undefined))?.isDirectory();
  if (!isThere) throw error;
}
