import { ApiError, RallypointError, RateLimitError, ValidationError } from '@rallypoint/sdk';
import type { Outcome, Problem } from '../shared/state.ts';
import { BackendRefusal } from './game-backend.ts';

/** What a player can do about it, by the error's code. */
const remedies: Readonly<Record<string, string>> = {
  access_denied: 'Sign in again when you change your mind.',
  aborted: 'Nothing was changed. Start again whenever you like.',
  authorization_in_progress: 'Finish the sign-in in your browser, or cancel it here.',
  browser_unavailable: 'Set a default browser in your system, then sign in again.',
  no_loopback: 'Something on this machine keeps programs from listening on 127.0.0.1.',
  invalid_grant: 'Sign in again.',
  signed_out: 'Sign in again.',
  unreachable: 'Is the service running, and this machine online?',
  connection_lost: 'Look whether it arrived before you repeat it.',
  deadline_exceeded: 'Look whether it arrived before you repeat it.',
  client_not_ready: 'Wait until the connection is back.',
  unknown_lobby: 'It has ended. Ask for a new secret.',
  lobby_ended: 'It has ended. Ask for a new secret.',
  backend_unreachable: 'Is the game server running? Then try again.',
  unauthorized: 'Sign out and in again.',
  missing_access: 'A lobby that the game server made is left by its server only.',
  not_the_owner: 'Sign in as the owner of the application.',
  gateway_closed: 'Sign out and in again.',
};

/** Says what went wrong so that a player understands it; errors that are not known are mistakes of ours. */
export function problemOf(error: unknown): Problem {
  if (!(error instanceof RallypointError || error instanceof BackendRefusal)) {
    return { code: 'internal_error', message: 'Something went wrong in the game itself.' };
  }
  const remedy = remedyOf(error);
  const issues = 'issues' in error ? error.issues : [];
  return {
    code: error.code,
    message: messageOf(error),
    ...(remedy !== undefined && { remedy }),
    ...(issues.length > 0 && { issues: issues.map(({ path, message }) => ({ path, message })) }),
  };
}

function remedyOf(error: RallypointError | BackendRefusal): string | undefined {
  if (error instanceof RateLimitError) return `Try again in ${Math.ceil(error.retryAfterMs / 1000)} s.`;
  return remedies[error.code];
}

/** What is said in place of the SDK's message, by the error's code: where that is another's, for developers. */
const plainWords: Readonly<Record<string, string>> = {
  access_denied: 'You said no in the browser.',
};

// The SDK's messages name routes and paths, for developers; a field's fault reads better by itself.
function messageOf(error: RallypointError | BackendRefusal): string {
  if (error instanceof RateLimitError) return 'That was too often.';
  const [issue] = error instanceof ValidationError || error instanceof ApiError ? error.issues : [];
  return issue?.message ?? plainWords[error.code] ?? error.message;
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
