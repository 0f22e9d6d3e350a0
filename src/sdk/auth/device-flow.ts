import type { Configuration, DeviceAuthorizationResponse } from 'openid-client';
import {
  ApiError,
  ArgumentError,
  OAuthError,
  RateLimitError,
  TransportError,
  ValidationError,
} from '../../model/errors/errors.ts';
import type { ExternalAuth } from '../../model/external-auth.ts';
import { limits } from '../../model/limits/limits.ts';
import { deviceCodeGrantType } from '../../model/oauth.ts';
import { requireType } from '../../wire/arguments.ts';
import { type Clock, type Logger, steadyNow } from '../../wire/clock/ports.ts';
import { externalAuthFields } from '../../wire/external-auth.ts';
import { Deadline } from '../../wire/http/deadline.ts';
import { oauthError } from '../../wire/oauth/oauth-error.ts';
import type { RequestOptions } from '../call-options.ts';
import { AuthorizationArgs, clientIdOf } from './authorization-args.ts';
import { type Library, OAuthCalls, type OAuthPorts } from './oauth-calls.ts';
import { readTokens, type TokenSet } from './token-set.ts';

/** The arguments of {@link Client.getTokenFromDevice}. @see docs/spec/client.md#device-arguments */
export interface DeviceAuthorizationArgs {
  /** The application id. Default: the client's `applicationId`. */
  readonly clientId?: bigint | string | undefined;
  /** Separated by spaces. Default: {@link getDefaultCommunicationScopes}. */
  readonly scopes?: string | undefined;
}

/**
 * - `pending`: the player has not answered yet; show the code and the address
 * - `slow_down`: as `pending`; the service asked for longer intervals
 * - `granted`, `denied`, `expired`: the sign-in has ended
 */
export type DeviceState = 'pending' | 'slow_down' | 'granted' | 'denied' | 'expired';

/** The progress of a sign-in on another device. Frozen. @see docs/spec/oauth2.md#devices */
export interface DeviceProgress {
  readonly state: DeviceState;
  /** The code that the player enters at {@link verificationUri}. */
  readonly userCode: string;
  readonly verificationUri: string;
  /** The same page with the code filled in, for a QR code or a browser that the game opens. */
  readonly verificationUriComplete: string | undefined;
  /** When the code expires, in milliseconds since the Unix epoch. */
  readonly expiresAtMs: number;
  /** The current interval between requests, in milliseconds. */
  readonly intervalMs: number;
}

export interface DeviceOptions extends RequestOptions {
  /** Called when the code is available, and at every change. */
  readonly onProgress?: ((progress: DeviceProgress) => void) | undefined;
}

export interface DeviceFlowPorts extends OAuthPorts {
  readonly logger: Logger;
}

/** Unspecified: the longest interval. While the service cannot be reached, the interval doubles up to this. */
const intervalMsMax = 60_000;
const intervalMsMin = 1_000;

/** Signs a player in on another device, one at a time: requests a code, then polls until the player has answered. */
export class DeviceFlow {
  readonly #calls: OAuthCalls;
  readonly #clock: Clock;
  readonly #logger: Logger;
  #inProgress: AbortController | undefined;

  constructor(ports: DeviceFlowPorts) {
    this.#calls = new OAuthCalls(ports);
    this.#clock = ports.clock;
    this.#logger = ports.logger;
  }

  /** @see {@link Client.getTokenFromDevice} */
  async run(
    given: DeviceAuthorizationArgs,
    applicationId: string | undefined,
    options: DeviceOptions,
    merge?: ExternalAuth,
  ): Promise<TokenSet> {
    const { clientId, scopes } = readArguments(given, applicationId);
    const mergeFields = merge && { ...externalAuthFields(clientId, merge) };
    if (this.#inProgress) {
      throw new ArgumentError(
        'authorization_in_progress',
        'Another sign-in on a device is in progress. Wait for it, or abort it first.',
      );
    }
    const inProgress = new AbortController();
    this.#inProgress = inProgress;
    const signal = options.signal ? AbortSignal.any([options.signal, inProgress.signal]) : inProgress.signal;
    try {
      const requestedAtMs = this.#clock.now();
      const requestedMs = steadyNow(this.#clock);
      const codes = await this.#calls.run('startDevice', clientId, signal, (library, configuration) =>
        library.initiateDeviceAuthorization(configuration, { scope: scopes }),
      );
      const progress = new Progress(codes, requestedAtMs, options.onProgress, this.#logger);
      const lifeMs = codes.expires_in * 1000 - (steadyNow(this.#clock) - requestedMs);
      const deadline = new Deadline(this.#clock, lifeMs, signal);
      return await this.#poll(clientId, { ...mergeFields, device_code: codes.device_code }, progress, deadline);
    } finally {
      this.#inProgress = undefined;
    }
  }

  /** Aborts the sign-in in progress, if any. */
  abort(): void {
    this.#inProgress?.abort();
  }

  async #poll(
    clientId: string,
    parameters: Record<string, string>,
    progress: Progress,
    deadline: Deadline,
  ): Promise<TokenSet> {
    try {
      for (;;) {
        await deadline.sleep(progress.pauseMs);
        const tokens = await this.#request(clientId, parameters, progress, deadline);
        if (!tokens) continue;
        progress.report('granted');
        return tokens;
      }
    } catch (error) {
      throw progress.fail(deadline.signal.aborted ? deadline.signal.reason : error);
    } finally {
      deadline.close();
    }
  }

  /** @returns undefined while the player has not answered */
  async #request(
    clientId: string,
    parameters: Record<string, string>,
    progress: Progress,
    { signal }: Deadline,
  ): Promise<TokenSet | undefined> {
    const requestedAtMs = this.#clock.now();
    let isForeign = false;
    const onForeignAnswer = () => {
      isForeign = true;
    };
    try {
      const exchange = async (library: Library, configuration: Configuration) =>
        readTokens(await library.genericGrantRequest(configuration, deviceCodeGrantType, parameters), requestedAtMs);
      // The pause before the next request takes limits into account.
      return await this.#calls.run('createToken', clientId, signal, exchange, {
        waitsForLimit: false,
        onForeignAnswer,
      });
    } catch (error) {
      if (signal.aborted || !progress.canContinue(error, isForeign)) throw error;
      return undefined;
    }
  }
}

