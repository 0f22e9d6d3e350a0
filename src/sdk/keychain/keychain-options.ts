import type { Clock, Logger } from '../../wire/clock/ports.ts';
import type { KeychainTier } from './keychain.ts';
import type { SafeStorage } from './safe-storage.ts';

export interface KeychainOptions {
  /** What entries are filed under; the game's own name. */
  readonly service: string;
  /** The tiers that are good enough. New secrets go to the best of them that can be used, and never to another. */
  readonly allow: readonly KeychainTier[];
  /**
   * Absolute. Keeps what does not fit into the system's keychain (encrypted), and which backend has which entry; the
   * same at every start. Default: `rallypoint` in the folder of this user's programs. With memory alone none is used.
   */
  readonly folder?: string | undefined;
  /** Electron's, of the main process, once the app is ready. Without it that backend is not tried. */
  readonly safeStorage?: SafeStorage | undefined;
  /**
   * Whether an entry of a backend that comes after this one in `keychainBackends` is moved here when it is read.
   * Should that fail, the logger is told, and the entry is read where it is. Default false.
   */
  readonly moves?: boolean | undefined;
  /** How long a call may take; at opening, the trial of each backend. Default: {@link keychainDeadlineMsDefault}. */
  readonly deadlineMs?: number | undefined;
  readonly clock?: Clock | undefined;
  /** Told when a better backend could not be used, and when an entry goes from one to another. */
  readonly logger?: Logger | undefined;
}

/** Our choice: D-Bus gives up on a service that does not start after 25 s, and its answer says more than ours. */
export const keychainDeadlineMsDefault = 30_000;
