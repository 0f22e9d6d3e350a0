import type { Issue } from '../../model/errors/issue.ts';
import { asRecord } from '../../wire/http/codec.ts';
import { CommandFailure, UsageError } from '../command-line.ts';
import { errorMessage } from '../failure.ts';
import { printable } from '../paint.ts';
import type { Waiting } from '../waiting.ts';

/** Where the control API of a running service is. */
export interface ControlAddress {
  readonly url: string;
  /** Secret. */
  readonly token: string;
  /** How long a request may take, its answer included; without it, there is no limit. */
  readonly timeoutMs?: number;
  /** Tells the user that the service takes long. */
  readonly waiting?: Waiting;
}

/** The service rejects what was typed. */
export class RejectedRequest extends UsageError {
  readonly issues: readonly Issue[];

  constructor(message: string, issues: readonly Issue[]) {
    super(message);
    this.issues = issues;
  }
}

/** A request of the control API. @throws CommandFailure with the service's message; RejectedRequest */
export async function control<Answer>(address: ControlAddress, call: ControlCall, body?: unknown): Promise<Answer> {
  const answer = exchange<Answer>(address, call, body);
  return address.waiting ? address.waiting(`the service at ${printable(address.url)}`, answer) : answer;
}

type ControlCall = `${'GET' | 'POST' | 'DELETE'} /${string}`;

async function exchange<Answer>(
  { url, token, timeoutMs }: ControlAddress,
  call: ControlCall,
  body: unknown,
): Promise<Answer> {
  const [method = '', path = ''] = call.split(' ');
  const notAnswered = (error: unknown): never => {
    if (error instanceof DOMException && error.name === 'TimeoutError') throw unansweredError(url, timeoutMs);
    const reason = error instanceof Error && error.cause ? errorMessage(error.cause) : errorMessage(error);
    throw new CommandFailure(`The service at ${printable(url)} does not answer: ${reason}. Check that it is running.`);
  };
  const answer = await fetch(url + path, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body !== undefined && { 'content-type': 'application/json', prefer: 'details' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(timeoutMs !== undefined && { signal: AbortSignal.timeout(timeoutMs) }),
  }).catch(notAnswered);
  const text = await answer.text().catch(notAnswered);
  const json = asRecord(parsed(text));
  if (answer.status === 204 || (answer.ok && json)) return json as Answer;
  if (answer.status === 401) {
    throw new CommandFailure(
      printable(
        `The service at ${url} does not accept the control token. Pass the one that it printed when it started.`,
      ),
    );
  }
  // The errors of the control API have a message and no code.
  const isOfControlApi = typeof json?.message === 'string' && json.code === undefined;
  if (answer.ok || (answer.status === 404 && !isOfControlApi)) {
    throw new CommandFailure(
      printable(
        `${url} is not the address of a control API, which is the control_base of the ready line. Does another program answer there?`,
      ),
    );
  }
  const told = isOfControlApi ? json.message : `${url} answered ${method} ${path} with ${answer.status}.`;
  const message = printable(errorMessage(told));
  if (!isOfControlApi || answer.status !== 400) throw new CommandFailure(message);
  throw new RejectedRequest(message, Array.isArray(json.issues) ? json.issues : []);
}

export function unansweredError(url: string, timeoutMs: number | undefined): CommandFailure {
  const message = `The service at ${url} did not answer within ${timeoutMs} ms. Check that it is not stopped; --timeout waits longer.`;
  return new CommandFailure(printable(message));
}

function parsed(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
