import { createHmac } from 'node:crypto';
import type { UserId } from '../../../../model/snowflake.ts';
import { isOfPresentEpoch, presentEpoch } from '../../../auth/credentials-epoch.ts';
import type { Core } from '../../../core.ts';
import type { UserRecord } from '../../../store/records.ts';
import { RequestError } from '../../../support/request-error.ts';
import { hashSecret, isSameSecret } from '../../../support/secret.ts';
import { serviceLimits } from '../../../support/service-limits.ts';
import { userScope } from '../provisional/user.ts';
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
      await core.store.transact(userScope(userId), async transaction => {
        const user = await transaction.get('users', userId);
        if (!user) throw new RequestError('unknown_user');
        const held = await transaction.list('sign_ins', { index: 'byUser', equals: [userId] });
        const oldestFirst = held.toSorted((a, b) => a.expires_at_ms - b.expires_at_ms);
        const surplus = Math.max(0, held.length - serviceLimits.signInsPerUserMax + 1);
        for (const { hash: oldest } of oldestFirst.slice(0, surplus)) transaction.delete('sign_ins', oldest);
        const expires_at_ms = core.clock.now() + signInLifeMs;
        transaction.put('sign_ins', { hash, user_id: userId, expires_at_ms, ...presentEpoch(user) });
      });
      return secret;
    },

    async load(secret) {
      const signIn = await core.store.get('sign_ins', hashSecret(secret));
      if (!signIn || signIn.expires_at_ms <= core.clock.now()) return undefined;
      const user = await core.store.get('users', signIn.user_id);
      if (!user || !isOfPresentEpoch(user, signIn)) return undefined;
      return { user, atMs: signIn.expires_at_ms - signInLifeMs };
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
