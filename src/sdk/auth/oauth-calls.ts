import type { Configuration } from 'openid-client';
import { RallypointError, RateLimitError, TransportError } from '../../model/errors/errors.ts';
import { apiUrl, isSameService } from '../../wire/addresses.ts';
import { type Clock, type Entropy, systemEntropy } from '../../wire/clock/ports.ts';
import { backoffMs } from '../../wire/http/backoff.ts';
import { asRecord, parseJson } from '../../wire/http/codec.ts';
import { Deadline } from '../../wire/http/deadline.ts';
import { apiError, deadlineMsDefault, refusalsMax, unnamedLimitBackoff, userAgent } from '../../wire/http/http.ts';
import type { Transport, TransportAnswer } from '../../wire/http/transport.ts';
import { oauthError } from '../../wire/oauth/oauth-error.ts';
import { dateMsOf, readLimits } from '../../wire/rate-limits/headers.ts';
import { type RouteName, routePath } from '../../wire/routes.ts';

export interface OAuthPorts {
  /** As {@link resolveBaseUrl} returns it. */
  readonly baseUrl: string;
  readonly clock: Clock;
  readonly entropy?: Entropy | undefined;
  readonly transport: Transport;
  /** How long a call may take. Default: {@link deadlineMsDefault}. */
  readonly deadlineMs?: number | undefined;
}

export type Library = typeof import('./openid-client.ts');

const load = (): Promise<Library> => import('./openid-client.ts');

/** Loads openid-client ahead of the first call, which reports a failure to load it. */
export function prepareOAuthCalls(): void {
  load().catch(() => {});
}

export type OAuthRoute = Extract<RouteName, 'createToken' | 'revokeToken' | 'startDevice'>;
type Exchange<Answer> = (library: Library, configuration: Configuration) => Promise<Answer>;

/**
 * Runs openid-client, which implements the protocol, with this package's transport, clock, deadline and errors. A public
 * client: it sends no secret, since a game cannot keep one. Codes and refresh tokens work once, so that a request is repeated
 * only after a 429, which uses nothing up.
 *
 * @see docs/spec/oauth2.md#client-authentication; docs/spec/oauth2.md#errors
 */
export class OAuthCalls {
  readonly #ports: OAuthPorts;
  readonly #underWay = new Set<Deadline>();

  constructor(ports: OAuthPorts) {
    this.#ports = ports;
  }

  /** @throws OAuthError, ApiError, RateLimitError, TransportError */
  async run<Answer>(
    route: OAuthRoute,
    clientId: string,
    signal: AbortSignal | undefined,
    exchange: Exchange<Answer>,
    options: RunOptions = {},
  ): Promise<Answer> {
    const { clock, deadlineMs = deadlineMsDefault } = this.#ports;
    const deadline = new Deadline(clock, deadlineMs, signal);
    this.#underWay.add(deadline);
    try {
      const library = await load();
      deadline.signal.throwIfAborted();
      const call: Call = { route, deadline, options, answer: undefined, serviceMs: Number.NaN };
      return await this.#exchange(library, call, clientId, exchange);
    } finally {
      this.#underWay.delete(deadline);
      deadline.close();
    }
  }

  /** Aborts what is in progress. */
  close(): void {
    for (const deadline of this.#underWay) deadline.abort();
  }

  async #exchange<Answer>(library: Library, call: Call, clientId: string, exchange: Exchange<Answer>): Promise<Answer> {
    try {
      return await exchange(library, this.#configure(library, clientId, call));
    } catch (error) {
      const issuer = issuerOf(call.answer);
      const { baseUrl, clock } = this.#ports;
      if (issuer === undefined || issuer === baseUrl || call.issuer !== undefined)
        throw translate(library, error, call, clock);
      if (!isSameService(issuer, baseUrl)) throw otherIssuer(issuer, baseUrl);
      // The service calls itself by another name of this machine: the same answer is read once more, by that name.
      call.issuer = issuer;
      return this.#exchange(library, call, clientId, exchange);
    }
  }

  #configure(library: Library, clientId: string, call: Call): Configuration {
    const { baseUrl, clock } = this.#ports;
    const endpoint = (name: OAuthRoute) => apiUrl(baseUrl) + routePath(name, {});
    const configuration = new library.Configuration(
      {
        issuer: call.issuer ?? baseUrl,
        token_endpoint: endpoint('createToken'),
        revocation_endpoint: endpoint('revokeToken'),
        device_authorization_endpoint: endpoint('startDevice'),
      },
      clientId,
      // ID tokens are checked by this package's clock, not the machine's.
      {
        [library.clockSkew]: Math.round((clock.now() - Date.now()) / 1000),
        ...(call.options.ignoresTimes && { [library.clockTolerance]: Number.MAX_SAFE_INTEGER }),
      },
      library.None(),
    );
    // The client has checked that the base URL is https or on this machine.
    library.allowInsecureRequests(configuration);
    configuration.timeout = 0; // replaced by the deadline of run()
    configuration[library.customFetch] = (url, { method, headers, body }) =>
      this.#send(call, { method, url, headers, body: String(body ?? '') });
    return configuration;
  }

