import { ArgumentError } from '../../model/errors/errors.ts';
import { requireType } from '../../wire/arguments.ts';
import { checkFolder } from '../folder-option.ts';
import { type KeychainOptions, keychainTiers, type OpenedKeychain } from './keychain.ts';
import { checkService } from './names.ts';

/**
 * Opens the best keychain of the tiers in `allow`. The result's `tier` and `backend` say which it is. Entries that another
 * backend holds are found too.
 *
 * @throws ArgumentError `missing_service`, `invalid_service`, `invalid_tiers`, `invalid_folder`, `invalid_argument`
 * @throws KeychainError when no allowed keychain can be used: the error of the first one, preferring those that are installed
 */
export async function openKeychain(options: KeychainOptions): Promise<OpenedKeychain> {
  requireType('options', options, 'object');
  const { service, allow, folder } = options;
  checkService(service);
  if (!Array.isArray(allow) || allow.length === 0 || allow.some(tier => !keychainTiers.includes(tier))) {
    throw new ArgumentError(
      'invalid_tiers',
      `allow must list one or more of: ${keychainTiers.join(', ')} (got ${JSON.stringify(allow)}).`,
    );
  }
  checkFolder(folder);
  const { openBestKeychain } = await import('./open-best-keychain.ts');
  return openBestKeychain(options);
}
