import { ApiError, ArgumentError, OAuthError, TransportError } from '../model/errors/errors.ts';
import type { Scope } from '../model/oauth.ts';
import type { ApplicationId } from '../model/snowflake.ts';
import { isCredential, requireCredential } from '../wire/arguments.ts';
import { leftMs, type Moment, momentIn } from '../wire/clock/moment.ts';
import type { Clock } from '../wire/clock/ports.ts';
import { unsetHint } from '../wire/environment-variables.ts';
import { asRecord } from '../wire/http/codec.ts';
import type { Http } from '../wire/http/http.ts';
import { type Credential, type RouteName, routeLabel, routes } from '../wire/routes.ts';

/** The credentials of an application; at least one of the two. */
export interface Secrets {
  readonly botToken?: string | undefined;
  readonly clientSecret?: string | undefined;
}

/** Chooses the credential for each route. */
export interface Credentials {
  /**
   * Value of the Authorization header for a route, or a function that gets it if that can take a call; undefined if the
   * route needs none.
   *
   * @throws ArgumentError `credential_missing`: this backend does not have the credential that the route needs
   */
  authorize(route: RouteName): string | undefined | (() => Promise<string>);
  /** Drops the fetched token, because the service rejected it; one that was fetched since then stays. */
  forgetToken(rejected: string): void;
  /** The bare bot token, for the gateway. @throws ArgumentError `credential_missing` */
  botToken(forWhat: string): string;
}

const commandScope = 'applications.commands.update' satisfies Scope;

// A token is replaced this long before it expires, so that it does not expire while a request is under way.
const renewalMarginMs = 60_000;

/** A fetched token, as an Authorization header has it. */
interface HeldToken {
  readonly value: Promise<string>;
  /** The value, once it is there. */
  readonly authorization?: string;
  /** When another is fetched; absent before the value is there. */
  readonly renewAt?: Moment;
}

/**
 * Holds the bot token, or fetches and keeps a client-credentials token. If a route accepts both, the bot token is used.
 *
 * @throws ArgumentError `credential_missing` without any secret, or for an empty one; `invalid_credential` for one that a header cannot hold
 * @see docs/spec/http.md#credentials; docs/spec/oauth2.md#tokens
 */
export function createCredentials(
  applicationId: ApplicationId,
  secrets: Secrets,
  http: Http,
  clock: Clock,
): Credentials {
  const { botToken, clientSecret } = secrets;
  checkSecrets(secrets);
  let held: HeldToken | undefined;

  /** Concurrent calls share one request for a token; a failure is not kept. */
  function applicationToken(secret: string): Promise<string> {
    if (held && (!held.renewAt || leftMs(clock, held.renewAt) > 0)) return held.value;
    const fetched = fetchToken(http, applicationId, secret);
    const mine: HeldToken = { value: fetched.then(({ authorization }) => authorization) };
    held = mine;
    fetched.then(
      ({ authorization, lifeMs }) => {
        if (held === mine) held = { ...mine, authorization, renewAt: momentIn(clock, lifeMs - renewalMarginMs) };
      },
      () => {
        if (held === mine) held = undefined;
      },
    );
    return mine.value;
  }

  return {
    authorize(route) {
      // The built package has no credentials for the routes of players.
      const { credentials: accepted = [] }: { readonly credentials?: readonly Credential[] } = routes[route];
      if (botToken !== undefined && accepted.includes('bot')) return `Bot ${botToken}`;
      if (clientSecret !== undefined && accepted.includes(`application:${commandScope}`)) {
        return () => applicationToken(clientSecret);
      }
      if (accepted.includes('none')) return undefined;
      throw credentialMissing(routeLabel(route));
    },
    forgetToken(rejected) {
      if (held?.authorization === rejected) held = undefined;
    },
    botToken(forWhat) {
      if (botToken === undefined) throw credentialMissing(forWhat);
      return botToken;
    },
  };
}

function checkSecrets({ botToken, clientSecret }: Secrets): void {
  if (botToken === undefined && clientSecret === undefined) {
    throw new ArgumentError(
      'credential_missing',
      `botToken and clientSecret are both missing; createBackend() needs one of them. ${unsetHint('botToken', 'clientSecret')}`,
    );
  }
  for (const [name, secret] of [
    ['botToken', botToken],
    ['clientSecret', clientSecret],
  ] as const) {
    if (secret === '') throw new ArgumentError('credential_missing', `${name} is empty. ${unsetHint(name)}`);
    if (secret !== undefined) requireCredential(name, secret, 'Bot');
  }
}

function credentialMissing(forWhat: string): ArgumentError {
  return new ArgumentError(
    'credential_missing',
    `${forWhat} needs a bot token: pass botToken to createBackend(). ${unsetHint('botToken')}`,
  );
}

async function fetchToken(http: Http, applicationId: ApplicationId, secret: string) {
  const basic = Buffer.from(`${applicationId}:${encodeURIComponent(secret)}`).toString('base64');
  const answer = await http
    .send('createToken', {
      path: {},
      body: { grant_type: 'client_credentials', scope: commandScope },
      authorization: `Basic ${basic}`,
    })
    .catch((error: unknown) => {
      throw error instanceof ApiError && error.status < 500 ? rejectedSecret(error) : error;
    });
  const { access_token: token, expires_in: seconds } = asRecord(answer.body) ?? {};
  if (!isCredential(token) || typeof seconds !== 'number') {
    throw new TransportError('unreadable_answer', 'The response of the token endpoint is not a token. Check baseUrl.');
  }
  return { authorization: `Bearer ${token}`, lifeMs: seconds * 1000 };
}

function rejectedSecret(cause: ApiError): OAuthError {
  return new OAuthError(
    'invalid_client',
    `The service issued no token for this applicationId and clientSecret (status ${cause.status}). Check that they belong together, and that the application may have the scope ${commandScope}.`,
    { cause },
  );
}
