import { spawnSync } from 'node:child_process';

/** Runs a program and gives what it printed. @throws Error with what it printed as its reason */
export function run(folder: string, program: string, ...args: string[]): string {
  const shell = process.platform === 'win32' && program === 'npm';
  const { error, status, stdout, stderr } = spawnSync(program, args, { cwd: folder, encoding: 'utf8', shell });
  if (error) throw new Error(`${program} could not be started: ${error.message}`);
  if (status !== 0) throw new Error(`"${program} ${args.join(' ')}" failed: ${stderr.trim() || stdout.trim()}`);
  return stdout;
}
