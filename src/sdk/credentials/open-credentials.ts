import { ArgumentError } from '../../model/errors/errors.ts';
import { requireType } from '../../wire/arguments.ts';
import { checkFolder } from '../folder-option.ts';
import type { Credentials, CredentialsOptions } from './credentials.ts';

/**
 * Opens the credential that an earlier run of the game stored; without one, the player is signed out. Processes that pass
 * the same keychain entry and the same folder share one sign-in.
 *
 * @throws ArgumentError `missing_application_id`, `invalid_folder`, `invalid_argument`; KeychainError: the keychain, or the lock (`lock_unusable`), cannot be
 *   used; TransportError `deadline_exceeded`: another process does not release the lock
 * @example
 * const credentials = await openCredentials({ client, keychain });
 * if (credentials.state.status === 'signed-out') await credentials.signIn();
 * await credentials.connect(); // refreshes the token first if it has expired since the last run
 */
export async function openCredentials(options: CredentialsOptions): Promise<Credentials> {
  requireType('options', options, 'object');
  const { client, folder } = options;
  requireType('client', client, 'object');
  requireType('keychain', options.keychain, 'object');
  const { applicationId } = client;
  if (applicationId === undefined) {
    throw new ArgumentError('missing_application_id', 'applicationId is missing: pass it to new Client().');
  }
  checkFolder(folder);
  const { openSharedCredentials } = await import('./shared-credentials.ts');
  return openSharedCredentials(applicationId, options);
}
