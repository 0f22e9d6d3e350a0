import { stat } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';

/** What determines where redirects arrive and which user may deliver them. */
export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Undefined on Windows. */
  readonly uid: number | undefined;
  readonly userName: string;
  readonly temporaryFolder: string;
}

/** The machine and the user that this process runs as. */
export function thisMachine(): Machine {
  return {
    platform: process.platform,
    environment: process.env,
    uid: process.geteuid?.(),
    userName: nameOfUser(),
    temporaryFolder: tmpdir(),
  };
}

// A user id may have no name.
function nameOfUser(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.geteuid?.() ?? '');
  }
}

/** The variables in which programs that run others as root name the user who called them. */
const elevators = ['SUDO_UID', 'PKEXEC_UID', 'DOAS_USER'] as const;
const rootNames = new Set(['0', 'root', '']);

/**
 * Says why this process runs as another user than the desktop's, whose browser then cannot reach it. Returns undefined when
 * it does not, and on Windows, where {@link isElevatedOnWindows} has to be asked.
 */
export async function elevationOf({ uid, environment }: Machine): Promise<string | undefined> {
  if (uid === undefined) return undefined;
  const by = elevators.find(name => uid === 0 && !rootNames.has(environment[name] ?? ''));
  if (by) return `This process runs as root, but was started by another user (${by} is set).`;
  const { XDG_RUNTIME_DIR: runtime } = environment;
  const owner = runtime ? await ownerOf(runtime) : undefined;
  if (owner === undefined || owner === uid) return undefined;
  return `This process runs as user ${uid} in the session of user ${owner}, who owns XDG_RUNTIME_DIR.`;
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
