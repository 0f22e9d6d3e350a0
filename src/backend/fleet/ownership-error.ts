import type { OwnershipErrorCode } from '../../model/errors/error-codes.ts';
import { RallypointError } from '../../model/errors/errors.ts';
import { recognizeCopies } from '../../model/recognize-copies.ts';

export type { OwnershipErrorCode } from '../../model/errors/error-codes.ts';

/**
 * Another server owns the lobby, or the owner could not be determined. Nothing was sent; if the call was a retry, an
 * earlier attempt may have been processed.
 */
export class OwnershipError extends RallypointError {
  static {
    recognizeCopies(this, 'OwnershipError');
  }

  declare readonly code: OwnershipErrorCode;

  constructor(code: OwnershipErrorCode, message: string, options?: { cause?: unknown }) {
    super(code, message, options);
  }
}
