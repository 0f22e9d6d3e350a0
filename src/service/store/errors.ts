import { RallypointError } from '../../model/errors/errors.ts';

/**
 * - `store_failed`: the engine could not read or commit; a rejected work left nothing behind
 * - `store_closed`: the store was used after its close
 * - `store_in_use`: another process has it open
 * - `store_too_new`: a newer version of this package wrote it
 * - `store_unusable`: it cannot be opened: no permission, damaged, not ours
 * - `transaction_ended`: a transaction was used after its work had ended
 */
export type StoreErrorCode =
  | 'store_failed'
  | 'store_closed'
  | 'store_in_use'
  | 'store_too_new'
  | 'store_unusable'
  | 'transaction_ended';

/** The store could not do what was asked. The message names the place and what to do. */
export class StoreError extends RallypointError {
  declare readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string, options?: { cause?: unknown }) {
    super(code, message, options);
  }
}
