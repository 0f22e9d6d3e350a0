import type { Logger } from '../../../wire/clock/ports.ts';
import { serviceLimits } from '../../support/service-limits.ts';
import type { FileStore } from '../files.ts';
import type { Postgres } from './postgres.ts';

/** After this many bytes of its own a node deletes what is too much, and does not wait for its turn. */
const cleanAfterBytes = 64 * 1024 * 1024;

const insert = `
  INSERT INTO rallypoint.files (id, name, type, content, bytes, at) VALUES ($1, $2, $3, $4, $5, now())
  ON CONFLICT (id) DO NOTHING`;

// The newest up to the bound stay.
const deleteOld = `
  DELETE FROM rallypoint.files WHERE at < now() - $1::bigint * interval '1 ms' OR id IN (
    SELECT id FROM (SELECT id, sum(bytes) OVER (ORDER BY at DESC, id) AS total FROM rallypoint.files) AS kept
    WHERE total > $2::bigint
  )`;

/** The table of files, and what deletes from it what is too old or too much. */
export function openFiles(postgres: Postgres, log: Logger): FileStore & { clean(): Promise<void> } {
  let addedBytes = 0;

  async function clean(): Promise<void> {
    addedBytes = 0;
    await postgres.query(deleteOld, [serviceLimits.sharedFilesLifeMs, serviceLimits.sharedFilesBytesMax]);
  }

  return {
    clean,
    async put(key, { name, type, content }) {
      await postgres.query(insert, [key, name, type, content, content.length]);
      addedBytes += content.length;
      if (addedBytes < cleanAfterBytes) return;
      clean().catch(error =>
        log.warn({ error }, 'Old files of messages could not be deleted; it is tried again later.'),
      );
    },
    async clear() {
      await postgres.query('DELETE FROM rallypoint.files');
    },
    async get(key) {
      const [row] = await postgres.query('SELECT name, type, content FROM rallypoint.files WHERE id = $1', [key]);
      return row && { name: String(row.name), type: String(row.type), content: row.content as Uint8Array };
    },
  };
}
