import { describe, expect, it } from 'vitest';
import { rallypoint } from '../../src/cli/rallypoint.ts';
import { systemTerminal } from '../../src/cli/terminal.ts';

async function run(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  let stdout = '';
  let stderr = '';
  const code = await rallypoint(args, {
    ...systemTerminal,
    stdout: { write: text => (stdout += text) },
    stderr: { write: text => (stderr += text) },
  });
  return { code, stdout, stderr };
}

describe.each(['backup', 'restore'])('rallypoint %s', command => {
  it('shows its help', async () => {
    const help = await run('help', command);
    expect(help).toMatchObject({ code: 0, stderr: '' });
    expect(help.stdout).toContain(`Usage: rallypoint ${command} FILE [options]`);
    for (const line of help.stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(125);
    for (const flag of ['-h', '--help']) expect(await run(command, flag)).toEqual(help);
  });

  it.each([
    [[], /^rallypoint: "rallypoint (backup|restore)" needs a FILE: /],
    [['one', 'two'], /takes one FILE \(got "one" and "two"\)/],
    [['one', '--dta', 'x'], /Did you mean "--data"/],
    [['one', '--data'], /--data needs a value/],
  ])('rejects %j as wrong use', async (args, told) => {
    const { code, stdout, stderr } = await run(command, ...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(told);
  });

  it('says in one line what it could not do', async () => {
    const { code, stdout, stderr } = await run(command, 'nowhere/backup.sqlite', '--data', 'nowhere/state');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    const ofFolder = /^rallypoint: \S+ does not exist\. Check the path of the data folder\.\n$/;
    expect(stderr).toMatch(command === 'backup' ? ofFolder : /^rallypoint: \S+ does not exist\.\n$/);
  });
});
