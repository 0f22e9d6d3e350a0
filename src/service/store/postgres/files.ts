import type { Logger } from '../../../wire/clock/ports.ts';
import { serviceLimits } from '../../support/service-limits.ts';
import type { FileStore } from '../files.ts';
import type { Postgres } from './postgres.ts';

/** After this many bytes of its own a node deletes what is too much, and does not wait for its turn. */
const cleanAfterBytes = 64 * 1024 * 1024;

/** What one query reads of a file: all that a client that reads slowly keeps in memory, twice. */
const pieceBytes = 128 * 1024;

const insert = `
  INSERT INTO rallypoint.files (id, owner, name, type, content, bytes, at) VALUES ($1, $2, $3, $4, $5, $6, now())
  ON CONFLICT (id) DO NOTHING`;

/**
 * Keeps the newest files of each owner, up to the owner's bound. Where those of all owners do not fit together, files are ranked by the bytes
 * of their owner's newer files, and those with the most are deleted: the owner who stores most makes room first.
 */
const deleteOld = `
  DELETE FROM rallypoint.files WHERE at < now() - $1::bigint * interval '1 ms' OR id IN (
    SELECT id FROM (
      SELECT id, of_owner, sum(bytes) OVER (ORDER BY of_owner, id) AS total FROM (
        SELECT id, bytes, sum(bytes) OVER (PARTITION BY owner ORDER BY at DESC, id) AS of_owner FROM rallypoint.files
      ) AS owned
    ) AS kept
    WHERE of_owner > $2::bigint OR total > $3::bigint
  )`;

const selectPiece = 'SELECT substring(content FROM $2::int FOR $3::int) AS piece FROM rallypoint.files WHERE id = $1';

/** The table of files, and what deletes from it what is too old or too much. */
export function openFiles(postgres: Postgres, log: Logger): FileStore & { clean(): Promise<void> } {
  let addedBytes = 0;

  async function clean(): Promise<void> {
    addedBytes = 0;
    const { sharedFilesLifeMs, sharedFilesBytesPerOwnerMax, sharedFilesBytesMax } = serviceLimits;
    await postgres.query(deleteOld, [sharedFilesLifeMs, sharedFilesBytesPerOwnerMax, sharedFilesBytesMax]);
  }

  async function* read(key: string, size: number): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < size; at += pieceBytes) {
      const [row] = await postgres.query(selectPiece, [key, at + 1, pieceBytes]);
      // Its size is announced already; the connection is closed.
      if (!row) throw new Error('A file was deleted while it was read.');
      yield row.piece as Uint8Array;
    }
  }

  return {
    clean,
    async put(key, owner, { name, type, content }) {
      await postgres.query(insert, [key, owner, name, type, content, content.length]);
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
      const [row] = await postgres.query('SELECT type, bytes FROM rallypoint.files WHERE id = $1', [key]);
      const size = Number(row?.bytes);
      return row && { type: String(row.type), size, pieces: read(key, size) };
    },
  };
}
