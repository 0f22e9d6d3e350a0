import type {
  ArgumentErrorCode,
  KeychainErrorCode,
  OAuthErrorCode,
  RedirectErrorCode,
  TransportErrorCode,
} from './error-codes.ts';
import type { Issue } from './issue.ts';
import { formatIssues } from './issue.ts';

/**
 * Root of every error this package throws on purpose. Compare `code`, which {@link errorCodes} explains; the message is for
 * people.
 */
export class RallypointError extends Error {
  /** Stable, lower-case text that names what went wrong. */
  readonly code: string;

  constructor(code: string, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = new.target.name;
    this.code = code;
  }
}

/** A caller handed in something unusable; nothing was sent. */
export class ArgumentError extends RallypointError {
  declare readonly code: ArgumentErrorCode;

  constructor(code: ArgumentErrorCode, message: string, options?: { cause?: unknown }) {
    super(code, message, options);
  }
}

/** The rulebook refused a value. `issues` names every fault, here and in the service's answer alike. */
export class ValidationError extends RallypointError {
  declare readonly code: 'invalid_form_body';
  readonly issues: readonly Issue[];

  constructor(what: string, issues: readonly Issue[]) {
    super('invalid_form_body', `${what} is not valid:\n${formatIssues(issues)}`);
    this.issues = issues;
  }
}

/** What a failed call tells beside its code. */
export interface ApiErrorDetails {
  /** HTTP status of the answer. */
  readonly status: number;
  /** Number from the table of JSON error codes ({@link apiErrors}); 0 for framework-level answers. */
  readonly apiCode: number;
  /** Method and path template, for example `PUT /lobbies/{lobby_id}/members/{user_id}`. */
  readonly route: string;
  /** Every leaf of the answer's `errors` tree; empty when it had none. */
  readonly issues: readonly Issue[];
}

/** The service answered with an error status. */
export class ApiError extends RallypointError implements ApiErrorDetails {
  /** `api_error`: the service named a number that the table does not have. */
  declare readonly code: ApiErrorName | 'api_error';
  readonly status: number;
  readonly apiCode: number;
  readonly route: string;
  readonly issues: readonly Issue[];

  constructor(message: string, details: ApiErrorDetails) {
    const listed = details.issues.length > 0 ? `\n${formatIssues(details.issues)}` : '';
    super(codeOf(details), `${details.route} answered ${details.status}: ${message}${listed}`);
    this.status = details.status;
    this.apiCode = details.apiCode;
    this.route = details.route;
    this.issues = details.issues;
  }
}

/** A limit was reached and waiting it out would have passed the call's deadline (or waiting was declined). */
export class RateLimitError extends RallypointError {
  declare readonly code: 'rate_limited';
  /** Name of the limit that was hit; `global` for the application-wide one. */
  readonly bucket: string;
  readonly retryAfterMs: number;

  /** @param options `cause`: the {@link ApiError} of the refusal, when the service was asked */
  constructor(bucket: string, retryAfterMs: number, options?: { cause?: unknown }) {
    super('rate_limited', `The limit "${bucket}" is used up; it frees in ${Math.ceil(retryAfterMs)} ms.`, options);
    this.bucket = bucket;
    this.retryAfterMs = retryAfterMs;
  }
}

/** The authorization server or the player refused; `code` is the RFC 6749 error, for example `access_denied`. */
export class OAuthError extends RallypointError {
  declare readonly code: OAuthErrorCode;

  constructor(code: OAuthErrorCode, message: string, options?: { cause?: unknown }) {
    super(code, message, options);
  }
}

/** The gateway ended a session; `closeCode` is from the table of close codes. */
export class GatewayError extends RallypointError {
  declare readonly code: 'gateway_closed';
  readonly closeCode: number;
  /** Whether connecting again can help. */
  readonly recoverable: boolean;

  constructor(closeCode: number, message: string, recoverable: boolean) {
    super('gateway_closed', message);
    this.closeCode = closeCode;
    this.recoverable = recoverable;
  }
}

/**
 * Nothing intelligible came back: no connection was made (`unreachable`), it broke off after the request may have left
 * (`connection_lost`), `deadline_exceeded`, `aborted`, `unreadable_answer`.
 */
export class TransportError extends RallypointError {
  declare readonly code: TransportErrorCode;

