/** `@rallypoint/sdk/service`: the whole interface as a service, embedded in this process. */
export { type AnyRallypointError, isRallypointError, RallypointError } from '../model/errors/errors.ts';
export {
  globalRateMax,
  type LimitProfile,
  type LimitProfileName,
  limitProfiles,
  type RateLimit,
  type RateLimitBucket,
  withGlobalRate,
} from '../model/limits/limit-profiles.ts';
export type { ReadyLine, ServiceAddresses } from './addresses.ts';
export { BusError } from './bus/errors.ts';
export type { ServiceOptions, VirtualClockOptions } from './options.ts';
export { type Service, startService } from './service.ts';
export { StoreError } from './store/errors.ts';
export type { ObservedConnection, ObservedRequest, TrafficCaller, TrafficObserver } from './support/traffic.ts';
export type { FaultDocument, FaultMatch } from './testing/faults/fault-document.ts';
export type { ArmedFault, FaultControl } from './testing/faults/faults.ts';
export type { FilledFixtures, Fixtures } from './testing/fixtures/document.ts';
