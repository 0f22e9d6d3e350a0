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

/** Trouble to be made on purpose. The kind says what happens, the rest to whom and how often. */
export type FaultDocument = RequestFault | SocketFault;

interface Aim {
  /** Whom it strikes; everybody when left out. */
  readonly match?: FaultMatch;
  /** How often it strikes; null: until it is deleted. Default 1. */
  readonly count?: number | null;
  /** Of a hundred that match, so many are struck, chosen by `seed`. Default 100. */
  readonly percent?: number;
  /** The same seed makes the same choices. Default 0. */
  readonly seed?: number;
}

/** All that is given must fit. */
export interface FaultMatch {
  /** A request's route, by its name in the route table. */
  readonly route?: string;
  readonly application_id?: string;
  readonly user_id?: string;
  /** A dispatch: the fault strikes a socket when this is about to leave, instead of at once. */
  readonly event?: string;
}

/** Strikes requests that were let in, before they are answered. */
export type RequestFault = Aim &
  (
    | { readonly kind: 'latency'; readonly ms: number }
    /** Nothing is done; the answer has this status and the message of a general error. */
    | { readonly kind: 'status'; readonly status: number }
    /** Nothing is done; the answer is a 429 of this scope. Default `user`, and one second. */
    | {
        readonly kind: 'rate_limit';
        readonly scope?: 'user' | 'global' | 'shared';
        readonly retry_after_ms?: number;
      }
  );

/**
 * Strikes gateway sockets, each once: those that are open at once, then, while it has strikes left, others at the next
 * frame they are sent.
 */
export type SocketFault = Aim &
  /** The connection breaks off; what was about to leave is lost. */
  (
    | { readonly kind: 'drop' }
    /** The connection stays open and nothing comes or goes any more. */
    | { readonly kind: 'freeze' }
    /** What leaves next is cut off in the middle, so that it cannot be decoded. */
    | { readonly kind: 'corrupt' }
    /** The client is asked to reconnect (op 7). */
    | { readonly kind: 'reconnect' }
    /** The client is told that its session is invalid (op 9); unless it is resumable it ends. Default: not. */
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
};

/** Keys of each kind beside those of every fault, and which of them are needed. */
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

/** Every fault of one document, or of a list of them. */
export function checkFaults(value: unknown): Issue[] {
  return check(value, Array.isArray(value) ? list(fault, faultsMax) : fault);
}

export function isRequestFault(document: FaultDocument): document is RequestFault {
  return document.kind === 'latency' || document.kind === 'status' || document.kind === 'rate_limit';
}
