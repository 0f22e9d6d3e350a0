import type { StoreErrorCode } from '../../model/errors/error-codes.ts';
import { RallypointError } from '../../model/errors/errors.ts';
import { recognizeCopies } from '../../model/recognize-copies.ts';

/** The store could not do what was asked. The message names the place and what to do. */
export class StoreError extends RallypointError {
  static {
    recognizeCopies(this, 'StoreError');
  }

  declare readonly code: StoreErrorCode;
  /** The collection that cannot be read, because the database is damaged. */
  readonly damaged: string | undefined;

  constructor(code: StoreErrorCode, message: string, options?: { cause?: unknown; damaged?: string }) {
    super(code, message, options);
    this.damaged = options?.damaged;
  }
}
