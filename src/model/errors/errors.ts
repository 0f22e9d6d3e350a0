import { recognizeCopies } from '../recognize-copies.ts';
import type {
  ArgumentErrorCode,
  BusErrorCode,
  KeychainErrorCode,
  OAuthErrorCode,
  OtherErrorCode,
  OwnershipErrorCode,
  RedirectErrorCode,
  StoreErrorCode,
  TransportErrorCode,
} from './error-codes.ts';
import type { Issue } from './issue.ts';
import { formatIssues } from './issue.ts';

/**
 * The base class of every error that this package throws on purpose. Compare `code` (docs/errors.md lists all of them);
 * the message is for people.
 */
export class RallypointError extends Error {
  static {
    recognizeCopies(this, 'error');
  }

  /** Stable, lower-case text that names what went wrong. */
  readonly code: string;

  constructor(code: string, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = new.target.name;
    this.code = code;
  }
}

/**
 * Whether this package threw a value on purpose. A `switch` over the code of such an error can be exhaustive.
 *
 * @example
 * ```ts
 * import { isRallypointError } from '@rallypoint/sdk';
 *
 * try {
 *   await client.connect();
 * } catch (error) {
 *   if (!isRallypointError(error)) throw error;
 *   if (error.code === 'rate_limited') console.log(`Try again in ${error.retryAfterMs} ms.`);
 * }
 * ```
 */
export function isRallypointError(value: unknown): value is AnyRallypointError {
  return value instanceof RallypointError;
}

/** Every error of this package, by its code. */
export type AnyRallypointError =
  | ArgumentError
  | ValidationError
  // A response of 429 is a RateLimitError, which has this one as its cause.
  | (ApiError & { readonly code: Exclude<ApiError['code'], 'rate_limited'> })
  | RateLimitError
  | OAuthError
  | GatewayError
  | TransportError
  | KeychainError
  | RedirectError
  | (RallypointError & { readonly code: OtherErrorCode | OwnershipErrorCode | StoreErrorCode | BusErrorCode });

/** Every code that an error of this package can have. */
export type RallypointErrorCode = AnyRallypointError['code'];

/** An argument or option is unusable. Nothing was sent. */
export class ArgumentError extends RallypointError {
  static {
    recognizeCopies(this, 'ArgumentError');
  }

  declare readonly code: ArgumentErrorCode;

  constructor(code: ArgumentErrorCode, message: string, options?: { cause?: unknown }) {
    super(code, message, options);
  }
}

/** A value breaks the rules. `issues` lists every fault, the same ones that the service would answer with. */
export class ValidationError extends RallypointError {
  static {
    recognizeCopies(this, 'ValidationError');
  }

  declare readonly code: 'invalid_form_body';
  readonly issues: readonly Issue[];

  constructor(what: string, issues: readonly Issue[]) {
    super('invalid_form_body', `${what} is not valid:\n${formatIssues(issues)}`);
    this.issues = issues;
  }
}

/** The details of a failed call. */
export interface ApiErrorDetails {
  /** HTTP status of the response. */
  readonly status: number;
  /** Number from the table of JSON error codes ({@link apiErrors}); 0 for framework-level answers. */
  readonly apiCode: number;
  /** Method and path template, for example `PUT /lobbies/{lobby_id}/members/{user_id}`. */
  readonly route: string;
  /** Every leaf of the response's `errors` tree; empty when it had none. */
  readonly issues: readonly Issue[];
}

/** The service responded with an error status. */
export class ApiError extends RallypointError implements ApiErrorDetails {
  static {
    recognizeCopies(this, 'ApiError');
  }

  /** `api_error`: the service answered with a number that {@link apiErrors} does not list. */
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

/** A rate limit was reached, and waiting for it would have exceeded the call's deadline. */
export class RateLimitError extends RallypointError {
  static {
    recognizeCopies(this, 'RateLimitError');
  }

  declare readonly code: 'rate_limited';
  /** Name of the limit that was reached; `global` for the application-wide one. */
  readonly bucket: string;
  readonly retryAfterMs: number;

  /** @param options `cause`: the {@link ApiError} of the 429 response, if the call was sent */
  constructor(bucket: string, retryAfterMs: number, options?: { cause?: unknown }) {
    super(
      'rate_limited',
      `The rate limit "${bucket}" is used up. Try again in ${Math.ceil(retryAfterMs)} ms.`,
      options,
    );
    this.bucket = bucket;
    this.retryAfterMs = retryAfterMs;
  }
}

/** The authorization server or the player denied a request, or there is no usable token. */
export class OAuthError extends RallypointError {
  static {
    recognizeCopies(this, 'OAuthError');
  }

  /** `oauth_error`: the authorization server named an error that this package does not know; {@link error} has it. */
  declare readonly code: OAuthErrorCode;
  /** The error as the authorization server named it (RFC 6749, section 5.2), for example `access_denied`. */
  readonly error: string;

  /** @param options `error`: what the authorization server named, where that is not the code */
  constructor(code: OAuthErrorCode, message: string, options?: { cause?: unknown; error?: string }) {
    super(code, message, options);
    this.error = options?.error ?? code;
  }
}

/** The gateway closed the connection; `closeCode` is from the table of close codes. */
export class GatewayError extends RallypointError {
  static {
    recognizeCopies(this, 'GatewayError');
  }

