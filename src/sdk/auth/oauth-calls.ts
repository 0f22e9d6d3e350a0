import type { Configuration } from 'openid-client';
import { RallypointError, RateLimitError, TransportError } from '../../model/errors/errors.ts';
import { apiUrl } from '../../wire/addresses.ts';
import type { Clock } from '../../wire/clock/ports.ts';
import { asRecord, parseJson } from '../../wire/http/codec.ts';
import { Deadline } from '../../wire/http/deadline.ts';
import { apiError, deadlineMsDefault, refusalsMax, userAgent } from '../../wire/http/http.ts';
import type { Transport, TransportAnswer } from '../../wire/http/transport.ts';
import { oauthError } from '../../wire/oauth/oauth-error.ts';
import { readLimits } from '../../wire/rate-limits/headers.ts';
import { type RouteName, routePath } from '../../wire/routes.ts';

export interface OAuthPorts {
  /** As {@link resolveBaseUrl} returns it. */
  readonly baseUrl: string;
  readonly clock: Clock;
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

  /**
   * @param waitsForLimit whether to wait, within the deadline, when the service asks for it. Default: true
   * @throws OAuthError, ApiError, RateLimitError, TransportError
   */
  async run<Answer>(
    route: OAuthRoute,
    clientId: string,
    signal: AbortSignal | undefined,
    exchange: Exchange<Answer>,
    waitsForLimit = true,
  ): Promise<Answer> {
    const { clock, deadlineMs = deadlineMsDefault } = this.#ports;
    const deadline = new Deadline(clock, deadlineMs, signal);
    this.#underWay.add(deadline);
    try {
      const library = await load();
      deadline.signal.throwIfAborted();
      const call: Call = { route, deadline, waitsForLimit, answer: undefined };
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
      throw translate(library, error, call.answer);
    }
  }

  #configure(library: Library, clientId: string, call: Call): Configuration {
    const { baseUrl, clock } = this.#ports;
    const endpoint = (name: OAuthRoute) => apiUrl(baseUrl) + routePath(name, {});
    const configuration = new library.Configuration(
      {
        issuer: baseUrl,
        token_endpoint: endpoint('createToken'),
        revocation_endpoint: endpoint('revokeToken'),
        device_authorization_endpoint: endpoint('startDevice'),
      },
      clientId,
      // ID tokens are checked by this package's clock, not the machine's.
      { [library.clockSkew]: Math.round((clock.now() - Date.now()) / 1000) },
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
    const { transport } = this.#ports;
    const { route, deadline, waitsForLimit } = call;
    const request = { method, url, headers: { ...headers, 'user-agent': userAgent }, body, signal: deadline.signal };
    let response: TransportAnswer;
    let answer: unknown;
    for (let refusals = 1; ; refusals++) {
      response = await transport.send(request);
      answer = parseJson(response.text);
      const { refusal } = readLimits(response.status, response.headers, answer);
      if (!refusal) break;
      const { scope, retryAfterMs } = refusal;
      const mayWait = waitsForLimit && refusals <= refusalsMax && retryAfterMs < deadline.leftMs;
      if (!mayWait) throw new RateLimitError(scope === 'global' ? 'global' : route, retryAfterMs);
      await deadline.sleep(retryAfterMs);
    }
    call.answer = answer;
    if (response.status >= 400 && typeof asRecord(answer)?.error !== 'string') {
      throw apiError(route, response.status, answer);
    }
    // The library would report a challenge in the headers instead of the error in the body.
    return new Response(response.text || null, {
      status: response.status,
      headers: { 'content-type': 'application/json' },
    });
  }
}

/** A call in progress. */
interface Call {
  readonly route: OAuthRoute;
  readonly deadline: Deadline;
  readonly waitsForLimit: boolean;
  /** The parsed body of the answer. */
  answer: unknown;
}

const idTokenErrors: ReadonlySet<unknown> = new Set([
  'OAUTH_JWT_CLAIM_COMPARISON_FAILED',
  'OAUTH_JWT_TIMESTAMP_CHECK_FAILED',
]);

// The library's errors contain whole answers, with tokens, as their cause. None of that may be passed on.
function translate(library: Library, error: unknown, answer: unknown): RallypointError {
  if (error instanceof library.ResponseBodyError) return oauthError(error.error, error.error_description);
  if (error instanceof RallypointError) return error;
  const { cause, code } = Object(error) as { cause?: unknown; code?: unknown };
  if (cause instanceof RallypointError) return cause;
  if (idTokenErrors.has(code) || hasOnlyBadIdToken(answer)) {
    return invalidIdToken();
  }
  const detail = typeof code === 'string' ? ` (${code})` : '';
  return new TransportError('unreadable_answer', `The token endpoint's answer cannot be used${detail}.`);
}

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
