import type { Issue } from '../../../model/errors/issue.ts';
import { routes } from '../../../wire/routes.ts';
import {
  type Check,
  check,
  flag,
  id,
  isPlainObject,
  issue,
  list,
  nullable,
  object,
  oneOf,
  textThat,
  whole,
} from '../../support/document-check.ts';

/** A fault to inject. The kind says what happens, the other fields to whom and how often. */
export type FaultDocument = RequestFault | SocketFault;

interface Aim {
  /** What the fault applies to; everything when omitted. */
  readonly match?: FaultMatch;
  /** How often the fault is injected; null: until it is deleted. Default 1. */
  readonly count?: number | null;
  /** Percentage of the matches that get the fault, chosen by `seed`. Default 100. */
  readonly percent?: number;
  /** The same seed makes the same choices. Default 0. */
  readonly seed?: number;
  /** It is armed on every node of the cluster, each with its own count, and not only on the one that is asked. Default false. */
  readonly cluster?: boolean;
}

/** All given fields must match. */
export interface FaultMatch {
  /** The route of a request, by its name in the route table. */
  readonly route?: string;
  readonly application_id?: string;
  readonly user_id?: string;
  /** The name of a dispatch: the fault is injected when this dispatch is about to be sent, not immediately. */
  readonly event?: string;
}

/** Applies to requests that were admitted, before they are answered. */
export type RequestFault = Aim &
  (
    | { readonly kind: 'latency'; readonly ms: number }
    /** The request is not carried out; the answer has this status and the message of a general error. */
    | { readonly kind: 'status'; readonly status: number }
    /** The request is not carried out; the answer is a 429 of this scope. Default: `user`, and one second. */
    | {
        readonly kind: 'rate_limit';
        readonly scope?: 'user' | 'global' | 'shared';
        readonly retry_after_ms?: number;
      }
  );

/**
 * Applies to gateway sockets, once to each: to the open ones immediately, then, while the count lasts, to others when
 * they are next sent a frame.
 */
export type SocketFault = Aim &
  /** The connection is cut; frames about to be sent are lost. */
  (
    | { readonly kind: 'drop' }
    /** The connection stays open, and nothing is sent or received any more. */
    | { readonly kind: 'freeze' }
    /** The next frame is cut off in the middle, so that it cannot be decoded. */
    | { readonly kind: 'corrupt' }
    /** The client is asked to reconnect (op 7). */
    | { readonly kind: 'reconnect' }
    /** The client gets an invalid session (op 9); the session ends unless it is resumable. Default: not resumable. */
    | { readonly kind: 'invalid_session'; readonly resumable?: boolean }
  );

const latencyMsMax = 600_000;
const faultsMax = 100;

const match = object({
  route: oneOf(Object.keys(routes)),
  application_id: id,
  user_id: id,
  event: textThat(value => /^[A-Z_]{1,64}$/.test(value), 'the name of an event, like LOBBY_UPDATE'),
});

const aim = {
  match,
  count: nullable(whole(1, Number.MAX_SAFE_INTEGER)),
  percent: whole(0, 100),
  seed: whole(0, 2 ** 32 - 1),
  cluster: flag,
};

/** The keys of each kind beside those of every fault, and which of them are required. */
const kinds: Readonly<Record<FaultDocument['kind'], readonly [Readonly<Record<string, Check>>, readonly string[]]>> = {
  latency: [{ ms: whole(0, latencyMsMax) }, ['ms']],
  status: [{ status: whole(400, 599) }, ['status']],
  rate_limit: [{ scope: oneOf(['user', 'global', 'shared']), retry_after_ms: whole(0, latencyMsMax) }, []],
  drop: [{}, []],
  freeze: [{}, []],
  corrupt: [{}, []],
  reconnect: [{}, []],
  invalid_session: [{ resumable: flag }, []],
};

const fault: Check = (value, path, issues) => {
  const kind = isPlainObject(value) && typeof value.kind === 'string' ? value.kind : '';
  if (!Object.hasOwn(kinds, kind)) {
    issues.push(issue('not_a_choice', [...path, 'kind'], Object.keys(kinds)));
    return;
  }
  const [fields, required] = kinds[kind as FaultDocument['kind']];
  object({ kind: () => {}, ...aim, ...fields }, required)(value, path, issues);
};

/** Validates a document with one fault or a list of them. */
export function checkFaults(value: unknown): Issue[] {
  return check(value, Array.isArray(value) ? list(fault, faultsMax) : fault);
}

export function isRequestFault(document: FaultDocument): document is RequestFault {
  return document.kind === 'latency' || document.kind === 'status' || document.kind === 'rate_limit';
}
