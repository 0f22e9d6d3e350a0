import type { OwnershipErrorCode } from '../../model/errors/error-codes.ts';
import { RallypointError } from '../../model/errors/errors.ts';

export type { OwnershipErrorCode } from '../../model/errors/error-codes.ts';

/**
 * Who owns a lobby stands against the call, or could not be found out. Nothing was sent; but when a call was repeated that had
 * been sent before, that attempt may have been processed.
 */
export class OwnershipError extends RallypointError {
  declare readonly code: OwnershipErrorCode;

  constructor(code: OwnershipErrorCode, message: string, options?: { cause?: unknown }) {
    super(code, message, options);
  }
}
