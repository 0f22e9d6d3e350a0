import { words } from '../words/en.ts';
import { ControlError, errorOf } from './errors.ts';
import { serviceAnswered, serviceFailed } from './service-state.ts';
import { controlToken, signOut } from './session.ts';

/** Values of a query; undefined and empty ones are left out. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

export interface CallOptions {
  readonly query?: Query;
  readonly signal?: AbortSignal;
  /** How long the service may take, in milliseconds. */
  readonly timeoutMs?: number;
}

const timeoutDefaultMs = 20_000;

/** Calls the control API with the token of this tab. Paths begin after `/control`: `control.get('/clock')`. */
export const control = {
  get: <T>(path: string, options?: CallOptions) => call<T>('GET', path, undefined, options),
  post: <T>(path: string, body?: unknown, options?: CallOptions) => call<T>('POST', path, body, options),
  put: <T>(path: string, body?: unknown, options?: CallOptions) => call<T>('PUT', path, body, options),
  delete: <T>(path: string, options?: CallOptions) => call<T>('DELETE', path, undefined, options),

  /** Tries a token that nobody is signed in with yet. */
  async check(token: string): Promise<void> {
    const headers = { authorization: `Bearer ${token}` };
    const response = await send(addressOf('/clock'), { headers, signal: AbortSignal.timeout(timeoutDefaultMs) });
    if (response.status === 401) throw new ControlError(401, words.signIn.rejected);
    if (!response.ok) throw errorOf(response.status, await readJson(response));
  },
};

/** @throws {@link ControlError}; an `AbortError` when `signal` ended the call */
async function call<T>(method: string, path: string, body: unknown, options: CallOptions = {}): Promise<T> {
  const { query, signal, timeoutMs = timeoutDefaultMs } = options;
  const timeout = AbortSignal.timeout(timeoutMs);
  const response = await send(addressOf(path, query), {
    method,
    signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    headers: headersOf(body),
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (response.status === 401) {
    signOut('rejected');
    throw new ControlError(401, words.control.rejected);
  }
  const answer = await readJson(response);
  if (!response.ok) throw errorOf(response.status, answer);
  // Every call answers with an object, or with nothing.
  if (answer !== undefined && !isObject(answer)) throw new ControlError(response.status, words.control.unlike);
  return answer as T;
}

export function addressOf(path: string, query: Query = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') search.set(name, String(value));
  }
  const text = search.toString();
  return `/control${path}${text && `?${text}`}`;
}

/** `details`: answers carry the fields that came later to calls that other programs use. */
export function headersOf(body?: unknown): Record<string, string> {
  const headers = { authorization: `Bearer ${controlToken.peek() ?? ''}`, prefer: 'details' };
  return body === undefined ? headers : { ...headers, 'content-type': 'application/json' };
}

/** Sends a request that no cookie or cache takes part in, and notes whether the service answers. */
export async function send(address: string, init: RequestInit): Promise<Response> {
  try {
    const response = await fetch(address, { credentials: 'omit', cache: 'no-store', redirect: 'error', ...init });
    serviceAnswered();
    return response;
  } catch (error) {
    if (isAbort(error)) throw error;
    serviceFailed();
    if (isTimeout(error)) throw new ControlError(0, words.control.slow);
    throw new ControlError(0, words.control.away);
  }
}

async function readJson(response: Response): Promise<unknown> {
  const text = await response.text().catch(error => {
    if (isAbort(error)) throw error;
    throw new ControlError(0, isTimeout(error) ? words.control.slow : words.control.away);
  });
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw new ControlError(response.status, words.control.notJson(response.status));
  }
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}

function isTimeout(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'TimeoutError';
}
