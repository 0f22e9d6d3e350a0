/** Compile-only: what a caller can rely on in the types of errors. */
import type { OwnershipError } from '../../src/backend/fleet/index.ts';
import {
  isRallypointError,
  type RallypointErrorCode,
  type RateLimitError,
  type TransportError,
} from '../../src/sdk/index.ts';

/** Without a default branch: TypeScript rejects the function when a code of the union is missing. */
export function canRetry({ code }: TransportError): boolean {
  switch (code) {
    case 'call_ended':
    case 'client_not_ready':
    case 'connection_lost':
    case 'deadline_exceeded':
    case 'unreachable':
      return true;
    case 'aborted':
    case 'browser_unavailable':
    case 'lobby_ended':
    case 'main_process_failed':
    case 'no_loopback':
    case 'unreadable_answer':
    case 'untrusted_window':
      return false;
  }
}

// @ts-expect-error the codes of a lost or superseded server are missing
export function explainOwnership({ code }: OwnershipError): string {
  switch (code) {
    case 'directory_failed':
      return 'The directory failed.';
    case 'not_owner':
    case 'server_not_live':
      return 'Another server owns the lobby.';
  }
}

/** The code tells the class, so that its fields can be read without `instanceof`. */
export function explain(error: unknown): string | number {
  if (!isRallypointError(error)) throw error;
  error.code satisfies RallypointErrorCode;
  switch (error.code) {
    case 'gateway_closed':
      return error.closeCode;
    case 'unknown_lobby':
      return error.route;
    case 'invalid_form_body':
      return error.issues.length;
    case 'oauth_error':
      return error.error;
    case 'rate_limited':
      return error.retryAfterMs;
    // @ts-expect-error no error has this code
    case 'no_such_code':
      return 0;
    default:
      return error.message;
  }
}

/** As above, with `if`: whatever has this code is a RateLimitError. */
export function pauseOf(error: unknown): number {
  if (!isRallypointError(error) || error.code !== 'rate_limited') return 0;
  return (error satisfies RateLimitError).retryAfterMs;
}
