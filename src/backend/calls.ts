import type { Http, HttpAnswer, HttpRequest } from '../wire/http.ts';
import type { RouteName } from '../wire/routes.ts';
import type { Credentials } from './credentials.ts';

/** What a caller may say about any one call. */
export interface CallOptions {
  /** Gives up; the call then rejects with TransportError `aborted`. */
  readonly signal?: AbortSignal;
  /** For this call, in place of the backend's own. */
  readonly deadlineMs?: number;
}

/** Calls a route with the application's credential. */
export type Call = <Name extends RouteName>(
  route: Name,
  request: Omit<HttpRequest<Name>, 'authorization' | keyof CallOptions>,
  options?: CallOptions,
) => Promise<HttpAnswer>;

export function createCall(http: Http, credentials: Credentials): Call {
  return async (route, request, options = {}) => {
    const authorization = await credentials.authorize(route);
    const { signal, deadlineMs } = options;
    return http.send(route, {
      ...request,
      signal,
      deadlineMs,
      ...(authorization === undefined ? {} : { authorization }),
    });
  };
}
