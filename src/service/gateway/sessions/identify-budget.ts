import { limitProfiles, type RateLimit } from '../../../model/limits/limit-profiles.ts';
import type { ApplicationId, UserId } from '../../../model/snowflake.ts';
import type { LimitState } from '../../bus/contract.ts';
import type { Core } from '../../core.ts';
import { serviceLimits } from '../../support/service-limits.ts';
import type { Shard } from './shard.ts';

/**
 * How many sessions a bot or a user may still start, and how fast.
 * @see docs/spec/gateway.md#starting-limits; docs/spec/gateway.md#sharding
 */
export interface IdentifyBudget {
  readonly limit: RateLimit;
  /**
   * Counts one identify. `pace`: too soon after another with the same key, and not counted. `day`: the day's budget
   * is used up.
   */
  spend(applicationId: ApplicationId, shard: Shard | null): Promise<'pace' | 'day' | undefined>;
  /** As `spend`, for a user, with any client. */
  spendOfUser(userId: UserId): Promise<'pace' | 'day' | undefined>;
  look(applicationId: ApplicationId): Promise<LimitState>;
}

export function createIdentifyBudget(core: Core): IdentifyBudget {
  const { 'gateway-identify': enforced, 'gateway-identify-pace': pace } = core.limits.buckets;
  const { 'gateway-identify-user': ofUser, 'gateway-identify-user-pace': userPace } = core.limits.buckets;
  // Clients expect a number even where nothing is limited.
  const limit = enforced ?? limitProfiles.standard.buckets['gateway-identify'] ?? { requests: 1, windowMs: 0 };
  const name = (applicationId: ApplicationId) => `gateway-identify/${applicationId}`;
  return {
    limit,
    async spend(applicationId, shard) {
      const key = (shard?.[0] ?? 0) % serviceLimits.gatewayMaxConcurrency;
      if (pace && !(await core.bus.count(`gateway-identify-pace/${applicationId}/${key}`, pace)).allowed) return 'pace';
      if (enforced && !(await core.bus.count(name(applicationId), enforced)).allowed) return 'day';
      return undefined;
    },
    async spendOfUser(userId) {
      if (userPace && !(await core.bus.count(`gateway-identify-user-pace/${userId}`, userPace)).allowed) return 'pace';
      if (ofUser && !(await core.bus.count(`gateway-identify-user/${userId}`, ofUser)).allowed) return 'day';
      return undefined;
    },
    async look(applicationId) {
      return core.bus.count(name(applicationId), limit, 0);
    },
  };
}
