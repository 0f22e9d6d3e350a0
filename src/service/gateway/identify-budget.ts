import { limitProfiles, type RateLimit } from '../../model/limits.ts';
import type { ApplicationId } from '../../model/snowflake.ts';
import type { LimitState } from '../bus/contract.ts';
import type { Core } from '../core.ts';

/** How many sessions a bot may still start. @see gateway.md 3, "Starting limits" */
export interface IdentifyBudget {
  readonly limit: RateLimit;
  /** Counts one identify; false: there are none left. */
  spend(applicationId: ApplicationId): Promise<boolean>;
  look(applicationId: ApplicationId): Promise<LimitState>;
}

export function createIdentifyBudget(core: Core): IdentifyBudget {
  const enforced = core.limits.buckets['gateway-identify'];
  // Clients want to be told a number also where nothing is limited.
  const limit = enforced ?? limitProfiles.standard.buckets['gateway-identify'] ?? { requests: 1, windowMs: 0 };
  const name = (applicationId: ApplicationId) => `gateway-identify/${applicationId}`;
  return {
    limit,
    async spend(applicationId) {
      return !enforced || (await core.bus.count(name(applicationId), enforced)).allowed;
    },
    async look(applicationId) {
      return core.bus.count(name(applicationId), limit, 0);
    },
  };
}
