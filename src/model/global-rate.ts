import type { LimitProfile } from './limits.ts';

/** What an application can have its limit over all routes raised to, in requests a second. @see interface.md, "Limits" */
export const globalRateMax = 1_200;

/**
 * The profile with another limit over all routes: what the interface gives an application on request. Without it 50 a second
 * are met before the limits of single routes that let more through.
 *
 * @param requestsPerSecond of one application, from 1 to {@link globalRateMax}; this is not checked
 */
export function withGlobalRate(profile: LimitProfile, requestsPerSecond: number): LimitProfile {
  return { ...profile, buckets: { ...profile.buckets, global: { requests: requestsPerSecond, windowMs: 1_000 } } };
}
