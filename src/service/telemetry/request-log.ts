import type { Logger } from '../../wire/clock/ports.ts';

/** What the request log says of a request: nothing of its query, its credential or its bodies. */
export interface LoggedRequest {
  readonly request_id: string | undefined;
  readonly method: string | undefined;
  /** The template of its path. */
  readonly route: string;
  readonly status: number;
  readonly duration_ms: number;
  /** Of the answer's body, where it is known. */
  readonly bytes?: number;
  readonly address: string;
  readonly user_id?: string;
  readonly application_id?: string;
}

/** Writes a line for each request that was answered. */
export type RequestLog = (request: LoggedRequest) => void;

export function createRequestLog(log: Logger): RequestLog {
  return request => log.info({ ...request }, 'A request was answered.');
}
