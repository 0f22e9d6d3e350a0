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
  /** Counts one identify. @returns undefined unless it comes too soon */
  spend(applicationId: ApplicationId, shard: Shard | null): Promise<IdentifyRefusal | undefined>;
  /** As `spend`, for a user, with any client. */
  spendOfUser(userId: UserId): Promise<IdentifyRefusal | undefined>;
  look(applicationId: ApplicationId): Promise<LimitState>;
}

/** Why an identify is not accepted. */
export interface IdentifyRefusal {
  /** `pace`: too soon after another with the same key, and not counted. `day`: the day's budget is used up. */
  readonly reason: 'pace' | 'day';
  /** How long it takes until the next one is accepted. */
  readonly waitMs: number;
}

export function createIdentifyBudget(core: Core): IdentifyBudget {
  const { 'gateway-identify': enforced, 'gateway-identify-pace': pace } = core.limits.buckets;
  const { 'gateway-identify-user': ofUser, 'gateway-identify-user-pace': userPace } = core.limits.buckets;
  // Clients expect a number even where nothing is limited.
  const limit = enforced ?? limitProfiles.standard.buckets['gateway-identify'] ?? { requests: 1, windowMs: 0 };
  const name = (applicationId: ApplicationId) => `gateway-identify/${applicationId}`;

  async function count(reason: IdentifyRefusal['reason'], counted: string, of: RateLimit | undefined) {
    const state = of && (await core.bus.count(counted, of));
    if (!state || state.allowed) return undefined;
    return { reason, waitMs: Math.max(0, state.resetAtMs - core.clock.now()) };
  }

  return {
    limit,
    async spend(applicationId, shard) {
      const key = (shard?.[0] ?? 0) % serviceLimits.gatewayMaxConcurrency;
      const tooSoon = await count('pace', `gateway-identify-pace/${applicationId}/${key}`, pace);
      return tooSoon ?? count('day', name(applicationId), enforced);
    },
    async spendOfUser(userId) {
      const tooSoon = await count('pace', `gateway-identify-user-pace/${userId}`, userPace);
      return tooSoon ?? count('day', `gateway-identify-user/${userId}`, ofUser);
    },
    async look(applicationId) {
      return core.bus.count(name(applicationId), limit, 0);
    },
  };
}
