import type { StoreErrorCode } from '../../model/errors/error-codes.ts';
import { RallypointError } from '../../model/errors/errors.ts';
import { recognizeCopies } from '../../model/recognize-copies.ts';

/** The store could not do what was asked. The message names the place and what to do. */
export class StoreError extends RallypointError {
  static {
    recognizeCopies(StoreError, 'StoreError');
  }

  declare readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string, options?: { cause?: unknown }) {
    super(code, message, options);
  }
}
