import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ServedFile } from '../../../../src/service/store/files.ts';
import { openFiles } from '../../../../src/service/store/postgres/files.ts';
import { migrate } from '../../../../src/service/store/postgres/migrate.ts';
import { openPostgres, type Postgres } from '../../../../src/service/store/postgres/postgres.ts';
import { serviceLimits } from '../../../../src/service/support/service-limits.ts';
import { silentLogger } from '../../../../src/wire/clock/ports.ts';
import { type PostgresServer, startPostgres } from '../../../support/engines/postgres.ts';
import { needs } from '../../../support/runs/parts.ts';

const engine = await needs('postgres');
const mebibyte = 1024 * 1024;

describe.skipIf(engine.missing)(`files of messages in PostgreSQL${engine.note}`, () => {
  let server: PostgresServer;
  let postgres: Postgres;
  let files: ReturnType<typeof openFiles>;
  beforeAll(async () => {
    server = await startPostgres();
    postgres = await openPostgres(await server.createDatabase());
    await migrate(postgres);
    files = openFiles(postgres, silentLogger);
  });
  beforeEach(() => files.clear());
  afterAll(async () => {
    await postgres?.close();
    await server?.remove();
  });

  const put = (key: string, content: Uint8Array, owner = 'a') =>
    files.put(key, owner, { name: 'a.bin', type: 'image/png', content });
  async function read(file: ServedFile | undefined): Promise<readonly Uint8Array[]> {
    const pieces: Uint8Array[] = [];
    for await (const piece of file?.pieces ?? []) pieces.push(piece);
    return pieces;
  }

  it.each([0, 1, 131_071, 131_072, 131_073, mebibyte + 5])('of %i bytes are read again, in pieces', async size => {
    const content = Uint8Array.from({ length: size }, (_, i) => (i * 31) % 251);
    await put('1/x', content);
    const file = await files.get('1/x');
    expect([file?.type, file?.size]).toEqual(['image/png', size]);
    const pieces = await read(file);
    expect(Buffer.concat(pieces).equals(content)).toBe(true);
    expect(Math.max(0, ...pieces.map(({ length }) => length))).toBeLessThanOrEqual(131_072);
    expect(await files.get('1/y')).toBeUndefined();
  });

  it('that are deleted while they are read end with an error', async () => {
    await put('1/x', new Uint8Array(mebibyte));
    const file = await files.get('1/x');
    await files.clear();
    await expect(read(file)).rejects.toThrow('deleted while it was read');
  });

  /** Rows with so many bytes by their own account, from the oldest on. */
  async function pretend(owner: string, ...sizes: readonly number[]): Promise<void> {
    for (const [i, bytes] of sizes.entries()) {
      const id = `${owner}${i}`;
      await put(id, new Uint8Array(1), owner);
      await postgres.query(
        `UPDATE rallypoint.files SET bytes = $2, at = now() - interval '1 minute' + $3 * interval '1 s' WHERE id = $1`,
        [id, bytes, i],
      );
    }
  }
  async function kept(): Promise<unknown[]> {
    await files.clean();
    return (await postgres.query('SELECT id FROM rallypoint.files ORDER BY id')).map(({ id }) => id);
  }

  it('have a bound for each owner: the oldest make room', async () => {
    const half = serviceLimits.sharedFilesBytesPerOwnerMax / 2;
    await pretend('a', 5, half, half);
    await pretend('b', half, half - 1, 1);
    expect(await kept()).toEqual(['a1', 'a2', 'b0', 'b1', 'b2']);
  });

  it('files of messages have a bound in all: the owner with the most bytes makes room for the others', async () => {
    const { sharedFilesBytesPerOwnerMax: most, sharedFilesBytesMax: max } = serviceLimits;
    const owners = Array.from({ length: max / most + 1 }, (_, i) => `m${i}-`);
    await pretend('small', 1000, 1000);
    for (const owner of owners) await pretend(owner, most / 2, most / 2);
    const left = await kept();
    expect(left).toEqual(expect.arrayContaining(['small0', 'small1', ...owners.map(owner => `${owner}1`)]));
    expect(left).not.toEqual(expect.arrayContaining(owners.map(owner => `${owner}0`)));
  });
});
