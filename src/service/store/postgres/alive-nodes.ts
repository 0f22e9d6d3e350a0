import type { Row } from './statement.ts';

/** A node that has not renewed its row for this long is listed as departed. */
export const silentMsMax = 5000;

/** The condition on a row of `nodes` that its node is running. */
export const aliveSql = `departed_at IS NULL AND seen_at > clock_timestamp() - interval '${silentMsMax} ms'`;

/** How many nodes run on a database that has the tables. */
export async function countAliveNodes(session: { query(text: string): Promise<readonly Row[]> }): Promise<number> {
  const [row] = await session.query(`SELECT count(*)::int AS n FROM rallypoint.nodes WHERE ${aliveSql}`);
  return Number(row?.n ?? 0);
}
