import type { DeviceAuthorizationResponse } from 'openid-client';
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
import type { Clock, Logger } from '../../wire/clock/ports.ts';
import { externalAuthFields } from '../../wire/external-auth.ts';
import { Deadline } from '../../wire/http/deadline.ts';
import type { RequestOptions } from '../call-options.ts';
import { AuthorizationArgs } from './authorization-args.ts';
import { clientIdOf } from './client-id.ts';
import { OAuthCalls, type OAuthPorts } from './oauth-calls.ts';
import { oauthError } from './oauth-error.ts';
import { readTokens, type TokenSet } from './token-set.ts';

/** What a game without a browser of its own asks for. @see docs/spec/client.md#device-arguments */
export interface DeviceAuthorizationArgs {
  /** Application id. Unset: what {@link Client.setApplicationId} was given. */
  readonly clientId?: bigint | string | undefined;
  /** Space-separated. Unset: {@link getDefaultCommunicationScopes}. */
  readonly scopes?: string | undefined;
}

/**
 * - `pending`: show the code and the address; the player has not answered
 * - `slow_down`: as `pending`; the service wants to be asked less often
 * - `granted`, `denied`, `expired`: it is over
 */
export type DeviceState = 'pending' | 'slow_down' | 'granted' | 'denied' | 'expired';

/** How a sign-in on another device goes. Frozen. @see docs/spec/oauth2.md#devices */
export interface DeviceProgress {
  readonly state: DeviceState;
  /** What the player types in at {@link verificationUri}. */
  readonly userCode: string;
  readonly verificationUri: string;
  /** The same page with the code filled in: for a QR code, or for a browser that the game opens. */
  readonly verificationUriComplete: string | undefined;
  /** Until when the code is good, in milliseconds since the Unix epoch. */
  readonly expiresAtMs: number;
  /** How often the service is asked at present. */
  readonly intervalMs: number;
}

export interface DeviceOptions extends RequestOptions {
  /** Is told first when the code is there, then whenever something changes. */
  readonly onProgress?: ((progress: DeviceProgress) => void) | undefined;
}

export interface DeviceFlowPorts extends OAuthPorts {
  readonly logger: Logger;
}

/** Our choice: while the service cannot be reached, it is asked ever less often, down to once a minute. */
const intervalMsMax = 60_000;

/** Signs a player in by another device, one at a time: gets the codes, then asks until the player has answered. */
export class DeviceFlow {
  readonly #calls: OAuthCalls;
  readonly #clock: Clock;
  readonly #logger: Logger;
  #underWay: AbortController | undefined;

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
    if (this.#underWay) {
      throw new ArgumentError('authorization_in_progress', 'Another sign-in by device is under way; abort it first.');
    }
    const underWay = new AbortController();
    this.#underWay = underWay;
    const signal = options.signal ? AbortSignal.any([options.signal, underWay.signal]) : underWay.signal;
    try {
      const askedAtMs = this.#clock.now();
      const codes = await this.#calls.run('startDevice', clientId, signal, (library, configuration) =>
        library.initiateDeviceAuthorization(configuration, { scope: scopes }),
      );
      const progress = new Progress(codes, askedAtMs, options.onProgress, this.#logger);
      return await this.#poll(clientId, { ...mergeFields, device_code: codes.device_code }, progress, signal);
    } finally {
      this.#underWay = undefined;
    }
  }

  /** Ends the sign-in under way, if any. */
  abort(): void {
    this.#underWay?.abort();
  }

  async #poll(
    clientId: string,
    parameters: Record<string, string>,
    progress: Progress,
    signal: AbortSignal,
  ): Promise<TokenSet> {
    const deadline = new Deadline(this.#clock, progress.expiresAtMs - this.#clock.now(), signal);
    try {
      for (;;) {
        await deadline.sleep(progress.pauseMs);
        if (deadline.leftMs <= 0) throw expired(); // the machine slept meanwhile
        const tokens = await this.#ask(clientId, parameters, progress, deadline);
        if (!tokens) continue;
        progress.tell('granted');
        return tokens;
      }
    } catch (error) {
      throw progress.fail(deadline.signal.aborted ? deadline.signal.reason : error);
    } finally {
      deadline.close();
    }
  }

  /** @returns undefined when it is to be asked again */
  async #ask(
    clientId: string,
    parameters: Record<string, string>,
    progress: Progress,
    { signal }: Deadline,
  ): Promise<TokenSet | undefined> {
    const askedAtMs = this.#clock.now();
    try {
      return await this.#calls.run('createToken', clientId, signal, async (library, configuration) =>
        readTokens(await library.genericGrantRequest(configuration, deviceCodeGrantType, parameters), askedAtMs),
      );
    } catch (error) {
      if (signal.aborted || !progress.goesOn(error)) throw error;
      return undefined;
    }
  }
}

