import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import type { Finding } from '../../../../src/sdk/redirect/doctor/finding.ts';
import { builtAddon, root } from '../../built.ts';

export { registerScheme, unregisterScheme } from '../../../../src/sdk/redirect/registration/register.ts';

/** The program of the agent itself. */
export const program = (): string => process.execPath;

export async function handlerOf(scheme: string): Promise<unknown> {
  return (await builtAddon()).handlerOf(scheme) ?? null;
}

/** What `rallypoint doctor` finds, and the code it ends with. */
export async function runDoctor(scheme: string): Promise<{ code: number | null; findings: readonly Finding[] }> {
  const args = [join(root, 'bin', 'rallypoint.js'), 'doctor', '--scheme', scheme, '--json'];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  const [findings, [code]] = await Promise.all([json(child.stdout), once(child, 'exit')]);
  return { code, findings: findings as Finding[] };
}
