import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { optionsOf } from '../../src/cli/commands/settings.ts';
import { rallypoint } from '../../src/cli/rallypoint.ts';
import { serveOptions } from '../../src/cli/serve-options.ts';
import { needs } from '../support/runs/parts.ts';

async function run(...args: readonly string[]) {
  let stdout = '';
  let stderr = '';
  const code = await rallypoint(['completion', ...args], {
    stdout: { write: text => (stdout += text) },
    stderr: { write: text => (stderr += text) },
    environment: {},
    askHidden: async () => undefined,
    askWhether: async () => undefined,
  });
  return { code, stdout, stderr };
}

const linux = await needs('linux');

describe('rallypoint completion', () => {
  it.each(['bash', 'zsh', 'fish'])('prints a script for %s that knows every option', async shell => {
    const { code, stdout, stderr } = await run(shell);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const groups = [...Object.values(serveOptions), ...Object.values(optionsOf())];
    for (const option of groups.flatMap(rows => Object.keys(rows))) {
      expect(stdout).toContain(shell === 'fish' ? `-l ${option} ` : `--${option}`);
    }
  });

  it.each([
    [[], /Name a shell: rallypoint completion bash\|zsh\|fish/],
    [['zhs'], /Did you mean "zsh"/],
    [['bash', 'x'], /takes one shell \(got "x" too\)/],
  ])('rejects %j as wrong usage', async (args, told) => {
    const { code, stdout, stderr } = await run(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(told);
  });

  it('begins the script for zsh with the line by which zsh finds it in its function path', async () => {
    expect((await run('zsh')).stdout).toMatch(/^#compdef rallypoint\n/);
  });

  it('shows its help', async () => {
    expect((await run('--help')).stdout).toContain('source <(rallypoint completion bash)');
  });

  describe.skipIf(linux.missing)(`in bash${linux.note}`, () => {
    /** What bash offers for a line, of which the last word is being typed. */
    async function offered(line: string): Promise<string[]> {
      const folder = mkdtempSync(join(tmpdir(), 'rallypoint-completion-'));
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
      writeFileSync(join(folder, 'my fixtures.json'), '{}');
      mkdirSync(join(folder, 'my state'));
      const script = `${(await run('bash')).stdout}
        COMP_WORDS=(${line
          .split(' ')
          .map(word => `'${word}'`)
          .join(' ')}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
        _rallypoint; printf '%s\\n' "\${COMPREPLY[@]}"`;
      const shown = execFileSync('bash', ['--norc', '-c', script], { cwd: folder, encoding: 'utf8' });
      return shown.split('\n').filter(word => word !== '');
    }

    it.each([
      [
        'rallypoint ',
        [
          'init',
          'dev',
          'serve',
          'users',
          'lobbies',
          'token',
          'clock',
          'fault',
          'use',
          'logs',
          'commands',
          'doctor',
          'backup',
          'restore',
          'move',
          'migrate',
          'completion',
          'help',
          '--help',
          '--version',
        ],
      ],
      ['rallypoint clock ', ['show', 'advance', '--help']],
      ['rallypoint fault add d', ['drop']],
      ['rallypoint fault add --scope g', ['global']],
      ['rallypoint logs --f', ['--follow']],
      ['rallypoint init --n', ['--name']],
      ['rallypoint com', ['commands', 'completion']],
      ['rallypoint commands ', ['plan', 'deploy', 'check', 'pull', 'show', '--help']],
      ['rallypoint serve --l', ['--limits', '--log-level', '--log-requests']],
      ['rallypoint serve --limits ', ['standard', 'development', 'off']],
      ['rallypoint serve --port ', []],
      ['rallypoint serve --fixtures m', ['my fixtures.json', 'my state']],
      ['rallypoint serve --data m', ['my state']],
      ['rallypoint commands deploy --y', ['--yes']],
      ['rallypoint commands pull --y', []],
      ['rallypoint commands deploy m', ['my fixtures.json', 'my state']],
      ['rallypoint commands show --locale pt', ['pt-BR']],
      ['rallypoint completion z', ['zsh']],
      ['rallypoint help d', ['dev', 'doctor']],
    ])('offers for "%s" %j', async (line, words) => {
      expect((await offered(line)).sort()).toEqual([...words].sort());
    });
  });
});
