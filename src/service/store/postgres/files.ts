import { type Cancel, type Logger, systemClock } from '../../../wire/clock/ports.ts';
import type { Bus } from '../../bus/contract.ts';
import { serviceLimits } from '../../support/service-limits.ts';
import type { FileStore } from '../files.ts';
import type { Postgres } from './postgres.ts';

/** How often one node deletes what has expired or is too much, and after how many bytes of its own each node does so itself. */
const cleanEveryMs = 60_000;
const cleanAfterBytes = 64 * 1024 * 1024;

const insert = `
  INSERT INTO rallypoint.files (id, name, type, content, bytes, at) VALUES ($1, $2, $3, $4, $5, now())
  ON CONFLICT (id) DO NOTHING`;

// The newest up to the bound stay.
const clean = `
  DELETE FROM rallypoint.files WHERE at < now() - $1::bigint * interval '1 ms' OR id IN (
    SELECT id FROM (SELECT id, sum(bytes) OVER (ORDER BY at DESC, id) AS total FROM rallypoint.files) AS kept
    WHERE total > $2::bigint
  )`;

/** Opens the table of files. @returns also a function that stops cleaning it */
export function openFiles(
  postgres: Postgres,
  bus: Pick<Bus, 'lease'>,
  log: Logger,
): { readonly files: FileStore; close(): Promise<void> } {
  let addedBytes = 0;
  let cleaning: Promise<void> = Promise.resolve();
  let cancel: Cancel = () => {};

  async function deleteOld(): Promise<void> {
    try {
      await postgres.query(clean, [serviceLimits.sharedFilesLifeMs, serviceLimits.sharedFilesBytesMax]);
    } catch (error) {
      log.warn({ error }, 'Old files of messages could not be deleted; it is tried again later.');
    }
  }

  function arm(): void {
    cancel = systemClock.schedule(cleanEveryMs, () => {
      cleaning = cleanInTurn().then(arm);
    });
  }

  async function cleanInTurn(): Promise<void> {
    // Without Redis every node does it: that does no harm.
    const lease = await Promise.resolve(bus.lease('files', cleanEveryMs / 2)).catch(() => 'unknown' as const);
    if (lease !== undefined) await deleteOld();
  }

  arm();
  return {
    files: {
      async put(key, { name, type, content }) {
        await postgres.query(insert, [key, name, type, content, content.length]);
        addedBytes += content.length;
        if (addedBytes < cleanAfterBytes) return;
        addedBytes = 0;
        cleaning = deleteOld();
      },
      async get(key) {
        const [row] = await postgres.query('SELECT name, type, content FROM rallypoint.files WHERE id = $1', [key]);
        return row && { name: String(row.name), type: String(row.type), content: row.content as Uint8Array };
      },
    },
    async close() {
      cancel();
      await cleaning;
      cancel();
    },
  };
}
