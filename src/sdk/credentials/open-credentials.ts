import { isAbsolute } from 'node:path';
import { ArgumentError } from '../../model/errors/errors.ts';
import type { Credentials } from './credentials.ts';
import type { CredentialsOptions } from './credentials-options.ts';

/**
 * Opens what a former start left in the keychain, or nobody's credential. Processes that name the same keychain entry and
 * the same folder share one sign-in.
 *
 * @throws ArgumentError `missing_application_id`, `invalid_folder`; KeychainError: the keychain, or the lock (`lock_unusable`), cannot be
 *   used; TransportError `deadline_exceeded`: another process holds the lock and does not let go
 * @example
 * const credentials = await openCredentials({ client, keychain });
 * if (credentials.snapshot.status === 'signed-out') await credentials.signIn();
 * await credentials.connect(); // a token that ended while the game did not run is refreshed first
 */
export async function openCredentials(options: CredentialsOptions): Promise<Credentials> {
  const { client, folder } = options;
  const { applicationId } = client;
  if (applicationId === undefined) {
    throw new ArgumentError('missing_application_id', 'Set applicationId on the client first.');
  }
  if (folder !== undefined && !isAbsolute(folder)) {
    throw new ArgumentError('invalid_folder', 'folder must be an absolute path.');
  }
  const { openKeeper } = await import('./open-keeper.ts');
  return openKeeper(applicationId, options);
}
