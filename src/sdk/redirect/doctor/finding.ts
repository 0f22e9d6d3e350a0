/** What {@link doctor} checks, in the order of its findings. */
export const findingCodes = [
  /** Whether this process runs with the rights of the desktop's user. */
  'rights',
  /** Whether the native addon is loaded. */
  'addon',
  /** Whether the forwarder is found. */
  'forwarder',
  /** Whether the game, or another program, opens the scheme. */
  'registration',
  /** Whether the program that the system starts for the scheme exists. */
  'handler_command',
  /** Whether the system's opener can pass addresses of the scheme. */
  'opener',
  /** Whether only this user can access the folder of the game's socket. */
  'folder',
  /** Whether a running game answers. */
  'listener',
  /** Whether a loopback port can be opened. */
  'loopback',
  /** Whether the system's keychain works. */
  'keychain',
] as const;
export type FindingCode = (typeof findingCodes)[number];

/** The result of one check. */
export interface Finding {
  readonly code: FindingCode;
  /** Whether the check passed. */
  readonly ok: boolean;
  /** What was found, in one or two sentences. */
  readonly message: string;
  /** What to do about it. Present when the check failed. */
  readonly remedy?: string | undefined;
}

export function good(code: FindingCode, message: string): Finding {
  return { code, ok: true, message };
}

export function bad(code: FindingCode, message: string, remedy: string): Finding {
  return { code, ok: false, message, remedy };
}