/** What the player is shown, and the interval between requests. @see RFC 8628, section 3.5 */
class Progress {
  readonly expiresAtMs: number;
  readonly #codes: DeviceAuthorizationResponse;
  readonly #onProgress: DeviceOptions['onProgress'];
  readonly #logger: Logger;
  #intervalMs: number;
  /** Consecutive requests that failed temporarily. */
  #failures = 0;
  #retryAfterMs = 0;

  constructor(
    codes: DeviceAuthorizationResponse,
    requestedAtMs: number,
    onProgress: DeviceOptions['onProgress'],
    logger: Logger,
  ) {
    if (![codes.verification_uri, codes.verification_uri_complete ?? codes.verification_uri].every(isWebAddress)) {
      throw new TransportError('unreadable_answer', "The service's verification address is not an http(s) address.");
    }
    this.#codes = codes;
    this.#onProgress = onProgress;
    this.#logger = logger;
    this.#intervalMs =
      codes.interval === undefined ? limits.devicePollIntervalMs : Math.max(intervalMsMin, codes.interval * 1000);
    this.expiresAtMs = requestedAtMs + codes.expires_in * 1000;
    this.report('pending');
  }

  /** The pause before the next request. */
  get pauseMs(): number {
    const grownMs = Math.max(this.#intervalMs, Math.min(intervalMsMax, this.#intervalMs * 2 ** this.#failures));
    return Math.max(grownMs, this.#retryAfterMs);
  }

  /**
   * Handles an answer without tokens.
   *
   * @param isForeign whether the answer was not the service's
   * @returns whether to send another request
   */
  canContinue(error: unknown, isForeign: boolean): boolean {
    this.#retryAfterMs = error instanceof RateLimitError ? error.retryAfterMs : 0;
    if (isForeign || isTemporary(error)) {
      this.#failures++;
      return true;
    }
    this.#failures = 0;
    if (!(error instanceof OAuthError)) return false;
    if (error.error === 'authorization_pending') return true;
    if (error.error !== 'slow_down') return false;
    this.#intervalMs += slowDownMs;
    this.report('slow_down');
    return true;
  }

  /** The error that the sign-in ends with. */
  fail(error: unknown): unknown {
    const end = error instanceof TransportError && error.code === 'deadline_exceeded' ? expired() : error;
    if (end instanceof OAuthError && end.code === 'access_denied') this.report('denied');
    if (end instanceof OAuthError && end.code === 'expired_token') this.report('expired');
    return end;
  }

  report(state: DeviceState): void {
    const { user_code, verification_uri, verification_uri_complete } = this.#codes;
    const progress: DeviceProgress = Object.freeze({
      state,
      userCode: user_code,
      verificationUri: verification_uri,
      verificationUriComplete: verification_uri_complete,
      expiresAtMs: this.expiresAtMs,
      intervalMs: this.#intervalMs,
    });
    // An error of the game's callback must not end the sign-in.
    try {
      this.#onProgress?.(progress);
    } catch (error) {
      // Only its class is logged: the callback received the codes, and its message may contain them.
      const name = error instanceof Error ? error.name : typeof error;
      this.#logger.error({ error: name }, 'an onProgress callback failed');
    }
  }
}

/** Added to the interval by every `slow_down`. @see RFC 8628, section 3.5 */
const slowDownMs = 5_000;

function readArguments(given: DeviceAuthorizationArgs, applicationId: string | undefined) {
  requireType('args', given, 'object');
  const args = new AuthorizationArgs({ clientId: given.clientId, scopes: given.scopes });
  const issues = args.check();
  if (issues.length > 0) throw new ValidationError('DeviceAuthorizationArgs', issues);
  return { clientId: clientIdOf(args, applicationId), scopes: args.scopes };
}

/** Whether the service could not be reached, or could not answer at present. */
function isTemporary(error: unknown): boolean {
  if (error instanceof RateLimitError) return true;
  if (error instanceof ApiError) return error.status >= 500;
  return error instanceof TransportError && temporaryCodes.has(error.code);
}

const temporaryCodes: ReadonlySet<string> = new Set(['unreachable', 'connection_lost', 'deadline_exceeded']);

function isWebAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

function expired(): OAuthError {
  return oauthError('expired_token', 'The code expired before the player used it. Start again for a new code.');
}
