import { spawnSync } from 'node:child_process';

/** Runs a program and gives what it printed. @throws Error with what it printed as its reason */
export function run(folder: string, program: string, ...args: string[]): string {
  const { error, status, stdout, stderr } = start(folder, program, args);
  if (error) throw new Error(`${program} could not be started: ${error.message}`);
  if (status !== 0) throw new Error(`"${program} ${args.join(' ')}" failed: ${stderr.trim() || stdout.trim()}`);
  return stdout;
}

function start(cwd: string, program: string, args: readonly string[]) {
  // The npm that called this, if one did: on Windows "npm" itself is a script for a shell.
  const npm = program === 'npm' ? process.env.npm_execpath : undefined;
  if (npm?.endsWith('.js')) return spawnSync(process.execPath, [npm, ...args], { cwd, encoding: 'utf8' });
  const shell = program === 'npm' && process.platform === 'win32';
  return spawnSync(program, args, { cwd, encoding: 'utf8', shell });
}
