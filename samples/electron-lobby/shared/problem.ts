import {
  ApiError,
  GatewayError,
  RallypointError,
  RateLimitError,
  type SignInSnapshot,
  ValidationError,
} from '@rallypoint/sdk/electron/renderer';
import { playerWords } from './player-words.ts';
import type { Outcome, Problem } from './state.ts';

/** A problem without an error, in the words of its code. */
export function problemNamed(code: string): Problem {
  return { code, ...playerWords(code) };
}

/** Something that the game's own rules, or its server, do not allow. Windows get it with its code. */
export class GameError extends RallypointError {
  readonly issues: readonly { readonly path: readonly string[]; readonly message: string }[];

  constructor(code: string, issues: GameError['issues'] = []) {
    super(code, playerWords(code).message);
    this.issues = issues;
  }
}

/** Why a sign-in ended that the player did not end in this window. */
export function endingOf({ status, reason }: SignInSnapshot): Problem | undefined {
  if (status !== 'signed-out' || reason === undefined) return undefined;
  return problemNamed(reason === 'signed-out' ? 'signed_out_elsewhere' : reason);
}

/** Says what went wrong so that a player understands it. The SDK's own messages are for developers. */
export function problemOf(error: unknown): Problem {
  if (!(error instanceof RallypointError)) return problemNamed('internal_error');
  const words = wordsOf(error);
  const issues = 'issues' in error ? (error as GameError).issues : [];
  return {
    code: error.code,
    ...words,
    ...(issues.length > 0 && { issues: issues.map(({ path, message }) => ({ path, message })) }),
  };
}

function wordsOf(error: RallypointError): Omit<Problem, 'code'> {
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

/** Does something, and tells how it went as a value: in words, where a window shows them. */
export async function outcomeOf(work: () => Promise<unknown>): Promise<Outcome> {
  try {
    await work();
    return { ok: true };
  } catch (error) {
    return { ok: false, problem: problemOf(error) };
  }
}
