import { createHmac } from 'node:crypto';
import type { UserId } from '../../../model/snowflake.ts';
import type { Core } from '../../core.ts';
import type { UserRecord } from '../../store/records.ts';
import { hashSecret, isSameSecret } from '../../support/secret.ts';
import { createSecret } from '../token/tokens.ts';

/** Unspecified: how long a browser stays signed in to the authorization pages. */
export const signInLifeMs = 24 * 3_600_000;

/** A user who is signed in to the pages. */
export interface SignedIn {
  readonly user: UserRecord;
  readonly atMs: number;
}

/** Browsers at the authorization pages, each identified by the secret in its cookie. */
export interface SignIns {
  /** Creates a secret that signs nobody in. */
  anonymous(): string;
  /** Signs the user in. @returns the new secret for the browser's cookie */
  open(userId: UserId): Promise<string>;
  /** The user who is signed in with a secret. */
  load(secret: string): Promise<SignedIn | undefined>;
  /** Signs out; does nothing when nobody is signed in. */
  close(secret: string): Promise<void>;
}

export function createSignIns(core: Core): SignIns {
  return {
    anonymous: () => createSecret(core),

    async open(userId) {
      const secret = createSecret(core);
      const hash = hashSecret(secret);
      await core.store.transact(`sign-in/${hash}`, transaction =>
        transaction.put('sign_ins', { hash, user_id: userId, expires_at_ms: core.clock.now() + signInLifeMs }),
      );
      return secret;
    },

    async load(secret) {
      const signIn = await core.store.get('sign_ins', hashSecret(secret));
      if (!signIn || signIn.expires_at_ms <= core.clock.now()) return undefined;
      const user = await core.store.get('users', signIn.user_id);
      return user && { user, atMs: signIn.expires_at_ms - signInLifeMs };
    },

    async close(secret) {
      const hash = hashSecret(secret);
      await core.store.transact(`sign-in/${hash}`, transaction => transaction.delete('sign_ins', hash));
    },
  };
}

/** The token that a form must carry to prove that it comes from a page of the browser with this secret. */
export function formToken(secret: string): string {
  return createHmac('sha256', secret).update('form').digest('base64url');
}

/** Compares in constant time. */
export function isFormToken(secret: string, given: unknown): boolean {
  return typeof given === 'string' && isSameSecret(formToken(secret), given);
}
