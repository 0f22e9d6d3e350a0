import { createHash } from 'node:crypto';
import { ApiError, ArgumentError, OAuthError } from '../model/errors/errors.ts';
import type { ApplicationId, UserId } from '../model/snowflake.ts';
import { isCredential, parseOptions, requireNumber } from '../wire/arguments.ts';
import { type Clock, steadyNow } from '../wire/clock/ports.ts';
import type { Http } from '../wire/http/http.ts';
import { readAuthorization } from './answers.ts';
import type { RequestOptions } from './calls.ts';

/** Whose access token it is, and what it is good for. */
export interface PlayerIdentity {
  readonly user: {
    readonly id: UserId;
    /** Unique among all users. */
    readonly username: string;
    /** What other players see: the display name or, without one, the username. */
    readonly name: string;
  };
  /** Always the backend's own. */
  readonly applicationId: ApplicationId;
  /** As the player granted them. */
  readonly scopes: readonly string[];
  /** When the access token expires. */
  readonly expiresAt: Date;
}

export interface IdentifyOptions extends RequestOptions {
  /**
   * How old the answer may be, in milliseconds: 0 asks the service, so that a token that was revoked a moment ago is rejected. Default
   * and most: 30,000.
   */
  readonly maxAgeMs?: number | undefined;
}

/** The players who call the game's server. */
export interface Players {
  /**
   * Asks the service whose access token this is. The game sends it with each call: `credentials.accessToken()` of the SDK. Tokens of
   * other games are rejected: players hand theirs to many games, and each of those could otherwise act as the player here.
   *
   * @param accessToken without `Bearer `; what a caller sent may be passed as it is
   * @throws OAuthError `invalid_token` if it is expired, revoked or no token, `wrong_application`; ArgumentError `missing_scope` if the
   *   player has not granted `identify`, which the SDK's scopes include, `invalid_argument`; ApiError, RateLimitError, TransportError
   * @example
   * ```ts
   * const header = 'Bearer 5e0f3a';
   * const { user } = await backend.players.identify(header.replace('Bearer ', ''));
   * ```
   */
  identify(accessToken: string | undefined, options?: IdentifyOptions): Promise<PlayerIdentity>;
}

/** How long {@link Players.identify} may answer without asking the service, in milliseconds. */
export const identityAgeMsMax = 30_000;

/** How many players {@link Players.identify} remembers; of more, those that it has known longest are forgotten. */
export const identitiesMax = 10_000;

// Issued tokens are a few dozen characters. A longer header would be rejected before the service reads the token.
const tokenLengthMax = 2_048;

interface Known {
  readonly identity: PlayerIdentity;
  readonly askedAtMs: number;
}

export function createPlayers(http: Http, clock: Clock, applicationId: ApplicationId): Players {
  // By the hash of the token, so that no token stays in memory. The oldest entry is first.
  const known = new Map<string, Known>();

  function remember(key: string, identity: PlayerIdentity, askedAtMs: number): void {
    known.delete(key);
    known.set(key, { identity, askedAtMs });
    const [oldest] = known.keys();
    if (known.size > identitiesMax && oldest !== undefined) known.delete(oldest);
  }

  return {
    async identify(accessToken, given) {
      const { maxAgeMs = identityAgeMsMax, ...options } = parseOptions(given);
      requireNumber('maxAgeMs', maxAgeMs, 0);
      if (!isCredential(accessToken) || accessToken.length > tokenLengthMax) {
        throw new OAuthError(
          'invalid_token',
          `accessToken must be 1 to ${tokenLengthMax} printable ASCII characters without spaces, and without "Bearer " in front. ` +
            'Ask the game to send the token of credentials.accessToken().',
        );
      }
      const key = createHash('sha256').update(accessToken).digest('base64');
      const askedAtMs = steadyNow(clock);
      const before = known.get(key);
      if (before && isFresh(before, maxAgeMs, clock)) return before.identity;

      const authorization = `Bearer ${accessToken}`;
      const { body } = await http
        .send('getCurrentAuthorization', { path: {}, authorization, ...options })
        .catch(error => {
          known.delete(key);
          throw rejectedToken(error);
        });
      const identity = identityOf(body, applicationId);
      remember(key, identity, askedAtMs);
      return identity;
    },
  };
}

function isFresh({ identity, askedAtMs }: Known, maxAgeMs: number, clock: Clock): boolean {
  const ageMs = steadyNow(clock) - askedAtMs;
  return ageMs < Math.min(maxAgeMs, identityAgeMsMax) && clock.now() < identity.expiresAt.getTime();
}

function identityOf(body: unknown, applicationId: ApplicationId): PlayerIdentity {
  const { application, user, scopes, expires } = readAuthorization(body);
  if (application.id !== applicationId) {
    throw new OAuthError(
      'wrong_application',
      `The access token was granted to application ${application.id}; this backend is application ${applicationId}.`,
    );
  }
  if (!user) {
    throw new ArgumentError(
      'missing_scope',
      'The access token does not say whose it is: the player has to grant the scope identify, which the SDK requests by default.',
    );
  }
  const { id, username, global_name } = user;
  return Object.freeze({
    user: Object.freeze({ id, username, name: global_name ?? username }),
    applicationId,
    scopes: Object.freeze([...scopes]),
    expiresAt: new Date(expires),
  });
}

function rejectedToken(error: unknown): unknown {
  if (!(error instanceof ApiError) || error.status !== 401) return error;
  return new OAuthError(
    'invalid_token',
    'The service does not accept the access token: it has expired or was revoked, or was never issued. The game has to send a new one.',
    { cause: error },
  );
}
