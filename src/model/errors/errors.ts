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
 * Root of every error this package throws on purpose. Compare `code` (docs/errors.md has all of them); the message is for
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
}

/**
 * The catalogue of JSON error codes: one row each, read by the service (what to answer) and by the clients (how to
 * name it). Keys in snake case are the `code` of the {@link ApiError} that a client throws.
 *
 * @see docs/spec/errors.md#error-codes
 */
export const apiErrors = {
  bad_request: { code: 0, status: 400 },
  unauthorized: { code: 0, status: 401 },
  not_found: { code: 0, status: 404 },
  method_not_allowed: { code: 0, status: 405 },
  request_timeout: { code: 0, status: 408 },
  rate_limited: { code: 0, status: 429 },
  /** An operation on the account is under way; the interface names no code for it. */
  account_locked: { code: 0, status: 423 },
  foreign_origin: { code: 0, status: 403 },
  misdirected_request: { code: 0, status: 421 },
  headers_too_large: { code: 0, status: 431 },
  internal_error: { code: 0, status: 500 },
  unavailable: { code: 0, status: 503 },
  unknown_application: { code: 10002, status: 404 },
  unknown_channel: { code: 10003, status: 404 },
  unknown_guild: { code: 10004, status: 404 },
  unknown_member: { code: 10007, status: 404 },
  unknown_message: { code: 10008, status: 404 },
  unknown_role: { code: 10011, status: 404 },
  unknown_user: { code: 10013, status: 404 },
  unknown_webhook: { code: 10015, status: 404 },
  unknown_lobby: { code: 10031, status: 404 },
  unknown_interaction: { code: 10062, status: 404 },
  unknown_command: { code: 10063, status: 404 },
  unknown_command_permissions: { code: 10066, status: 404 },
  bots_not_allowed: { code: 20001, status: 403 },
  only_bots_allowed: { code: 20002, status: 403 },
  not_your_application: { code: 20012, status: 403 },
  too_many_commands: { code: 30032, status: 400 },
  too_many_command_creates: { code: 30034, status: 429 },
  request_too_large: { code: 40005, status: 413 },
  command_name_taken: { code: 40041, status: 400 },
  already_acknowledged: { code: 40060, status: 400 },
  already_in_guild: { code: 40108, status: 400 },
  not_a_lobby_member: { code: 40109, status: 403 },
  blocked: { code: 40333, status: 403 },
  too_many_follow_ups: { code: 40094, status: 400 },
  missing_access: { code: 50001, status: 403 },
  empty_message: { code: 50006, status: 400 },
  missing_permissions: { code: 50013, status: 403 },
  invalid_access_token: { code: 50025, status: 401 },
  missing_scope: { code: 50026, status: 403 },
  invalid_webhook_token: { code: 50027, status: 401 },
  invalid_form_body: { code: 50035, status: 400 },
  invalid_api_version: { code: 50041, status: 400 },
  invalid_json: { code: 50109, status: 400 },
  invalid_user_type: { code: 50229, status: 403 },
  channel_not_linkable: { code: 50235, status: 400 },
  channel_already_linked: { code: 50237, status: 400 },
  entry_point_missing: { code: 50240, status: 400 },
  lobby_link_refused: { code: 50241, status: 403 },
  lobby_not_linked: { code: 50267, status: 400 },
  overloaded: { code: 130000, status: 503 },
  // Our choice, from here: that all are 400, for the interface says "4xx".
  provisional_accounts_disabled: { code: 530000, status: 400 },
  identity_token_expired: { code: 530001, status: 400 },
  identity_token_wrong_issuer: { code: 530002, status: 400 },
  identity_token_wrong_audience: { code: 530003, status: 400 },
  identity_token_too_old: { code: 530004, status: 400 },
  no_unique_username: { code: 530006, status: 400 },
  wrong_client_secret: { code: 530007, status: 400 },
  identity_provider_not_found: { code: 530008, status: 400 },
  identity_keys_not_found: { code: 530009, status: 400 },
  account_not_provisional: { code: 530010, status: 400 },
  invalid_identity_keys: { code: 530012, status: 400 },
  invalid_merge_source: { code: 530014, status: 400 },
  invalid_merge_destination: { code: 530016, status: 400 },
  merge_source_banned: { code: 530017, status: 400 },
  invalid_identity_token: { code: 530020, status: 400 },
  too_many_identities: { code: 530023, status: 400 },
  identity_token_without_key_id: { code: 530027, status: 400 },
} as const satisfies Record<string, ApiErrorEntry>;

export type ApiErrorName = keyof typeof apiErrors;

/** By code or, where that is 0, by status: no code is as small as a status. */
const names = new Map<number, ApiErrorName>();
for (const name of Object.keys(apiErrors) as ApiErrorName[]) {
  const { code, status } = apiErrors[name];
  names.set(code || status, name);
}

function codeOf({ apiCode, status }: ApiErrorDetails): string {
  return names.get(apiCode || status) ?? 'api_error';
}
