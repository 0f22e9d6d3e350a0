import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { ApplicationId } from '../../model/snowflake.ts';
import { silentLogger, systemClock, systemEntropy } from '../../wire/clock/ports.ts';
import { reportErrors } from '../../wire/error-report.ts';
import { dataFolder } from '../keychain/data-folder.ts';
import { BegunSignIns } from './begun-sign-in.ts';
import { ChangeSignal } from './change-signal.ts';
import { CredentialStore } from './credential-store.ts';
import type { CredentialsOptions } from './credentials-options.ts';
import { handedInKeychain } from './handed-in-keychain.ts';
import { Keeper } from './keeper.ts';
import { openProcessLock } from './process-lock.ts';

/** @see openCredentials */
export async function openKeeper(applicationId: ApplicationId, options: CredentialsOptions): Promise<Keeper> {
  const { client, clock = systemClock, entropy = systemEntropy } = options;
  const keychain = handedInKeychain(options.keychain);
  const logger = reportErrors(options.logger ?? silentLogger);
  const account = options.account ?? applicationId;
  const name = nameOf(applicationId, account);
  const path = join(options.folder ?? dataFolder(), `credentials-${name}`);
  const lock = await openProcessLock({ path: `${path}.lock`, clock, entropy, kinds: options.locks });
  const changed = () => keeper.look();
  const signal = await ChangeSignal.open({ path: `${path}.changed`, clock, entropy, logger, changed });
  const store = new CredentialStore({ keychain, account, applicationId, lock, tell: () => signal.tell(), logger });
  const begun = new BegunSignIns({ keychain, account: `sign-in-${name}`, applicationId, clock, logger });
  const held = { tier: keychain.tier, backend: keychain.backend, lock: lock.kind };
  const keeper = new Keeper({ client, store, begun, held, signal, logger, clock, entropy });
  logger.info(held, 'the credential is kept so');
  try {
    await keeper.begin();
    return keeper;
  } catch (error) {
    await keeper.close();
    throw error;
  }
}

/** A name of plain letters for what may be any text. */
function nameOf(...texts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(texts)).digest('hex').slice(0, 32);
}