  async #send(
    call: Call,
    { method, url, headers, body }: { method: string; url: string; headers: Record<string, string>; body: string },
  ): Promise<Response> {
    const { transport, entropy = systemEntropy } = this.#ports;
    const { route, deadline, options } = call;
    const request = { method, url, headers: { ...headers, 'user-agent': userAgent }, body, signal: deadline.signal };
    if (call.issuer !== undefined) return jsonResponse(200, JSON.stringify(call.answer));
    let response: TransportAnswer;
    let answer: unknown;
    for (let refusals = 1; ; refusals++) {
      response = await transport.send(request);
      answer = parseJson(response.text);
      const unnamedMs = backoffMs(unnamedLimitBackoff, refusals - 1, entropy);
      const { refusal } = readLimits(response.status, response.headers, answer, unnamedMs);
      if (!refusal) break;
      const { scope, retryAfterMs } = refusal;
      const mayWait = (options.waitsForLimit ?? true) && refusals <= refusalsMax && retryAfterMs < deadline.leftMs;
      if (!mayWait) throw new RateLimitError(scope === 'global' ? 'global' : route, retryAfterMs);
      await deadline.sleep(retryAfterMs);
    }
    call.answer = answer;
    const isRedirect = response.status >= 300 && response.status < 400;
    if (answer === undefined || isRedirect) options.onForeignAnswer?.();
    call.serviceMs = dateMsOf(response.headers, 'date');
    if (response.status >= 400 && typeof asRecord(answer)?.error !== 'string') {
      throw apiError(route, response.status, answer);
    }
    // The library would report a challenge in the headers instead of the error in the body.
    return jsonResponse(response.status, response.text);
  }
}

function jsonResponse(status: number, text: string): Response {
  return new Response(text || null, { status, headers: { 'content-type': 'application/json' } });
}

/** The issuer of an answer's ID token; nothing of it is verified yet. */
function issuerOf(answer: unknown): string | undefined {
  const token = asRecord(answer)?.id_token;
  const payload = typeof token === 'string' ? token.split('.')[1] : undefined;
  const issuer = payload && asRecord(parseJson(Buffer.from(payload, 'base64url').toString()))?.iss;
  return typeof issuer === 'string' ? issuer : undefined;
}

function otherIssuer(issuer: string, baseUrl: string): RallypointError {
  return oauthError(
    'invalid_id_token',
    `The ID token was issued by ${issuer.slice(0, 100)}, but baseUrl is ${baseUrl.slice(0, 100)}. Set baseUrl to the address of the service.`,
  );
}

/** A call in progress. */
interface Call {
  readonly route: OAuthRoute;
  readonly deadline: Deadline;
  readonly options: RunOptions;
  /** The parsed body of the answer. */
  answer: unknown;
  /** By which the answer's ID token is read once more. */
  issuer?: string;
  /** The service's time at the answer; NaN if it does not say so. */
  serviceMs: number;
}

export interface RunOptions {
  /** Whether to wait, within the deadline, when the service asks for it. Default: true. */
  readonly waitsForLimit?: boolean;
  /** Whether an ID token is accepted whatever its times are. Default: false. */
  readonly ignoresTimes?: boolean;
  /** Called for an answer that is not the service's: a redirect, or not JSON. A network that asks for a sign-in gives such answers. */
  readonly onForeignAnswer?: () => void;
}

const timesError = 'OAUTH_JWT_TIMESTAMP_CHECK_FAILED';
const idTokenErrors: ReadonlySet<unknown> = new Set(['OAUTH_JWT_CLAIM_COMPARISON_FAILED', timesError]);

// The library's errors contain whole answers, with tokens, as their cause. None of that may be passed on.
function translate(library: Library, error: unknown, { answer, serviceMs }: Call, clock: Clock): RallypointError {
  if (error instanceof library.ResponseBodyError) return oauthError(error.error, error.error_description);
  if (error instanceof RallypointError) return error;
  const { cause, code } = Object(error) as { cause?: unknown; code?: unknown };
  if (cause instanceof RallypointError) return cause;
  if (code === timesError) return wrongTimes(clock.now(), serviceMs);
  if (idTokenErrors.has(code) || hasOnlyBadIdToken(answer)) return invalidIdToken();
  const detail = typeof code === 'string' ? ` (${code})` : '';
  return new TransportError('unreadable_answer', `The token endpoint's answer cannot be used${detail}.`);
}

// Less than this is no reason for a new ID token to have expired.
const skewMsMin = 60_000;

/** An ID token that is not valid now, which a new one is only by a wrong clock. */
function wrongTimes(nowMs: number, serviceMs: number): RallypointError {
  const aheadMs = nowMs - serviceMs;
  if (!(Math.abs(aheadMs) >= skewMsMin)) return invalidIdToken();
  const skew = `${durationText(Math.abs(aheadMs))} ${aheadMs > 0 ? 'ahead of' : 'behind'} the service's`;
  return oauthError(
    'invalid_id_token',
    `The clock of this machine is ${skew}, so the ID token is not valid by it. Set the clock, then sign in again.`,
  );
}

function durationText(ms: number): string {
  const [size, unit] = durationUnits.find(([unitMs]) => ms >= unitMs * 2) ?? ([60_000, 'minutes'] as const);
  const count = Math.round(ms / size);
  return `${count} ${count === 1 ? unit.slice(0, -1) : unit}`;
}

const durationUnits = [
  [24 * 60 * 60_000, 'days'],
  [60 * 60_000, 'hours'],
  [60_000, 'minutes'],
] as const;

export function invalidIdToken(): RallypointError {
  return oauthError(
    'invalid_id_token',
    'The ID token does not belong to this sign-in, or is not valid now. Sign in again.',
  );
}

// The library has a single code for every answer that it cannot use.
function hasOnlyBadIdToken(answer: unknown): boolean {
  const { id_token, access_token, token_type, expires_in, refresh_token, scope } = asRecord(answer) ?? {};
  return (
    id_token !== undefined &&
    isText(access_token) &&
    isText(token_type) &&
    token_type.toLowerCase() === 'bearer' &&
    (expires_in === undefined || Number(expires_in) >= 0) &&
    (refresh_token === undefined || isText(refresh_token)) &&
    (scope === undefined || typeof scope === 'string')
  );
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
