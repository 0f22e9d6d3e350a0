import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { ArgumentError } from '../../model/errors.ts';
import { type Clock, type Entropy, type Logger, silentLogger, systemClock, systemEntropy } from '../../wire/ports.ts';
import { dataFolder } from '../keychain/data-folder.ts';
import type { Keychain } from '../keychain/keychain.ts';
import { ChangeSignal } from './change-signal.ts';
import type { Credentials } from './credentials.ts';
import { type CredentialsClient, Keeper } from './keeper.ts';
import { openProcessLock, type ProcessLockKind } from './process-lock.ts';
import { Vault } from './vault.ts';

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

/**
 * Opens what a former start left in the keychain, or nobody's credential. Processes that name the same keychain entry and
 * the same folder share one sign-in.
 *
 * @throws ArgumentError `missing_application_id`; KeychainError: the keychain, or the lock (`lock_unusable`), cannot be
 *   used; TransportError `deadline_exceeded`: another process holds the lock and does not let go
 * @example
 * const credentials = await openCredentials({ client, keychain });
 * if (credentials.snapshot.status === 'signed-out') await credentials.signIn();
 * await client.connect();
 */
export async function openCredentials(options: CredentialsOptions): Promise<Credentials> {
  const { client, keychain, logger = silentLogger, clock = systemClock, entropy = systemEntropy } = options;
  const { applicationId } = client;
  if (applicationId === undefined) {
    throw new ArgumentError('missing_application_id', 'Set applicationId on the client first.');
  }
  const account = options.account ?? applicationId;
  const path = join(options.folder ?? dataFolder(), `credentials-${nameOf(applicationId, account)}`);
  const lock = await openProcessLock({ path: `${path}.lock`, clock, entropy, kinds: options.locks });
  const changed = () => keeper.look();
  const signal = await ChangeSignal.open({ path: `${path}.changed`, clock, entropy, logger, changed });
  const vault = new Vault({ keychain, account, applicationId, lock, tell: () => signal.tell(), logger });
  const held = { tier: keychain.tier, backend: keychain.backend, lock: lock.kind };
  const keeper = new Keeper({ client, vault, held, signal, logger, clock, entropy });
  logger.info(held, 'the credential is kept so');
  try {
    await keeper.begin();
    return keeper;
  } catch (error) {
    await keeper.close();
    throw error;
  }
}

/** A file name of what may be any text. */
function nameOf(...texts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(texts)).digest('hex').slice(0, 32);
}