  constructor(code: TransportErrorCode, message: string, options?: { cause?: unknown }) {
    super(code, message, options);
  }
}

/** The system's keychain cannot be used. */
export class KeychainError extends RallypointError {
  declare readonly code: KeychainErrorCode;

  constructor(code: KeychainErrorCode, message: string, options?: { cause?: unknown }) {
    super(code, message, options);
  }
}

/** Custom-scheme redirects cannot be received here, or their scheme not be registered; the message says what helps. */
export class RedirectError extends RallypointError {
  declare readonly code: RedirectErrorCode;

  constructor(code: RedirectErrorCode, message: string, options?: { cause?: unknown }) {
    super(code, message, options);
  }
}

/** One row of the catalogue: what the service answers, and what the clients call it. */
export interface ApiErrorEntry {
  readonly code: number;
  readonly status: number;
  readonly message: string;
}

/**
 * The catalogue of JSON error codes: one row each, read by the service (what to answer) and by the clients (how to
 * name it). Keys in snake case are the `code` of the {@link ApiError} that a client throws.
 *
 * @see commands.md 4.3, lobbies.md 5, oauth2.md 9
 */
export const apiErrors = {
  bad_request: { code: 0, status: 400, message: '400: Bad Request' },
  unauthorized: { code: 0, status: 401, message: '401: Unauthorized' },
  not_found: { code: 0, status: 404, message: '404: Not Found' },
  method_not_allowed: { code: 0, status: 405, message: '405: Method Not Allowed' },
  request_timeout: { code: 0, status: 408, message: '408: Request Timeout' },
  rate_limited: { code: 0, status: 429, message: 'You are being rate limited.' },
  /** An operation on the account is under way; the interface names no code for it. */
  account_locked: { code: 0, status: 423, message: '423: Locked' },
  foreign_origin: { code: 0, status: 403, message: '403: Forbidden' },
  misdirected_request: { code: 0, status: 421, message: '421: Misdirected Request' },
  headers_too_large: { code: 0, status: 431, message: '431: Request Header Fields Too Large' },
  internal_error: { code: 0, status: 500, message: '500: Internal Server Error' },
  unavailable: { code: 0, status: 503, message: '503: Service Unavailable' },
  unknown_application: { code: 10002, status: 404, message: 'Unknown Application' },
  unknown_channel: { code: 10003, status: 404, message: 'Unknown Channel' },
  unknown_guild: { code: 10004, status: 404, message: 'Unknown Guild' },
  unknown_member: { code: 10007, status: 404, message: 'Unknown Member' },
  unknown_message: { code: 10008, status: 404, message: 'Unknown Message' },
  unknown_role: { code: 10011, status: 404, message: 'Unknown Role' },
  unknown_user: { code: 10013, status: 404, message: 'Unknown User' },
  unknown_webhook: { code: 10015, status: 404, message: 'Unknown Webhook' },
  unknown_lobby: { code: 10031, status: 404, message: 'Unknown Lobby' },
  unknown_interaction: { code: 10062, status: 404, message: 'Unknown interaction' },
  unknown_command: { code: 10063, status: 404, message: 'Unknown application command' },
  unknown_command_permissions: { code: 10066, status: 404, message: 'Unknown application command permissions' },
  bots_not_allowed: { code: 20001, status: 403, message: 'Bots cannot use this endpoint' },
  only_bots_allowed: { code: 20002, status: 403, message: 'Only bots can use this endpoint' },
  not_your_application: {
    code: 20012,
    status: 403,
    message: 'You are not authorized to perform this action on this application',
  },
  too_many_commands: { code: 30032, status: 400, message: 'Maximum number of application commands reached' },
  too_many_command_creates: {
    code: 30034,
    status: 429,
    message: 'Max number of daily application command creates has been reached (200)',
  },
  request_too_large: { code: 40005, status: 413, message: 'Request entity too large' },
  command_name_taken: { code: 40041, status: 400, message: 'An application command with that name already exists' },
  already_acknowledged: { code: 40060, status: 400, message: 'Interaction has already been acknowledged.' },
  already_in_guild: { code: 40108, status: 400, message: 'The user is already in the guild' },
  not_a_lobby_member: { code: 40109, status: 403, message: 'Only members of the lobby can do this' },
  blocked: { code: 40333, status: 403, message: 'internal network error' },
  too_many_follow_ups: { code: 40094, status: 400, message: 'Maximum number of follow-up messages reached (5)' },
  missing_access: { code: 50001, status: 403, message: 'Missing Access' },
  empty_message: { code: 50006, status: 400, message: 'Cannot send an empty message' },
  missing_permissions: { code: 50013, status: 403, message: 'Missing Permissions' },
  invalid_access_token: { code: 50025, status: 401, message: 'Invalid OAuth2 access token' },
  missing_scope: { code: 50026, status: 403, message: 'Missing required OAuth2 scope' },
  invalid_webhook_token: { code: 50027, status: 401, message: 'Invalid Webhook Token' },
  invalid_form_body: { code: 50035, status: 400, message: 'Invalid Form Body' },
  invalid_api_version: { code: 50041, status: 400, message: 'Invalid API version provided' },
  invalid_json: { code: 50109, status: 400, message: 'The request body contains invalid JSON.' },
  invalid_user_type: { code: 50229, status: 403, message: 'Invalid user type' },
  channel_not_linkable: { code: 50235, status: 400, message: 'This channel cannot be linked to a lobby' },
  channel_already_linked: { code: 50237, status: 400, message: 'This channel is already linked to another lobby' },
  entry_point_missing: {
    code: 50240,
    status: 400,
    message:
      "You cannot remove this app's Entry Point command in a bulk update operation. " +
      'Please include the Entry Point command in your update request or delete it separately.',
  },
  lobby_link_refused: { code: 50241, status: 403, message: 'Only members with the flag CanLinkLobby can do this' },
  lobby_not_linked: { code: 50267, status: 400, message: 'The lobby is not linked to a channel' },
  // Our choice, from here: the texts, and that all are 400, for the interface says "4xx".
  provisional_accounts_disabled: {
    code: 530000,
    status: 400,
    message: 'The application may not use provisional accounts',
  },
  identity_token_expired: { code: 530001, status: 400, message: 'The ID token has expired' },
  identity_token_wrong_issuer: { code: 530002, status: 400, message: 'The ID token has the wrong issuer' },
  identity_token_wrong_audience: { code: 530003, status: 400, message: 'The ID token has the wrong audience' },
  identity_token_too_old: { code: 530004, status: 400, message: 'The ID token was issued too long ago' },
  no_unique_username: { code: 530006, status: 400, message: 'No unique username was found in time; try again' },
  wrong_client_secret: { code: 530007, status: 400, message: 'Wrong client secret' },
  identity_provider_not_found: { code: 530008, status: 400, message: 'The OIDC configuration was not found' },
  identity_keys_not_found: { code: 530009, status: 400, message: 'The JWKS was not found' },
  account_not_provisional: {
    code: 530010,
    status: 400,
    message: 'The account is not provisional; authorize by OAuth2',
  },
  invalid_identity_keys: { code: 530012, status: 400, message: 'The JWKS is invalid' },
  invalid_merge_source: { code: 530014, status: 400, message: 'There is no such provisional account to be merged' },
  invalid_merge_destination: { code: 530016, status: 400, message: 'Nothing can be merged into this account' },
  merge_source_banned: { code: 530017, status: 400, message: 'The provisional account is banned' },
  invalid_identity_token: { code: 530020, status: 400, message: 'The JWT is invalid' },
  too_many_identities: { code: 530023, status: 400, message: 'The account has too many identities' },
  identity_token_without_key_id: { code: 530027, status: 400, message: 'The JWT names no key (kid)' },
} as const satisfies Record<string, ApiErrorEntry>;

export type ApiErrorName = keyof typeof apiErrors;

const namesByCode = new Map<number, ApiErrorName>();
const namesByStatus = new Map<number, ApiErrorName>();
for (const name of Object.keys(apiErrors) as ApiErrorName[]) {
  const entry = apiErrors[name];
  if (entry.code === 0) namesByStatus.set(entry.status, name);
  else namesByCode.set(entry.code, name);
}

function codeOf({ apiCode, status }: ApiErrorDetails): string {
  return namesByCode.get(apiCode) ?? (apiCode === 0 ? namesByStatus.get(status) : undefined) ?? 'api_error';
}
