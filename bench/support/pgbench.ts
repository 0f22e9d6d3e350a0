import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { columnsMax, commitBatchSql } from '../../src/service/store/postgres/commit-sql.ts';
import { getManySql, getSql, revisionsSql } from '../../src/service/store/postgres/read-sql.ts';
import { findPostgres } from '../../test/support/engines/postgres.ts';
import { pinned } from './child.ts';

/** A PUT of a member, as the limit executes it. */
export interface MemberPut {
  readonly application: string;
  readonly lobby: string;
  readonly user: string;
}

const run = promisify(execFile);
/** As the nodes' connections set them, so that the plans are the same. */
const settings = ['plan_cache_mode=force_generic_plan', 'jit=off', 'enable_seqscan=off', 'enable_hashjoin=off'];

/**
 * The statements of these PUTs in groups, as a node sends them, executed by PostgreSQL's own `pgbench` without anything in between. It
 * has the first core, as a node has.
 *
 * @param puts one list for each connection, of different lobbies; all of them are used, at random
 * @param group how many share their statements
 * @returns PUTs a second
 */
export async function pgbench(
  url: string,
  puts: readonly (readonly MemberPut[])[],
  group: number,
  groups: number,
): Promise<number> {
  const { searchParams, pathname, username } = new URL(url);
  const folder = mkdtempSync(join(tmpdir(), 'rallypoint-pgbench-'));
  const program = join(findPostgres() ?? '', 'pgbench');
  try {
    const rates = await Promise.all(
      puts.map(async (all, at) => {
        const scripts = groupsOf(all, group).map((puts, n) => {
          const script = join(folder, `${at}-${n}.sql`);
          writeFileSync(script, scriptOf(puts));
          return ['-f', script];
        });
        const server = ['-h', searchParams.get('host') ?? '', '-U', username];
        const work = ['-n', '-M', 'prepared', '-c', '1', '-t', String(groups), ...scripts.flat()];
        const [command = '', ...args] = [
          ...(pinned ? ['taskset', '-c', '0'] : []),
          ...[program, ...server, ...work, pathname.slice(1)],
        ];
        const env = { ...process.env, PGOPTIONS: settings.map(setting => `-c ${setting}`).join(' ') };
        const { stdout } = await run(command, args, { env });
        if (/number of failed transactions: [1-9]/.test(stdout)) throw new Error(stdout);
        return Number(/^tps = ([\d.]+)/m.exec(stdout)?.[1]) * group;
      }),
    );
    return rates.reduce((sum, rate) => sum + rate, 0);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** As many whole groups as there are. */
function groupsOf(puts: readonly MemberPut[], group: number): readonly (readonly MemberPut[])[] {
  const count = Math.max(1, Math.floor(puts.length / group));
  return Array.from({ length: count }, (_, at) => puts.slice(at * group, (at + 1) * group));
}

function scriptOf(puts: readonly MemberPut[]): string {
  const each = (value: (put: MemberPut) => string) => array(puts.map(value));
  const scopes = each(({ lobby }) => `lobby/${lobby}`);
  const units = array(puts.map((_, at) => String(at)));
  const none = array(puts.map(() => null));
  const columns = [each(put => put.lobby), each(put => put.user), each(put => put.application)];
  const commit = [
    'gen_random_uuid()',
    '1e15',
    ...[units, scopes, ':expected', ':next', each(() => 'lobby_members'), units, each(recordOf)],
    ...columns,
    ...Array.from({ length: columnsMax - columns.length }, () => none),
    ...[units, scopes, each(eventOf)],
  ];
  const lines = [
    bind(getSql('applications'), [`'${puts[0]?.application}'`]),
    // The revisions that the commit expects and sets, as a node works them out.
    `SELECT revisions::text AS expected, array(SELECT r + 1 FROM unnest(revisions) AS r)::text AS next FROM (${bind(revisionsSql, [scopes])}) AS read \\gset`,
    bind(getManySql('lobbies'), [each(put => put.lobby)]),
    bind(getManySql('lobby_members'), [each(put => put.lobby), each(put => put.user)]),
    `SELECT topic, count(*) AS sessions FROM rallypoint.connections WHERE topic = ANY (${each(put => `player/${put.application}/${put.user}`)}::text[]) GROUP BY topic`,
    bind(getManySql('users'), [each(put => put.user)]),
    bind(commitBatchSql, commit),
  ];
  return lines.map(line => `${line.replace(/\s+/g, ' ').trim()}${line.endsWith('\\gset') ? '' : ';'}\n`).join('');
}

function recordOf({ application, lobby, user }: MemberPut): string {
  return JSON.stringify({
    ...{ lobby_id: lobby, user_id: user, application_id: application, metadata: { team: 'blue', slot: '1000' } },
    ...{ flags: 0, additional_name: null, voice: null, voice_session_id: null },
  });
}

function eventOf({ application, lobby, user }: MemberPut): string {
  const shown = { id: user, username: `player${user}`, global_name: null, discriminator: '0', avatar: null };
  const member = {
    ...{ user_id: user, user: { ...shown, primary_guild: null, public_flags: 0, flags: 0 } },
    ...{ metadata: { team: 'blue', slot: '1000' }, flags: 0, connected: false },
  };
  const head = { scope: `lobby/${lobby}`, revision: 1000, name: 'LOBBY_MEMBER_UPDATE' };
  return `${JSON.stringify(head)} ${JSON.stringify({ member, lobby_id: lobby, application_id: application })}`;
}

/** The literal of an array. */
function array(values: readonly (string | null)[]): string {
  const text = `{${values.map(value => (value === null ? 'NULL' : JSON.stringify(value))).join(',')}}`;
  // `pgbench` takes a colon for the start of a variable, in literals as well.
  return `E'${text.replaceAll('\\', '\\\\').replaceAll("'", "''").replaceAll(':', '\\x3a')}'`;
}

/** The statement with its parameters in place, the last first: `$12` begins like `$1`. */
function bind(sql: string, values: readonly string[]): string {
  return values.reduceRight((text, value, at) => text.replaceAll(`$${at + 1}`, () => value), sql);
}
