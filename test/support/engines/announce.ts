import type { Announced } from '../../../src/service/events/announcement.ts';
import { encodePayload } from '../../../src/service/events/payload.ts';
import type { Postgres } from '../../../src/service/store/postgres/postgres.ts';

/** Inserts events as a commit of the store does, all in one transaction. @returns their position */
export async function announce(postgres: Postgres, announced: readonly Announced[]): Promise<number> {
  const payloads = announced.map(encodePayload);
  const [row] = await postgres.once(
    {
      text: `INSERT INTO rallypoint.events (position, number, topic, payload, bytes, at)
        SELECT pg_current_xact_id()::text::bigint, number, topic, payload, octet_length(payload), clock_timestamp()
        FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS e (topic, payload, number) RETURNING position`,
      values: [announced.map(({ to }) => to), payloads],
    },
    Number.POSITIVE_INFINITY,
  );
  return Number(row?.position);
}