/** What the player is shown, and how often the service is asked. @see RFC 8628, section 3.5 */
class Progress {
  readonly expiresAtMs: number;
  readonly #codes: DeviceAuthorizationResponse;
  readonly #onProgress: DeviceOptions['onProgress'];
  readonly #logger: Logger;
  #intervalMs: number;
  /** Attempts on end that reached nobody. */
  #failures = 0;
  #retryAfterMs = 0;

  constructor(
    codes: DeviceAuthorizationResponse,
    askedAtMs: number,
    onProgress: DeviceOptions['onProgress'],
    logger: Logger,
  ) {
    if (![codes.verification_uri, codes.verification_uri_complete ?? codes.verification_uri].every(isWebAddress)) {
      throw new TransportError('unreadable_answer', 'The service named a page that is not on the web.');
    }
    this.#codes = codes;
    this.#onProgress = onProgress;
    this.#logger = logger;
    this.#intervalMs = codes.interval === undefined ? limits.devicePollIntervalMs : codes.interval * 1000;
    this.expiresAtMs = askedAtMs + codes.expires_in * 1000;
    this.tell('pending');
  }

  /** Until the next attempt. */
  get pauseMs(): number {
    const grownMs = Math.max(this.#intervalMs, Math.min(intervalMsMax, this.#intervalMs * 2 ** this.#failures));
    return Math.max(grownMs, this.#retryAfterMs);
  }

  /** Takes note of an answer that is not the tokens. @returns whether the service is to be asked again */
  goesOn(error: unknown): boolean {
    this.#retryAfterMs = error instanceof RateLimitError ? error.retryAfterMs : 0;
    if (isPassing(error)) {
      this.#failures++;
      return true;
    }
    this.#failures = 0;
    if (!(error instanceof OAuthError)) return false;
    if (error.error === 'authorization_pending') return true;
    if (error.error !== 'slow_down') return false;
    this.#intervalMs += slowDownMs;
    this.tell('slow_down');
    return true;
  }

  /** The error that the sign-in ends with. */
  fail(error: unknown): unknown {
    const end = error instanceof TransportError && error.code === 'deadline_exceeded' ? expired() : error;
    if (end instanceof OAuthError && end.code === 'access_denied') this.tell('denied');
    if (end instanceof OAuthError && end.code === 'expired_token') this.tell('expired');
    return end;
  }

  tell(state: DeviceState): void {
    const { user_code, verification_uri, verification_uri_complete } = this.#codes;
    const progress: DeviceProgress = Object.freeze({
      state,
      userCode: user_code,
      verificationUri: verification_uri,
      verificationUriComplete: verification_uri_complete,
      expiresAtMs: this.expiresAtMs,
      intervalMs: this.#intervalMs,
    });
    // What a game's own callback throws is no reason for the sign-in to fail.
    try {
      this.#onProgress?.(progress);
    } catch (error) {
      // Its class alone: the callback was given the codes, and its error may name them.
      const name = error instanceof Error ? error.name : typeof error;
      this.#logger.error({ error: name }, 'an onProgress callback failed');
    }
  }
}

/** What every `slow_down` adds. @see RFC 8628, section 3.5 */
const slowDownMs = 5_000;

function readArguments(given: DeviceAuthorizationArgs, applicationId: string | undefined) {
  const args = new AuthorizationArgs({ clientId: given.clientId, scopes: given.scopes });
  const issues = args.check();
  if (issues.length > 0) throw new ValidationError('DeviceAuthorizationArgs', issues);
  return { clientId: clientIdOf(args, applicationId), scopes: args.scopes };
}

/** Nobody was reached, or somebody who could not answer now. */
function isPassing(error: unknown): boolean {
  if (error instanceof RateLimitError) return true;
  if (error instanceof ApiError) return error.status >= 500;
  return error instanceof TransportError && passing.has(error.code);
}

const passing: ReadonlySet<string> = new Set(['unreachable', 'connection_lost', 'deadline_exceeded']);

function isWebAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

function expired(): OAuthError {
  return oauthError('expired_token', 'The code was not used in time; start again for a new one.');
}
