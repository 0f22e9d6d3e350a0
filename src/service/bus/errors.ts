import type { BusErrorCode } from '../../model/errors/error-codes.ts';
import { RallypointError } from '../../model/errors/errors.ts';

/** What the nodes share could not be used. The message names the server without its credentials. */
export class BusError extends RallypointError {
  declare readonly code: BusErrorCode;

  constructor(code: BusErrorCode, message: string, options?: { cause?: unknown }) {
    super(code, message, options);
  }
}
