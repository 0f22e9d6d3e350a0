import type { StoreErrorCode } from '../../model/errors/error-codes.ts';
import { RallypointError } from '../../model/errors/errors.ts';
import { recognizeCopies } from '../../model/recognize-copies.ts';
import type { CollectionName } from './records.ts';

/** The store could not do what was asked. The message names the place and what to do. */
export class StoreError extends RallypointError {
  static {
    recognizeCopies(StoreError, 'StoreError');
  }

  declare readonly code: StoreErrorCode;
  /** The collection that cannot be read, because the database is damaged. */
  readonly damaged: CollectionName | undefined;

  constructor(code: StoreErrorCode, message: string, options?: { cause?: unknown; damaged?: CollectionName }) {
    super(code, message, options);
    this.damaged = options?.damaged;
  }
}
