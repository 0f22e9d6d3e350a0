import { tmpdir, userInfo } from 'node:os';

/** What of the machine decides where redirects arrive and who may bring them. */
export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Undefined on Windows. */
  readonly uid: number | undefined;
  readonly userName: string;
  readonly temporaryFolder: string;
}

/** The machine and the person that this process runs as. */
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
