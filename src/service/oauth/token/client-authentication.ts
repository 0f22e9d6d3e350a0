import type { Core } from '../../core.ts';
import type { ApplicationRecord } from '../../store/records.ts';
import { matchesSecret } from '../../support/secret.ts';
import { type Form, field } from './form.ts';
import { oauthFaults } from './oauth-request-error.ts';

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
  return { application, proven };
}

/** The client that a request names, proven or not. */
export function clientNamedBy({ authorization, form }: ClientRequest): string | undefined {
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
