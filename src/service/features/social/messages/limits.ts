import type { RateLimitBucket } from '../../../../model/limits/limit-profiles.ts';
import type { UserId } from '../../../../model/snowflake.ts';
import type { Core } from '../../../core.ts';
import { RequestError } from '../../../support/request-error.ts';

/** Limits on what a user begins, beside those of the routes. @see docs/spec/social.md#limits-of-the-social-layer */
export interface SocialLimits {
  /** Counts a user to whom another begins to write. @throws RequestError `opening_messages_too_fast` */
  countOpened(userId: UserId): Promise<void>;
  /** Counts an invite or a request to join. @throws RequestError `rate_limited` */
  countInvite(userId: UserId): Promise<void>;
}

export function createSocialLimits({ bus, clock, limits }: Pick<Core, 'bus' | 'clock' | 'limits'>): SocialLimits {
  /** Seconds to wait; undefined if it is allowed. */
  async function count(bucket: RateLimitBucket, userId: UserId): Promise<number | undefined> {
    const limit = limits.buckets[bucket];
    if (!limit) return undefined;
    const state = await bus.count(`${bucket}/user/${userId}`, limit);
    return state.allowed ? undefined : Math.max(0, state.resetAtMs - clock.now()) / 1000;
  }

  return {
    async countOpened(userId) {
      const waitSeconds = await count('direct-message-open', userId);
      if (waitSeconds !== undefined) throw new RequestError('opening_messages_too_fast');
    },
    async countInvite(userId) {
      const retry_after = await count('activity-invite', userId);
      if (retry_after !== undefined) throw new RequestError('rate_limited', { retry_after, global: false });
    },
  };
}
