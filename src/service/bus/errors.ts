import type { BusErrorCode } from '../../model/errors/error-codes.ts';
import { RallypointError } from '../../model/errors/errors.ts';
import { recognizeCopies } from '../../model/recognize-copies.ts';

/** What the nodes share could not be used. The message names the server without its credentials. */
export class BusError extends RallypointError {
  static {
    recognizeCopies(this, 'BusError');
  }

  declare readonly code: BusErrorCode;

  constructor(code: BusErrorCode, message: string, options?: { cause?: unknown }) {
    super(code, message, options);
  }
}

/** What an answer becomes that the script cannot give: what it ran on is not what our nodes have written. */
export function oddAnswer(): BusError {
  return new BusError(
    'bus_unavailable',
    'Redis answered in an unexpected form: its database must be used by the nodes of one cluster alone.',
  );
}
