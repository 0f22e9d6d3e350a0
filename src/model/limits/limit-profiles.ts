import { globalLimit, limits } from './limits.ts';

/** `requests` calls within any window of `windowMs` that begins with the first of them. */
export interface RateLimit {
  readonly requests: number;
  readonly windowMs: number;
  /** All users of an application count together. */
  readonly perApplication?: true;
  /** Each user whom the path names counts separately. */
  readonly perRecipient?: true;
}

/**
 * What a limit counts. Each application or user, identified by its credential, has its own count of every bucket.
 * `global` spans all routes of a credential or, without one, of the caller's address.
 */
export type RateLimitBucket =
  | 'global'
  | 'lobby-create'
  | 'lobby-edit'
  | 'lobby-delete'
  | 'lobby-get'
  | 'lobby-member-add'
  | 'lobby-member-remove'
  | 'lobby-member-bulk'
  | 'lobby-join'
  | 'lobby-message'
  | 'lobby-link'
  | 'lobby-invite'
  | 'lobby-invite-own'
  | 'direct-message'
  /** Not a route's: counts the users to whom a user writes without a conversation. */
  | 'direct-message-open'
  /** Not a route's: counts a user's invites and join requests. */
  | 'activity-invite'
  | 'command-read'
  | 'command-write'
  | 'command-bulk'
  /** Not a route's: counts the commands that a scope gains, one call may add many. */
  | 'command-create'
  | 'interaction-invoke'
  | 'gateway-identify'
  /** Counted for every key of `limits.gatewayMaxConcurrency`. */
  | 'gateway-identify-pace'
  /** As the two above, of a user's sessions. */
  | 'gateway-identify-user'
  | 'gateway-identify-user-pace'
  /** Counted for every session. */
  | 'gateway-presence'
  /** Requests for all members, counted for every guild. */
  | 'gateway-all-members'
  /** Not a route's: relationships that a user asks for, of both kinds. */
  | 'friend-request'
  /** Not a route's: failed proofs at the token endpoints, counted for every application and address. */
  | 'oauth-proof'
  /** Not a route's: external proofs of identity that failed, counted for every application and address. */
  | 'external-proof'
  /** As above, sent by an application's own server with the client secret, counted for every application. */
  | 'external-proof-server'
  /** Not a route's: device codes that are requested, counted for every application and address. */
  | 'oauth-device'
  /** Not a route's: device codes that a user typed in and that the service had not issued. */
  | 'oauth-user-code'
  /** Not a route's: wrong passwords, counted for every name given, there or not, and address. */
  | 'sign-in-user'
  /** As above, counted for every name from all addresses; beyond it each address has one attempt. */
  | 'sign-in-name'
  /** As above, counted for every address. */
  | 'sign-in-address';

/** A dated set of rate limits. They are data, so that they can change without the code. A bucket without a row is unlimited. */
export interface LimitProfile {
  readonly name: LimitProfileName;
  /** The day its figures were read, ISO 8601. */
  readonly asOf: string;
  readonly buckets: Readonly<Partial<Record<RateLimitBucket, RateLimit>>>;
  /** Lobbies that one user can be in with one application; absent: any number. */
  readonly lobbiesPerUserMax?: number;
  /** Lobbies of one application; absent: any number. */
  readonly lobbiesPerApplicationMax?: number;
  /** Identities of one application's provisional accounts; absent: any number. */
  readonly identitiesPerApplicationMax?: number;
  /** Absent: no address is blocked. */
  readonly invalidRequests?: InvalidRequestLimit;
}

/**
 * Answers of 401, 403 and 429 to requests without a valid credential, within a window; after so many of them such requests of the
 * address are blocked.
 */
export interface InvalidRequestLimit extends RateLimit {
  /** Of the first block; each that follows before as long as `blockMaxMs` has passed is twice as long as the one before. */
  readonly blockMs: number;
  /** The longest; `blockMs` when absent. */
  readonly blockMaxMs?: number;
}

export type LimitProfileName = 'standard' | 'development' | 'off';

const second = 1000;
const minute = 60_000;
const hour = 3_600_000;
const day = 24 * hour;

/** @see docs/spec/gateway.md#sessions; docs/spec/gateway.md#rates */
const gatewayBuckets = {
  'gateway-identify': { requests: 1000, windowMs: day },
  'gateway-identify-pace': { requests: 1, windowMs: 5 * second },
  // Unspecified: there are figures for bots only. A user may have several games, windows and devices.
  'gateway-identify-user': { requests: 1000, windowMs: day },
  'gateway-identify-user-pace': { requests: 10, windowMs: 10 * second },
  'gateway-presence': { requests: 5, windowMs: 20 * second },
  // Unspecified: the figure.
  'gateway-all-members': { requests: 1, windowMs: 30 * second },
} as const;

