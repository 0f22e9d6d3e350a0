import { RallypointError } from '../../model/errors/errors.ts';

/**
 * - `not_owner`: another server owns the lobby, or it has been handed over; nothing was sent
 * - `lease_lost`: this server's lease has run out and could not be renewed; nothing was sent
 * - `superseded`: another process has come under this server's name, for good; nothing was sent
 * - `server_not_live`: the server named holds no lease
 * - `directory_failed`: the directory threw, or holds something unreadable; what it threw is the cause
 */
export type OwnershipErrorCode = 'not_owner' | 'lease_lost' | 'superseded' | 'server_not_live' | 'directory_failed';

/** Who owns a lobby stands against the call, or could not be found out. */
export class OwnershipError extends RallypointError {
  declare readonly code: OwnershipErrorCode;

  constructor(code: OwnershipErrorCode, message: string, options?: { cause?: unknown }) {
    super(code, message, options);
  }
}
