import { ArgumentError } from '../model/errors/errors.ts';
import { type LimitProfile, type LimitProfileName, limitProfiles } from '../model/limits/limit-profiles.ts';
import type { Entropy, Fetch, Logger } from '../wire/clock/ports.ts';
import { nameOf } from './http/hosts.ts';
import { type SignInMode, signInModes } from './oauth/sign-in/sign-in-mode.ts';
import { isAddressBlock, isLoopback } from './support/network-address.ts';
import { runtimeLimits, storeLimits } from './support/service-limits.ts';
import type { Fixtures } from './testing/fixtures/document.ts';

/** How {@link startService} is asked for a service. Everything has a default. */
export interface ServiceOptions {
  /** What to begin with; ids and secrets left out are generated and given back. */
  readonly fixtures?: Fixtures;
  /** A named profile of rate limits, or one of one's own; `standard` when absent. */
  readonly limits?: LimitProfileName | LimitProfile;
  /** `system` (default), or `virtual`: time starts at the system's now, or at the given instant, and moves when advanced. */
  readonly clock?: 'system' | 'virtual' | { readonly virtualFromMs: number };
  /** How people sign in on the pages; `developer` when absent. */
  readonly signIn?: SignInMode;
  /** Address to listen on; `127.0.0.1` when absent. Another than loopback needs {@link signIn} by password. */
  readonly host?: string;
  /** 0 or absent: a free one. */
  readonly port?: number;
  /**
   * What clients elsewhere reach the service by, when that is not where it listens: `https://play.example`, of a proxy that
   * hands everything on. Issuer, pages, gateway and the ready line then name it; control stays where the service listens.
   */
  readonly publicUrl?: string;
  /** The operator's own voice server, which players in a lobby's call are sent to; absent: there is none. */
  readonly voice?: VoiceOptions;
  /**
   * Proxies whose `X-Forwarded-For` is believed: addresses and CIDR blocks, none when absent. Limits and blocks by address
   * then count those the proxies name, instead of the proxies.
   */
  readonly trustedProxies?: readonly string[];
  /**
   * Names and addresses, without ports, that clients may call the service by beside loopback, {@link host} and {@link publicUrl}:
   * requests for any other are answered 421.
   */
  readonly allowedHosts?: readonly string[];
  /**
   * Connections on which nobody has proved who they are yet, at most, and those from one address (of IPv6 from one /64) that is no
   * {@link trustedProxies trusted proxy}; the figures of `intakeLimits` when absent. More are closed immediately.
   */
  readonly connections?: number;
  readonly connectionsPerAddress?: number;
  /**
   * Others reach a service that listens elsewhere than on loopback, or has a {@link publicUrl}: applications' addresses for
   * webhook events and interactions, and those of identity providers, then must not lead to this machine or its network, unless this is true. A {@link fetch} of
   * one's own has to see to it itself.
   */
  readonly allowPrivateWebhooks?: boolean;
  /** Folder that keeps the state; made when missing. Absent: the state is in memory and ends with the service. */
  readonly data?: string;
  /**
   * Statements of the store on disk that take this many milliseconds or more are logged, with their kind and without their
   * values; 250 when absent, 0 logs all of them.
   */
  readonly slowStatementMs?: number;
  /** Bearer of the control API; generated when absent. */
  readonly controlToken?: string;
  /** With developer sign-in whoever reaches the service can sign in as anybody: a public address is refused unless this is true. */
  readonly allowPublicDeveloperSignIn?: boolean;
  /**
   * How long a service that is told to end waits for what is under way, in milliseconds: 10 s when absent. What has not ended
   * by then is cut off.
   */
  readonly drainTimeoutMs?: number;
  /** Says nothing when absent. */
  readonly log?: Logger;
  /** Writes a line to {@link log} for every HTTP request that was answered; false when absent. */
  readonly logRequests?: boolean;
  /**
   * Port of `/healthz`, `/readyz` and `/metrics`, which then are nowhere else; 0: a free one. It answers while the service starts and
   * until it has ended. Absent: they are at {@link port}.
   */
  readonly opsPort?: number;
  readonly entropy?: Entropy;
  readonly fetch?: Fetch;
}

/** A voice server of the operator's. */
export interface VoiceOptions {
  /** As clients are told: a host, and a port where it is not the usual one: `voice.example`, `voice.example:4433`. */
  readonly endpoint: string;
}

/** @throws ArgumentError `unknown_sign_in` */
export function chooseSignIn(signIn: ServiceOptions['signIn'] = 'developer'): SignInMode {
  if (signInModes.includes(signIn)) return signIn;
  throw new ArgumentError(
    'unknown_sign_in',
    `There is no sign-in "${signIn}"; choose one of ${signInModes.join(', ')}.`,
  );
}

/** @throws ArgumentError `unknown_limits` */
export function chooseLimits(limits: ServiceOptions['limits'] = 'standard'): LimitProfile {
  if (typeof limits !== 'string') return limits;
  if (Object.hasOwn(limitProfiles, limits)) return limitProfiles[limits];
  const names = Object.keys(limitProfiles).join(', ');
  throw new ArgumentError('unknown_limits', `There is no limits profile "${limits}"; choose one of ${names}.`);
}

