import { ApiError, apiErrors } from '../model/errors/errors.ts';
import { parseOptions } from '../wire/arguments.ts';
import type { Clock } from '../wire/clock/ports.ts';
import { Deadline } from '../wire/http/deadline.ts';
import type { Http, HttpAnswer, HttpRequest } from '../wire/http/http.ts';
import type { RouteName } from '../wire/routes.ts';
import type { Credentials } from './credentials.ts';

/** Options of a single call. */
export interface RequestOptions {
  /** Aborts the call, which then rejects with TransportError `aborted`. */
  readonly signal?: AbortSignal | undefined;
  /** Deadline of this call in milliseconds, in place of the backend's. */
  readonly deadlineMs?: number | undefined;
}

/** Options that the module itself adds to a call. */
export interface SendOptions extends RequestOptions {
  /** @see HttpRequest.beforeSend */
  readonly beforeSend?: (() => Promise<void>) | undefined;
}

type Request<Name extends RouteName> = Omit<HttpRequest<Name>, 'authorization' | keyof SendOptions>;

/** Calls a route with the application's credential. */
export type Call = <Name extends RouteName>(
  route: Name,
  request: Request<Name>,
  options?: SendOptions,
) => Promise<HttpAnswer>;

export function createCall(http: Http, credentials: Credentials, clock: Clock, defaultDeadlineMs: number): Call {
  /** Getting the token is part of the call: it counts against the deadline, and a rejected token is replaced once. */
  async function sendWithToken<Name extends RouteName>(
    getToken: () => Promise<string>,
    route: Name,
    request: Request<Name>,
    { signal, deadlineMs = defaultDeadlineMs, beforeSend }: SendOptions,
  ): Promise<HttpAnswer> {
    const deadline = new Deadline(clock, deadlineMs, signal);
    let authorization = '';
    const send = async () => {
      authorization = await deadline.within(getToken());
      return http.send(route, { ...request, authorization, signal, beforeSend, deadlineMs: deadline.leftMs });
    };
    try {
      return await send().catch((error: unknown) => {
        if (!isRejectedToken(error)) throw error;
        credentials.forgetToken(authorization);
        return send();
      });
    } finally {
      deadline.close();
    }
  }

  return async (route, request, given) => {
    const options = parseOptions(given);
    const authorization = credentials.authorize(route);
    if (typeof authorization === 'function') return sendWithToken(authorization, route, request, options);
    return http.send(route, { ...options, ...request, authorization });
  };
}

/** A token that was revoked before its time; the call was not processed and may be made with another. */
function isRejectedToken(error: unknown): boolean {
  return error instanceof ApiError && error.status === apiErrors.unauthorized.status;
}
