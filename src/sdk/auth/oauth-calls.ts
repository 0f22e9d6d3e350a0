import type { Configuration } from 'openid-client';
import { RallypointError, RateLimitError, TransportError } from '../../model/errors/errors.ts';
import { apiUrl } from '../../wire/addresses.ts';
import type { Clock } from '../../wire/clock/ports.ts';
import { asRecord, parseJson } from '../../wire/http/codec.ts';
import { Deadline } from '../../wire/http/deadline.ts';
import { apiError, deadlineMsDefault, userAgent } from '../../wire/http/http.ts';
import type { Transport } from '../../wire/http/transport.ts';
import { readLimits } from '../../wire/rate-limits/headers.ts';
import { type RouteName, routePath } from '../../wire/routes.ts';
import { oauthError } from './oauth-error.ts';

/** What {@link OAuthCalls} stand on. */
export interface OAuthPorts {
  /** As {@link resolveBaseUrl} returns it. */
  readonly baseUrl: string;
  readonly clock: Clock;
  readonly transport: Transport;
}

export type Library = typeof import('./openid-client.ts');

const load = (): Promise<Library> => import('./openid-client.ts');

/** Loads what the first call needs, while nobody waits for it; the call itself would tell of a failure. */
export function prepareOAuthCalls(): void {
  load().catch(() => {});
}

export type OAuthRoute = Extract<RouteName, 'createToken' | 'revokeToken' | 'startDevice'>;
type Exchange<Answer> = (library: Library, configuration: Configuration) => Promise<Answer>;

/**
 * Runs openid-client, which does the protocol and is loaded at the first call, over our transport, by our clock and
 * deadline, with our errors. A public client: no secret, since a game cannot keep one. Nothing is ever sent twice:
 * codes and refresh tokens work once.
 *
 * @see docs/spec/oauth2.md#client-authentication; docs/spec/oauth2.md#errors
 */
export class OAuthCalls {
  readonly #ports: OAuthPorts;

  constructor(ports: OAuthPorts) {
    this.#ports = ports;
  }

  /** @throws OAuthError, ApiError, RateLimitError, TransportError */
  async run<Answer>(
    route: OAuthRoute,
    clientId: string,
    signal: AbortSignal | undefined,
    exchange: Exchange<Answer>,
  ): Promise<Answer> {
    const library = await load();
    const deadline = new Deadline(this.#ports.clock, deadlineMsDefault, signal);
    const asking: Asking = { route, signal: deadline.signal, told: undefined };
    try {
      deadline.signal.throwIfAborted();
      return await exchange(library, this.#configure(library, clientId, asking));
    } catch (error) {
      throw translate(library, error, asking.told);
    } finally {
      deadline.close();
    }
  }

  #configure(library: Library, clientId: string, asking: Asking): Configuration {
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
      // ID tokens are judged by our clock, not by the machine's.
      { [library.clockSkew]: Math.round((clock.now() - Date.now()) / 1000) },
      library.None(),
    );
    // The client checked that the base URL is encrypted or on this machine.
    library.allowInsecureRequests(configuration);
    configuration.timeout = 0; // the deadline below is on our clock
    configuration[library.customFetch] = (url, { method, headers, body }) =>
      this.#send(asking, { method, url, headers, body: String(body ?? '') });
    return configuration;
  }

  async #send(
    asking: Asking,
    { method, url, headers, body }: { method: string; url: string; headers: Record<string, string>; body: string },
  ): Promise<Response> {
    const { transport } = this.#ports;
    const { route, signal } = asking;
    const named = { ...headers, 'user-agent': userAgent };
    const answer = await transport.send({ method, url, headers: named, body, signal });
    const told = parseJson(answer.text);
    asking.told = told;
    const { refusal } = readLimits(answer.status, answer.headers, told);
    if (refusal) throw new RateLimitError(refusal.scope === 'global' ? 'global' : route, refusal.retryAfterMs);
    if (answer.status >= 400 && typeof asRecord(told)?.error !== 'string') throw apiError(route, answer.status, told);
    // A challenge in the headers would hide the error that the body names.
    return new Response(answer.text || null, {
      status: answer.status,
      headers: { 'content-type': 'application/json' },
    });
  }
}

/** A call under way, and what was answered. */
interface Asking {
  readonly route: OAuthRoute;
  readonly signal: AbortSignal;
  told: unknown;
}

const idTokenFaults: ReadonlySet<unknown> = new Set([
  'OAUTH_JWT_CLAIM_COMPARISON_FAILED',
  'OAUTH_JWT_TIMESTAMP_CHECK_FAILED',
]);

// The library's errors carry whole answers as their cause, tokens among them: none of that travels on.
function translate(library: Library, error: unknown, told: unknown): RallypointError {
  if (error instanceof library.ResponseBodyError) return oauthError(error.error, error.error_description);
  if (error instanceof RallypointError) return error;
  const { cause, code } = Object(error) as { cause?: unknown; code?: unknown };
  if (cause instanceof RallypointError) return cause;
  if (idTokenFaults.has(code) || isReadableButForIdToken(told)) {
    return oauthError('invalid_id_token', 'The ID token was not made for this sign-in, or is not valid now.');
  }
  return new TransportError('unreadable_answer', `The token endpoint's answer cannot be used (${String(code)}).`);
}

// The library has one code for all that it cannot use.
function isReadableButForIdToken(told: unknown): boolean {
  const { id_token, access_token, token_type, expires_in, refresh_token, scope } = asRecord(told) ?? {};
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