/**
 * The address to listen on.
 *
 * @throws ArgumentError `public_host`
 */
export function checkHost(options: ServiceOptions): string {
  const { host = '127.0.0.1', signIn, allowPublicDeveloperSignIn = false } = options;
  if (isLoopback(host) || signIn === 'password' || allowPublicDeveloperSignIn) return host;
  throw new ArgumentError(
    'public_host',
    `${host} can be reached from outside, where anybody could sign in as anybody. Use 127.0.0.1, let users sign in by password (signIn: 'password'), or allow public developer sign-in by name.`,
  );
}

/**
 * The origin that clients elsewhere reach the service by; undefined when none is given.
 *
 * @throws ArgumentError `invalid_public_url`: more than an origin, or not of the web
 */
export function checkPublicUrl(publicUrl: string | undefined): string | undefined {
  if (publicUrl === undefined) return undefined;
  const url = URL.canParse(publicUrl) ? new URL(publicUrl) : undefined;
  if (url && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`) return url.origin;
  throw new ArgumentError(
    'invalid_public_url',
    `The public URL must be an http or https origin, like https://play.example (got "${publicUrl}").`,
  );
}

/**
 * Where the operator's voice server is; undefined when none is named.
 *
 * @throws ArgumentError `invalid_voice_endpoint`: more than a host and a port, or less
 */
export function checkVoiceEndpoint(endpoint: string | undefined): string | undefined {
  if (endpoint === undefined) return undefined;
  const url = URL.parse(`voice://${endpoint}`);
  if (url && url.host !== '' && url.host === endpoint) return endpoint;
  throw new ArgumentError(
    'invalid_voice_endpoint',
    `The voice endpoint must be a host, with or without a port, like voice.example:4433 (got "${endpoint}").`,
  );
}

/** @throws ArgumentError `invalid_trusted_proxy` */
export function checkTrustedProxies(proxies: readonly string[] = []): readonly string[] {
  const wrong = proxies.find(proxy => !isAddressBlock(proxy));
  if (wrong === undefined) return proxies;
  throw new ArgumentError(
    'invalid_trusted_proxy',
    `A trusted proxy must be an address or a CIDR block, like 127.0.0.1 or 10.0.0.0/8 (got "${wrong}").`,
  );
}

/** @throws ArgumentError `invalid_drain_timeout` */
export function checkDrainTimeout(drainTimeoutMs: number = runtimeLimits.drainTimeoutMs): number {
  const { drainTimeoutMsMax } = runtimeLimits;
  if (drainTimeoutMs >= 0 && drainTimeoutMs <= drainTimeoutMsMax) return drainTimeoutMs;
  throw new ArgumentError(
    'invalid_drain_timeout',
    `drainTimeoutMs must be a number of milliseconds from 0 to ${drainTimeoutMsMax} (got ${drainTimeoutMs}).`,
  );
}

/** @throws ArgumentError `invalid_slow_statement` */
export function checkSlowStatement(slowStatementMs: number = storeLimits.slowStatementMs): number {
  const { slowStatementMsMax } = storeLimits;
  if (slowStatementMs >= 0 && slowStatementMs <= slowStatementMsMax) return slowStatementMs;
  throw new ArgumentError(
    'invalid_slow_statement',
    `slowStatementMs must be a number of milliseconds from 0 to ${slowStatementMsMax} (got ${slowStatementMs}).`,
  );
}

/** What is wrong with a service behind a proxy that was not named; undefined when nothing is. */
export function proxyWarning({
  publicUrl,
  trustedProxies = [],
}: Pick<ServiceOptions, 'publicUrl' | 'trustedProxies'>): string | undefined {
  if (publicUrl === undefined || trustedProxies.length > 0) return undefined;
  return (
    `The service has a public URL (${publicUrl}), and no proxy was named. All who come through the proxy then count as ONE address: ` +
    'one stranger can use up what they share (calls and sign-ins a minute, connections). Name the proxy by its address: ' +
    "--trusted-proxy 127.0.0.1 (trustedProxies: ['127.0.0.1'])."
  );
}

/** @throws ArgumentError `invalid_allowed_host` */
export function checkAllowedHosts(hosts: readonly string[] = []): readonly string[] {
  const wrong = hosts.find(host => nameOf(host) === undefined || /:\d*$/.test(host.replace(/^\[.*\]/, '')));
  if (wrong === undefined) return hosts;
  throw new ArgumentError(
    'invalid_allowed_host',
    `An allowed host must be a name or an address without a port, like rallypoint.internal or [fd00::1] (got "${wrong}").`,
  );
}

/** Whether what applications name must not lead inside. */
export function keepsOutside({ host = '127.0.0.1', publicUrl, allowPrivateWebhooks = false }: ServiceOptions): boolean {
  return !allowPrivateWebhooks && (!isLoopback(host) || publicUrl !== undefined);
}
