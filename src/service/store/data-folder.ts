import { join } from 'node:path';

/** The database of a data folder. */
export function databaseIn(folder: string): string {
  return join(folder, 'rallypoint.sqlite');
}
