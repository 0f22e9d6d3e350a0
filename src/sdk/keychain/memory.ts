import type { Keychain } from './keychain.ts';

/** Keeps secrets in this process only. */
export function memoryKeychain(): Keychain {
  const secrets = new Map<string, string>();
  return {
    tier: 'memory',
    get: async account => secrets.get(account),
    set: async (account, secret) => {
      secrets.set(account, secret);
    },
    delete: async account => secrets.delete(account),
  };
}
