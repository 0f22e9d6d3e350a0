import { ApiError, GatewayError, RallypointError, RateLimitError, ValidationError } from '@rallypoint/sdk';
import type { Outcome, Problem } from '../shared/state.ts';
import { BackendRefusal } from './game-backend.ts';
import { playerWords } from './player-words.ts';

/** A problem without an error, in the words of its code. */
export function problemNamed(code: string): Problem {
  return { code, ...playerWords(code) };
}

/** Something that the game's own rules do not allow. */
export class GameError extends Error {
  readonly code: string;

  constructor(code: string) {
    super(playerWords(code).message);
    this.name = 'GameError';
    this.code = code;
  }
}

/** Says what went wrong so that a player understands it. The SDK's own messages are for developers. */
export function problemOf(error: unknown): Problem {
  if (!(error instanceof RallypointError || error instanceof BackendRefusal || error instanceof GameError)) {
    return problemNamed('internal_error');
  }
  const words = wordsOf(error);
  const issues = 'issues' in error ? error.issues : [];
  return {
    code: error.code,
    ...words,
    ...(issues.length > 0 && { issues: issues.map(({ path, message }) => ({ path, message })) }),
  };
}

function wordsOf(error: RallypointError | BackendRefusal | GameError): Omit<Problem, 'code'> {
  if (error instanceof RateLimitError) {
    return { ...playerWords(error.code), remedy: `Try again in ${Math.ceil(error.retryAfterMs / 1000)} s.` };
  }
  if (error instanceof GatewayError) return playerWords(error.recoverable ? 'connection_ended' : error.code);
  // The fault of a field says by itself what is wrong.
  const [issue] = error instanceof ValidationError || error instanceof ApiError ? error.issues : [];
  if (issue) return { message: issue.message };
  const isOutage = error instanceof ApiError && error.status >= 500;
  return playerWords(isOutage ? 'unavailable' : error.code);
}

/** Does something, and tells how it went as a value: errors would lose their class on the way to a window. */
export async function outcomeOf(work: () => Promise<unknown>): Promise<Outcome> {
  try {
    await work();
    return { ok: true };
  } catch (error) {
    return { ok: false, problem: problemOf(error) };
  }
}
