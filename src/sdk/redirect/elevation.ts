import { stat } from 'node:fs/promises';
import type { Machine } from './machine.ts';

/** Variables that name the person who asked for root's rights, by the program that gave them. */
const elevators = ['SUDO_UID', 'PKEXEC_UID', 'DOAS_USER'] as const;
const rootNames = new Set(['0', 'root', '']);

/**
 * Why this process has other rights than the desktop's user, whose browser then cannot reach it; undefined when it has
 * not, or where that cannot be told (Windows; see {@link isElevatedOnWindows}).
 */
export async function elevation({ uid, environment }: Machine): Promise<string | undefined> {
  if (uid === undefined) return undefined;
  const by = elevators.find(name => uid === 0 && !rootNames.has(environment[name] ?? ''));
  if (by) return `This process runs as root, for a person who is not (${by} is set).`;
  const { XDG_RUNTIME_DIR: runtime } = environment;
  const owner = runtime ? await ownerOf(runtime) : undefined;
  if (owner === undefined || owner === uid) return undefined;
  return `This process runs as user ${uid}, in the session of user ${owner} (XDG_RUNTIME_DIR is theirs).`;
}

function ownerOf(folder: string): Promise<number | undefined> {
  return stat(folder).then(
    ({ uid }) => uid,
    () => undefined,
  );
}

// The mandatory label of elevated processes.
const highIntegrity = 'S-1-16-12288';

/** Asks Windows for the groups of this process. */
export async function isElevatedOnWindows(): Promise<boolean> {
  const { execFile } = await import('node:child_process');
  return new Promise(resolve => {
    execFile('whoami', ['/groups', '/fo', 'csv'], { windowsHide: true }, (_error, stdout) => {
      resolve(stdout.includes(highIntegrity));
    });
  });
}
