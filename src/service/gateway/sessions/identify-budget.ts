import { limitProfiles, type RateLimit } from '../../../model/limits/limit-profiles.ts';
import type { ApplicationId, UserId } from '../../../model/snowflake.ts';
import { type Clock, systemClock } from '../../../wire/clock/ports.ts';
import { VirtualClock } from '../../../wire/clock/virtual-clock.ts';
import type { LimitState } from '../../bus/contract.ts';
import { localBus } from '../../bus/local.ts';
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
  /** How long it takes until the next one is accepted, by each clock that counts. */
  readonly waits: readonly { readonly clock: Clock; readonly ms: number }[];
}

export function createIdentifyBudget(core: Core): IdentifyBudget {
  const { 'gateway-identify': enforced, 'gateway-identify-pace': pace } = core.limits.buckets;
  const { 'gateway-identify-user': ofUser, 'gateway-identify-user-pace': userPace } = core.limits.buckets;
  // Clients expect a number even where nothing is limited.
  const limit = enforced ?? limitProfiles.standard.buckets['gateway-identify'] ?? { requests: 1, windowMs: 0 };
  const name = (applicationId: ApplicationId) => `gateway-identify/${applicationId}`;
  // A virtual clock may stand still for ever: there the pace is kept by the system's time, too, and the first of both ends a wait.
  const bySystem = { clock: systemClock, bus: localBus(systemClock) };
  const counters = { day: [core], pace: core.clock instanceof VirtualClock ? [core, bySystem] : [core] };

  async function count(
    reason: IdentifyRefusal['reason'],
    counted: string,
    of: RateLimit | undefined,
  ): Promise<IdentifyRefusal | undefined> {
    if (!of) return undefined;
    const states = await Promise.all(
      counters[reason].map(async ({ bus, clock }) => ({ clock, ...(await bus.count(counted, of)) })),
    );
    if (states.some(({ allowed }) => allowed)) return undefined;
    const waits = states.map(({ clock, resetAtMs }) => ({ clock, ms: Math.max(0, resetAtMs - clock.now()) }));
    return { reason, waits };
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
