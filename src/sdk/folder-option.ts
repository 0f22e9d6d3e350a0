import { isAbsolute } from 'node:path';
import { ArgumentError } from '../model/errors/errors.ts';

/** @throws ArgumentError `invalid_folder` when the option is given and no absolute path */
export function checkFolder(folder: unknown): void {
  if (folder === undefined || (typeof folder === 'string' && isAbsolute(folder))) return;
  throw new ArgumentError('invalid_folder', `folder must be an absolute path (got ${JSON.stringify(folder)}).`);
}
