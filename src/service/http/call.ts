import type { RouteName } from '../../wire/routes.ts';
import type { Principal, PrincipalKind } from '../auth/principal.ts';
import type { ApplicationRecord } from '../store/records.ts';
import { RequestError } from '../support/request-error.ts';

type Of<Kind extends PrincipalKind> = Extract<Principal, { kind: Kind }>;

/** One request on its way to a handler: credential checked, ids in the path well-formed, body read. */
export interface Call {
  readonly route: RouteName;
  readonly principal: Principal;
  /** Path parameters by name. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Parsed JSON or form; undefined when the route has no body. */
  readonly body: unknown;
  /** Where it came from. */
  readonly address: string;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** What a handler answers. */
export interface Reply {
  readonly status: number;
  /** Encoded as JSON. */
  readonly body?: unknown;
  /** JSON that is already encoded; instead of `body`. */
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Answers some requests in place of their handlers: fault injection. */
export interface RequestFaults {
  /** False while no fault waits for a request, so that none has to ask. */
  readonly concernRequests: boolean;
  /** The answer that replaces the handler's; undefined: there is none. May take time. */
  answer(route: RouteName, principal: Principal): Promise<Reply | undefined>;
}

export type Handler = (call: Call) => Reply | Promise<Reply>;

/** What a request says before its body is read. */
export type CallHead = Pick<Call, 'params' | 'query'>;

/** Checks what the path of a request proves, before its body is read. @throws RequestError */
export type Proof = (head: CallHead) => void | Promise<void>;

/** Of routes without a credential, those whose path carries a proof. */
export type Proofs = Partial<Record<RouteName, Proof>>;

/** A handler for some of the routes; every route of the table must find exactly one. */
export type Handlers = Partial<Record<RouteName, Handler>>;

/** The principal, when the route's credentials leave only these kinds. */
export function expectPrincipal<Kind extends PrincipalKind>(call: Call, ...kinds: readonly Kind[]): Of<Kind> {
  if (!(kinds as readonly string[]).includes(call.principal.kind)) {
    throw new Error(`${call.route} was let through with a credential of kind ${call.principal.kind}.`);
  }
  return call.principal as Of<Kind>;
}

/** A path parameter that the route's path has. */
export function param({ params }: CallHead, name: string): string {
  const value = params[name];
  if (value === undefined) throw new Error(`The path of this route has no parameter ${name}.`);
  return value;
}

/**
 * The caller's application, which must be the one in the path.
 *
 * Our choice: an application that does not exist is answered like somebody else's, so that nobody can probe for ids.
 *
 * @param kinds of credential that the route lets through
 * @throws RequestError `not_your_application`
 */
export function applicationInPath(
  call: Call,
  ...kinds: readonly ('bot' | 'application' | 'user')[]
): ApplicationRecord {
  const { application } = expectPrincipal(call, ...kinds);
  if (param(call, 'application_id') !== application.id) throw new RequestError('not_your_application');
  return application;
}
