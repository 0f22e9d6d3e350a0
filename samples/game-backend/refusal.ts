import { ApiError, RateLimitError, TransportError, ValidationError } from '@rallypoint/sdk/backend';
import type { RefusalBody, RefusalCode, RefusalIssue } from './contract.ts';

const statuses: Readonly<Record<RefusalCode, number>> = {
  unauthorized: 401,
  wrong_application: 403,
  not_the_owner: 403,
  invalid_command: 400,
  invalid_body: 400,
  body_too_large: 413,
  not_found: 404,
  method_not_allowed: 405,
  try_later: 429,
  service_unavailable: 502,
  internal_error: 500,
};

/** A request that is not done, and what its sender is told. */
export class Refusal extends Error {
  readonly code: RefusalCode;
  readonly issues: readonly RefusalIssue[];
  /** What the answer says beside its body. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: RefusalCode, message: string, more: Partial<Pick<Refusal, 'issues' | 'headers'>> = {}) {
    super(message);
    this.name = 'Refusal';
    this.code = code;
    this.issues = more.issues ?? [];
    this.headers = more.headers ?? {};
  }

  get status(): number {
    return statuses[this.code];
  }

  get body(): RefusalBody {
    const { code, message, issues } = this;
    return { code, message, ...(issues.length > 0 && { issues }) };
  }
}

/** What a failure of ours is to the player: nothing of our own calls, their addresses or their token is repeated. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof ValidationError) return invalidCommand(error.issues);
  if (error instanceof RateLimitError) {
    const seconds = Math.ceil(error.retryAfterMs / 1000);
    const headers = { 'retry-after': String(seconds) };
    return new Refusal('try_later', `A limit of the service is used up. Try again in ${seconds} s.`, { headers });
  }
  if (error instanceof ApiError && error.code === 'invalid_form_body') return invalidCommand(error.issues);
  if (error instanceof ApiError || error instanceof TransportError) {
    return new Refusal('service_unavailable', `The service did not do what the game asked for (${error.code}).`);
  }
  return new Refusal('internal_error', 'The game server made a mistake.');
}

function invalidCommand(issues: readonly RefusalIssue[]): Refusal {
  const shown = issues.map(({ path, message }) => ({ path, message }));
  return new Refusal('invalid_command', 'The command is not valid.', { issues: shown });
}
