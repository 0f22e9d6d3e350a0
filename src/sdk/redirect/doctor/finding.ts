/** What the doctor looks at, in the order of its findings. */
export const findingCodes = [
  /** Whether this process runs with the rights of the person at the desktop. */
  'rights',
  /** The native addon. */
  'addon',
  /** The forwarder. */
  'forwarder',
  /** Whether the system opens the scheme by the game, or by whom else. */
  'registration',
  /** Whether what the system starts for the scheme is there. */
  'handler_command',
  /** Whether the system's opener can pass on addresses of the scheme. */
  'opener',
  /** The folder of the game's socket. */
  'folder',
  /** Whether a running game answers. */
  'listener',
  /** Whether a loopback port can be opened. */
  'loopback',
  /** The best keychain of the system. */
  'keychain',
] as const;
export type FindingCode = (typeof findingCodes)[number];

/** One thing the doctor looked at. */
export interface Finding {
  readonly code: FindingCode;
  /** Whether signing in works as far as this is concerned. */
  readonly ok: boolean;
  /** What was found: a sentence or two. */
  readonly message: string;
  /** What to do about it; present when it is not ok. */
  readonly remedy?: string;
}

export function good(code: FindingCode, message: string): Finding {
  return { code, ok: true, message };
}

export function bad(code: FindingCode, message: string, remedy: string): Finding {
  return { code, ok: false, message, remedy };
}
