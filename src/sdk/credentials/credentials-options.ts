import type { Clock, Entropy, Logger } from '../../wire/clock/ports.ts';
import type { Keychain } from '../keychain/keychain.ts';
import type { CredentialsClient } from './keeper.ts';
import type { ProcessLockKind } from './process-lock.ts';

export interface CredentialsOptions {
  readonly client: CredentialsClient;
  readonly keychain: Keychain;
  /** Absolute; where the processes of the game meet: a lock and a signal, no secrets. Default: the user's data folder. */
  readonly folder?: string | undefined;
  /** The keychain's entry. Default: the application id. */
  readonly account?: string | undefined;
  /** Which locks may be used, in the order of preference. Default: all. */
  readonly locks?: readonly ProcessLockKind[] | undefined;
  /** Hears what becomes of the credential; never a token. Default: nobody. */
  readonly logger?: Logger | undefined;
  readonly clock?: Clock | undefined;
  readonly entropy?: Entropy | undefined;
}
