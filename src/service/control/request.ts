import { formatIssues, type Issue } from '../../model/errors/issue.ts';
import { isSnowflake } from '../../model/snowflake.ts';
import { type Check, check } from '../support/document-check.ts';

/** Thrown to reject a control call; the message says what to do. */
export class ControlRefusal extends Error {
  readonly status: number;
  readonly issues: readonly Issue[];

  constructor(status: number, message: string, issues: readonly Issue[] = []) {
    super(message);
    this.name = 'ControlRefusal';
    this.status = status;
    this.issues = issues;
  }
}

export interface ControlRequest {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  /** Parsed JSON; undefined without a body. */
  readonly body: unknown;
  /** Asked for by `prefer: details` or `?details=true`: fields that calls gained later. Programs may compare whole answers. */
  readonly wantsDetails: boolean;
}

/** JSON that is written in pieces, none before there is room for it. */
export class StreamedAnswer {
  readonly writeTo: (write: (text: string) => Promise<void>) => Promise<void>;

  constructor(writeTo: StreamedAnswer['writeTo']) {
    this.writeTo = writeTo;
  }
}

export interface ControlCall {
  /** Method and path below `/control`: `POST /users/{id}/session`. */
  readonly name: string;
  readonly bodyBytesMax: number;
  /** @returns what is answered as JSON, as a whole or streamed; undefined for 204 */
  run(request: ControlRequest): Promise<unknown>;
}

const bodyBytesMax = 64 * 1024;

export function call(name: string, run: ControlCall['run'], bytesMax: number = bodyBytesMax): ControlCall {
  return { name, run, bodyBytesMax: bytesMax };
}

/** @throws ControlRefusal with the issues */
export function read<Body>(body: unknown, by: Check): Body {
  refuse('body', check(body, by));
  return body as Body;
}

/** @throws ControlRefusal if there are issues */
export function refuse(what: string, issues: readonly Issue[]): void {
  if (issues.length > 0) {
    throw new ControlRefusal(400, `The ${what} is not valid:\n${formatIssues(issues)}`, issues);
  }
}

type Query = ControlRequest['query'];

/** A parameter of the query; undefined without it. @throws ControlRefusal when it is given twice */
export function queryText(query: Query, name: string): string | undefined {
  const value = query[name];
  if (value === undefined || typeof value === 'string') return value === '' ? undefined : value;
  throw new ControlRefusal(400, `"${name}" must be given once.`);
}

/** An id in the query. @throws ControlRefusal */
export function queryId(query: Query, name: string): string | undefined {
  const value = queryText(query, name);
  if (value === undefined || isSnowflake(value)) return value;
  throw new ControlRefusal(400, `"${name}" must be an id: decimal text.`);
}

/** An id in the path. @param name of the parameter. @throws ControlRefusal */
export function pathId({ params }: Pick<ControlRequest, 'params'>, what: string, name = 'id'): string {
  const id = params[name];
  if (isSnowflake(id)) return id;
  throw new ControlRefusal(400, `The ${name} in the path must be a ${what} id: decimal text.`);
}

export function notThere(what: string, id: string): ControlRefusal {
  return new ControlRefusal(404, `There is no ${what} ${id}.`);
}

const pageDefault = 100;
export const pageMax = 1000;

export interface Page {
  readonly limit: number;
  /** The last id of the page before. */
  readonly after?: string;
}

/** @throws ControlRefusal */
export function readLimit({ limit = String(pageDefault) }: Query): number {
  const number = typeof limit === 'string' && /^[0-9]{1,4}$/.test(limit) ? Number(limit) : 0;
  if (number >= 1 && number <= pageMax) return number;
  throw new ControlRefusal(400, `"limit" must be a number from 1 to ${pageMax}.`);
}

/** @throws ControlRefusal */
export function readPage(query: Query): Page {
  const limit = readLimit(query);
  const { after } = query;
  if (after === undefined) return { limit };
  if (typeof after === 'string' && isSnowflake(after)) return { limit, after };
  throw new ControlRefusal(400, '"after" must be the "next" of an earlier answer.');
}

/** A number that an earlier answer gave. @throws ControlRefusal */
export function readPlace(value: unknown, name: string): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'string' && /^[0-9]{1,15}$/.test(value)) return Number(value);
  throw new ControlRefusal(400, `"${name}" must be the "next" of an earlier answer, or 0.`);
}