  declare readonly code: 'gateway_closed';
  readonly closeCode: number;
  /** Whether connecting again can succeed. */
  readonly recoverable: boolean;

  constructor(closeCode: number, message: string, recoverable: boolean) {
    super('gateway_closed', message);
    this.closeCode = closeCode;
    this.recoverable = recoverable;
  }
}

/**
 * A call ended without a usable response: no connection was made (`unreachable`), the connection broke after the request
 * may have been sent (`connection_lost`), `deadline_exceeded`, `aborted`, `unreadable_answer`.
 */
export class TransportError extends RallypointError {
  static {
    recognizeCopies(this, 'TransportError');
  }

  declare readonly code: TransportErrorCode;

  constructor(code: TransportErrorCode, message: string, options?: { cause?: unknown }) {
    super(code, message, options);
  }
}

/** The keychain cannot be used. */
export class KeychainError extends RallypointError {
  static {
    recognizeCopies(this, 'KeychainError');
  }

  declare readonly code: KeychainErrorCode;

  constructor(code: KeychainErrorCode, message: string, options?: { cause?: unknown }) {
    super(code, message, options);
  }
}

/** Custom-scheme redirects cannot be received, or the scheme cannot be registered. The message says what to do. */
export class RedirectError extends RallypointError {
  static {
    recognizeCopies(this, 'RedirectError');
  }

  declare readonly code: RedirectErrorCode;

  constructor(code: RedirectErrorCode, message: string, options?: { cause?: unknown }) {
    super(code, message, options);
  }
}

/** One row of {@link apiErrors}. */
export interface ApiErrorEntry {
  readonly code: number;
  readonly status: number;
}

/**
 * The table of JSON error codes. The service takes number and status from it, and a key is the `code` of the
 * {@link ApiError} that a client throws.
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
  /** An operation on the account is in progress. Unspecified: the code. */
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
  unknown_session: { code: 10020, status: 404 },
  unknown_lobby: { code: 10031, status: 404 },
  unknown_interaction: { code: 10062, status: 404 },
  unknown_command: { code: 10063, status: 404 },
  unknown_command_permissions: { code: 10066, status: 404 },
  bots_not_allowed: { code: 20001, status: 403 },
  only_bots_allowed: { code: 20002, status: 403 },
  not_your_application: { code: 20012, status: 403 },
  too_many_friends: { code: 30002, status: 400 },
  too_many_invites: { code: 30016, status: 400 },
  too_many_commands: { code: 30032, status: 400 },
  too_many_command_creates: { code: 30034, status: 429 },
  too_many_blocks: { code: 30059, status: 400 },
  /** Unspecified: the status; 400 and 403 have been seen. */
  opening_messages_too_fast: { code: 40003, status: 403 },
  request_too_large: { code: 40005, status: 413 },
  activity_expired: { code: 40014, status: 403 },
  command_name_taken: { code: 40041, status: 400 },
  already_acknowledged: { code: 40060, status: 400 },
  already_in_guild: { code: 40108, status: 400 },
  not_a_lobby_member: { code: 40109, status: 403 },
  blocked: { code: 40333, status: 403 },
  too_many_follow_ups: { code: 40094, status: 400 },
  missing_access: { code: 50001, status: 403 },
  not_the_author: { code: 50005, status: 403 },
  empty_message: { code: 50006, status: 400 },
  cannot_send_to_user: { code: 50007, status: 403 },
  missing_permissions: { code: 50013, status: 403 },
  invalid_access_token: { code: 50025, status: 401 },
  missing_scope: { code: 50026, status: 403 },
  invalid_webhook_token: { code: 50027, status: 401 },
  invalid_recipient: { code: 50033, status: 400 },
  invalid_form_body: { code: 50035, status: 400 },
  invalid_activity_action: { code: 50039, status: 400 },
  invalid_api_version: { code: 50041, status: 400 },
  no_activity_access: { code: 50106, status: 403 },
  invalid_json: { code: 50109, status: 400 },
  invalid_user_type: { code: 50229, status: 403 },
  channel_not_linkable: { code: 50235, status: 400 },
  channel_already_linked: { code: 50237, status: 400 },
  entry_point_missing: { code: 50240, status: 400 },
  lobby_link_refused: { code: 50241, status: 403 },
  game_friend_messages_off: { code: 50251, status: 403 },
  provisional_user_offline: { code: 50252, status: 403 },
  lobby_not_linked: { code: 50267, status: 400 },
  no_mutual_guilds: { code: 50278, status: 403 },
  // Unspecified: the status of these ten; the hosted service was seen to answer 400 for the first.
  friend_requests_disabled: { code: 80000, status: 400 },
  friend_request_blocked: { code: 80001, status: 400 },
  bots_have_no_friends: { code: 80002, status: 400 },
  friend_request_to_self: { code: 80003, status: 400 },
  unknown_username: { code: 80004, status: 400 },
  no_friend_request: { code: 80005, status: 400 },
  not_friends: { code: 80006, status: 400 },
  already_friends: { code: 80007, status: 400 },
  no_common_application: { code: 80009, status: 400 },
  application_not_authorized: { code: 80011, status: 400 },
  overloaded: { code: 130000, status: 503 },
  // Unspecified: the status of the rest; the interface says "4xx".
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

function codeOf({ apiCode, status }: ApiErrorDetails): ApiError['code'] {
  return names.get(apiCode || status) ?? 'api_error';
}
