import { createHmac } from 'node:crypto';
import type { UserId } from '../../../model/snowflake.ts';
import type { Core } from '../../core.ts';
import type { UserRecord } from '../../store/records.ts';
import { hashSecret, isSameSecret } from '../../support/secret.ts';
import { makeSecret } from '../token/tokens.ts';

/** Our choice: how long a browser stays signed in to the authorization pages. */
export const signInLifeMs = 24 * 3_600_000;

/** Browsers signed in to the authorization pages, each known by the secret in its cookie. */
export interface SignIns {
  /** A new secret that signs nobody in yet. */
  anonymous(): string;
  /** Signs the user in. @returns the secret for the browser's cookie; what it had before stays worth nothing */
  open(userId: UserId): Promise<string>;
  /** Who is signed in by a secret. */
  load(secret: string): Promise<UserRecord | undefined>;
  /** Signs out; nothing happens when nobody is signed in. */
  close(secret: string): Promise<void>;
}

export function createSignIns(core: Core): SignIns {
  return {
    anonymous: () => makeSecret(core),

    async open(userId) {
      const secret = makeSecret(core);
      const hash = hashSecret(secret);
      await core.store.transact(`sign-in/${hash}`, transaction =>
        transaction.put('sign_ins', { hash, user_id: userId, expires_at_ms: core.clock.now() + signInLifeMs }),
      );
      return secret;
    },

    async load(secret) {
      const signIn = await core.store.get('sign_ins', hashSecret(secret));
      if (!signIn || signIn.expires_at_ms <= core.clock.now()) return undefined;
      return core.store.get('users', signIn.user_id);
    },

    async close(secret) {
      const hash = hashSecret(secret);
      await core.store.transact(`sign-in/${hash}`, transaction => transaction.delete('sign_ins', hash));
    },
  };
}

/** What a form must carry to show that it comes from a page given to the browser with this secret. */
export function formToken(secret: string): string {
  return createHmac('sha256', secret).update('form').digest('base64url');
}

/** Compares in constant time. */
export function isFormToken(secret: string, given: unknown): boolean {
  return typeof given === 'string' && isSameSecret(formToken(secret), given);
}
