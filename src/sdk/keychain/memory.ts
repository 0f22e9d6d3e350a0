import { ArgumentError } from '../../model/errors/errors.ts';
import type { PlacedKeychain } from './keychain.ts';
import { checkAccount, checkSecret } from './names.ts';

const own = { tier: 'memory', backend: 'memory' } as const;

/** Keeps secrets in this process only. Each one that is opened begins empty. */
export function memoryKeychain(): PlacedKeychain {
  const secrets = new Map<string, string>();
  return {
    ...own,
    async get(account) {
      checkAccount(account);
      return secrets.get(account);
    },
    async set(account, secret) {
      checkAccount(account);
      checkSecret(secret);
      secrets.set(account, secret);
    },
    async delete(account) {
      checkAccount(account);
      return secrets.delete(account);
    },
    async holder(account) {
      checkAccount(account);
      return secrets.has(account) ? own : undefined;
    },
    async move(account, to = own.backend) {
      checkAccount(account);
      if (to !== own.backend) {
        throw new ArgumentError('invalid_backend', 'Open a keychain that lasts and set the secret there instead.');
      }
      return secrets.has(account);
    },
  };
}