/** Unspecified: the guides say 100, the client's header 200. This is the documented figure. */
const lobbiesPerUserMax = 100;

/** Unspecified: what fits into a store beside the records of others, and is far beyond what a game needs at a time. */
const perApplication = { lobbiesPerApplicationMax: 250_000, identitiesPerApplicationMax: 10_000_000 } as const;

/** @see docs/spec/limits.md#rate-limits */
const hundredInTwoHours = { requests: 100, windowMs: 2 * hour, perApplication: true } as const;

const commandCreates = { requests: limits.commandCreatesPerDay, windowMs: day } as const;

/** Unspecified: the figures of requests and invites. Conversations and invites are counted for a user, of all applications together. */
const socialBuckets = {
  'direct-message-open': { requests: 10, windowMs: 10 * minute },
  'activity-invite': { requests: 10, windowMs: minute },
  'friend-request': { requests: 30, windowMs: minute },
} as const;

/**
 * Deviation: blocks are short, grow, and do not affect callers with a valid credential. The hosted service blocks an address for
 * a day; behind a proxy that would block all callers.
 *
 * @see docs/spec/limits.md#blocked-addresses
 */
const invalidRequests: InvalidRequestLimit = {
  requests: 10_000,
  windowMs: 10 * minute,
  blockMs: 30 * second,
  blockMaxMs: 15 * minute,
};

/**
 * Limits on guessing. Unspecified: the figures. They allow for a person's typing errors, and give an attacker who guesses a
 * device's code before it expires one chance in some 400 million.
 */
const attemptBuckets = {
  'oauth-proof': { requests: 30, windowMs: minute },
  'external-proof': { requests: 30, windowMs: minute },
  'external-proof-server': { requests: 300, windowMs: minute },
  'oauth-user-code': { requests: 10, windowMs: minute },
  'sign-in-user': { requests: 5, windowMs: 5 * minute },
  'sign-in-name': { requests: 100, windowMs: hour },
  'sign-in-address': { requests: 30, windowMs: 5 * minute },
} as const;

/** Unspecified: the figure. A code is kept for as long as this window. */
const deviceBuckets = { 'oauth-device': { requests: 600, windowMs: 5 * minute } } as const;

/**
 * - `standard`: the figures of the base description
 * - `development`: what the hosted service allows an application that is not approved
 * - `off`: no rate is limited
 *
 * @see docs/spec/limits.md#rate-limits
 */
export const limitProfiles: Readonly<Record<LimitProfileName, LimitProfile>> = {
  standard: {
    name: 'standard',
    asOf: '2026-11-28',
    buckets: {
      global: globalLimit,
      'lobby-create': { requests: 500, windowMs: 10 * second },
      'lobby-delete': { requests: 500, windowMs: 10 * second },
      'lobby-get': { requests: 500, windowMs: 10 * second },
      'lobby-member-add': { requests: 5000, windowMs: 10 * second },
      'lobby-member-remove': { requests: 5000, windowMs: 10 * second },
      'lobby-join': { requests: 10, windowMs: 60 * second },
      'lobby-message': { requests: 3000, windowMs: 2 * hour },
      'direct-message': { requests: 5, windowMs: 5 * second, perRecipient: true },
      'command-create': commandCreates,
      ...gatewayBuckets,
      ...attemptBuckets,
      ...deviceBuckets,
      ...socialBuckets,
    },
    invalidRequests,
    lobbiesPerUserMax,
    ...perApplication,
  },
  development: {
    name: 'development',
    asOf: '2026-08-06',
    buckets: {
      global: globalLimit,
      'lobby-create': hundredInTwoHours,
      'lobby-edit': hundredInTwoHours,
      'lobby-member-add': hundredInTwoHours,
      'lobby-member-remove': hundredInTwoHours,
      'lobby-member-bulk': hundredInTwoHours,
      'lobby-join': hundredInTwoHours,
      'lobby-message': hundredInTwoHours,
      'lobby-link': { ...hundredInTwoHours, requests: 20 },
      'lobby-invite': hundredInTwoHours,
      'lobby-invite-own': hundredInTwoHours,
      'direct-message': hundredInTwoHours,
      // Unspecified: this follows the "about 5 per 20 s" seen on the hosted service; reads and bulk writes have their own buckets.
      'command-write': { requests: 5, windowMs: 20 * second },
      'command-create': commandCreates,
      ...gatewayBuckets,
      ...attemptBuckets,
      ...deviceBuckets,
      ...socialBuckets,
    },
    invalidRequests,
    lobbiesPerUserMax,
    ...perApplication,
  },
  off: { name: 'off', asOf: '2026-11-29', buckets: {}, ...perApplication, lobbiesPerApplicationMax: 2_000_000 },
};

/** What an application can have its limit over all routes raised to, in requests a second. @see docs/spec/limits.md */
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
