import { splitScopes } from '../../../../model/oauth.ts';
import { isSnowflake } from '../../../../model/snowflake.ts';
import type { AttemptLimiter } from '../../../auth/attempt-limiter.ts';
import type { Core } from '../../../core.ts';
import { FormFields } from '../../../http/body/url-encoded.ts';
import type { Call } from '../../../http/call.ts';
import type { ApplicationRecord } from '../../../store/records.ts';
import { matchesSecret } from '../../../support/secret.ts';
import { type OAuthErrorCode, OAuthRequestError, oauthFaults } from './oauth-request-error.ts';

interface ClientCredentials {
  readonly clientId: string;
  /**
   * Possible readings of the secret, one of which must match; absent when the client sends only its id, as public
   * clients may.
   */
  readonly secrets?: readonly string[];
}

/** A request to an endpoint where clients authenticate themselves. */
export interface ClientRequest {
  /** Value of the `Authorization` header. */
  readonly authorization: string | undefined;
  readonly form: Form;
  /** Where the request came from. */
  readonly address: string;
}

/** The client of a token or revocation request. */
export interface AuthenticatedClient {
  readonly application: ApplicationRecord;
  /** Whether it proved its secret. */
  readonly proven: boolean;
  /** Where its request came from. */
  readonly address: string;
}

/**
 * Authenticates a client: by HTTP Basic, by `client_id` and `client_secret` in the form, or by `client_id` alone if
 * it is a public client.
 *
 * @throws OAuthRequestError `invalid_client`; `invalid_request` when both ways are used, or a field is repeated
 * @see docs/spec/oauth2.md#client-authentication; docs/spec/oauth2.md#public-clients
 */
export async function authenticateClient(core: Core, request: ClientRequest): Promise<AuthenticatedClient> {
  const { clientId, secrets } = readCredentials(request);
  const application = await core.store.get('applications', clientId);
  if (!application) throw oauthFaults.client();
  const proven = secrets?.some(secret => matchesSecret(secret, application.client_secret_hash)) ?? false;
  const mayOnlyNameItself = secrets === undefined && application.public_client;
  if (!proven && !mayOnlyNameItself) throw oauthFaults.client();
  return { application, proven, address: request.address };
}

/** The client that a request names, proven or not. */
function clientNamedBy({ authorization, form }: ClientRequest): string | undefined {
  return form.get('client_id') || parseBasic(authorization ?? '')?.clientId;
}

function readCredentials({ authorization, form }: ClientRequest): ClientCredentials {
  const clientId = field(form, 'client_id');
  const secret = field(form, 'client_secret');
  if (authorization !== undefined) {
    const basic = parseBasic(authorization);
    if (secret !== undefined) throw oauthFaults.twoAuthentications();
    if (!basic || (clientId !== undefined && clientId !== basic.clientId)) throw oauthFaults.client();
    return basic;
  }
  if (clientId === undefined) throw oauthFaults.client();
  return secret === undefined ? { clientId } : { clientId, secrets: [secret] };
}

/**
 * Reads `Basic base64(id:secret)`. Both parts should be form-encoded (RFC 6749, section 2.3.1), but many clients send
 * their secret as it is, so both readings are returned.
 */
function parseBasic(authorization: string): ClientCredentials | undefined {
  const encoded = /^Basic +([A-Za-z0-9+/]+=*)$/i.exec(authorization)?.[1];
  if (encoded === undefined) return undefined;
  const decoded = Buffer.from(encoded, 'base64').toString();
  const colon = decoded.indexOf(':');
  if (colon < 0) return undefined;
  const secret = decoded.slice(colon + 1);
  return { clientId: formDecode(decoded.slice(0, colon)), secrets: [formDecode(secret), secret] };
}

function formDecode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

/** The parameters of a form-encoded body; none when the body is not a form. */
export type Form = Pick<FormFields, 'get' | 'getAll'>;

/** The form of a request; JSON and malformed bodies count as an empty form. @see docs/spec/oauth2.md#errors */
export function formOf({ body }: Call): Form {
  return body instanceof FormFields ? body : new FormFields();
}

/**
 * A field's text; an empty field counts as missing.
 *
 * @throws OAuthRequestError `invalid_request` when the field is repeated
 * @see RFC 6749, section 3.2
 */
export function field(form: Form, name: string): string | undefined {
  const [value, ...more] = form.getAll(name);
  if (more.length > 0) throw oauthFaults.repeated(name);
  return value || undefined;
}

/** The scopes that a form names, if any. */
export function scopesIn(form: Form): readonly string[] {
  return splitScopes(field(form, 'scope') ?? '');
}

/** @throws OAuthRequestError `invalid_request` when the field is missing or repeated */
export function requiredField(form: Form, name: string): string {
  const value = field(form, name);
  if (value === undefined) throw oauthFaults.missing(name);
  return value;
}

/**
 * Runs a request in which a client proves something: its secret, a code, a token. @throws RequestError `rate_limited`
 */
export type ProofGuard = <T>(request: ClientRequest, work: () => Promise<T>) => Promise<T>;

const wrongProofs: ReadonlySet<OAuthErrorCode> = new Set<OAuthErrorCode>(['invalid_client', 'invalid_grant']);

/**
 * Unspecified: wrong proofs are counted by application and address, so that nobody elsewhere can lock an application
 * out; the secrets themselves are too long to be guessed from many addresses.
 */
export function createProofGuard(attempts: AttemptLimiter): ProofGuard {
  return (request, work) =>
    attempts.attempt(attemptOrigin(request), async wrong => {
      try {
        return await work();
      } catch (error) {
        if (error instanceof OAuthRequestError && wrongProofs.has(error.error)) wrong();
        throw error;
      }
    });
}

function attemptOrigin(request: ClientRequest): string {
  const clientId = clientNamedBy(request);
  return `${isSnowflake(clientId) ? clientId : 'nobody'}/${request.address}`;
}
