import { describe, expect, it } from 'vitest';
import { rallypoint } from '../../src/cli/rallypoint.ts';
import { systemTerminal } from '../../src/cli/terminal.ts';

const database = 'postgres://ada:hunter2@127.0.0.1:1/rallypoint';

async function run(args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  let stdout = '';
  let stderr = '';
  const code = await rallypoint(args, {
    ...systemTerminal,
    environment,
    stdout: { write: text => (stdout += text) },
    stderr: { write: text => (stderr += text) },
  });
  return { code, stdout, stderr };
}

describe.each(['backup', 'restore', 'move', 'migrate'])('rallypoint %s', command => {
  it('shows its help', async () => {
    const help = await run(['help', command]);
    expect(help).toMatchObject({ code: 0, stderr: '' });
    expect(help.stdout).toContain(`Usage: rallypoint ${command} `);
    for (const line of help.stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(127);
    for (const flag of ['-h', '--help']) expect(await run([command, flag])).toEqual(help);
  });
});

describe('the commands for a state', () => {
  it.each([
    [['backup'], /needs a FILE: /],
    [['backup', ''], /needs a FILE: /],
    [['backup', database, '--data', 'x'], /the path of a FILE, not an address; --store takes one/],
    [['restore', 'postgres:ada:hunter2', '--data', 'x'], /the path of a FILE, not an address/],
    [['backup', 'one', '--data', database], /--data takes a folder, not an address \(postgres:…\); --store takes one/],
    [['restore', 'one', '--data', 'sqlite:x'], /--data takes a folder, not an address/],
    [['doctor', '--data', database], /--data takes a folder, not an address/],
    [['serve', '--data', database], /--data takes a folder, not an address/],
    [['backup', 'one', '--out', 'two'], /takes one FILE \(got "two" and "one"\)/],
    [['backup', 'one', '--data', 'x', '--store', database], /--data and --store both say/],
    [['restore', 'one', '--store', 'mysql://x'], /--store cannot be "mysql:"; it can be postgres:\/\/… or sqlite:DIR/],
    [['restore', 'one', '--store', 'memory:'], /--store cannot be "memory:"/],
    [['migrate'], /needs a database: --store postgres:/],
    [['migrate', '--store', 'sqlite:x'], /is for PostgreSQL/],
    [['migrate', '--store', 'foo'], /--store must be postgres:\/\/…\.\n/],
    [['migrate', '--store', 'mysql:x'], /--store cannot be "mysql:"; it can be postgres:\/\/…\.\n/],
    [['migrate', '--store', 'postgres://:::'], /not a valid URL/],
    [['move', '--from', 'state'], /needs two places/],
    [['move', '--from', 'state', '--to', 'other'], /One of --from and --to must be/],
    [['move', '--from', database, '--to', database], /One of --from and --to must be/],
    [['move', '--from', 'redis://x', '--to', database], /--from cannot be "redis:"/],
    [['doctor', '--store', database, '--scheme', 'x'], /--store checks a service and --scheme a game/],
    [['doctor', '--store', database, '--data', 'x'], /--data and --store both say/],
  ])('reject %j as wrong use', async (args, told) => {
    const { code, stdout, stderr } = await run(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(told);
    expect(stderr).not.toContain('hunter2');
  });

  it('reject a data folder beside a database of the environment', async () => {
    const { code, stderr } = await run(['backup', 'one', '--data', 'x'], { RALLYPOINT_STORE: database });
    expect([code, stderr]).toEqual([2, expect.stringContaining('--data and RALLYPOINT_STORE both say')]);
  });

  it('say in one line that a database cannot be reached', async () => {
    const commands = [
      ['backup', 'nowhere.sqlite', '--store', database],
      ['migrate', '--store', database],
      ['migrate', '--dry-run', '--store', database],
      ['move', '--from', database, '--to', 'nowhere/state'],
    ];
    for (const { code, stdout, stderr } of await Promise.all(commands.map(args => run(args)))) {
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(/^rallypoint: PostgreSQL at 127\.0\.0\.1:1\/rallypoint could not be reached [^\n]*\n$/);
      expect(stderr).not.toContain('hunter2');
    }
  });
});
