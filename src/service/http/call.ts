import type { RouteName } from '../../wire/routes.ts';
import type { Principal, PrincipalKind } from '../auth/principal.ts';
import type { ApplicationRecord } from '../store/records.ts';
import { RequestError } from '../support/request-error.ts';

type Of<Kind extends PrincipalKind> = Extract<Principal, { kind: Kind }>;

/** A request as its handler receives it: the credential is checked, ids in the path are well-formed, the body is read. */
export interface Call {
  readonly route: RouteName;
  readonly principal: Principal;
  /** Path parameters by name. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Parsed JSON or form; undefined when the route has no body. */
  readonly body: unknown;
  /** The caller's address. */
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

/** Fault injection: answers some requests instead of their handlers. */
export interface RequestFaults {
  /** False while no fault is armed that could match a request. */
  readonly concernRequests: boolean;
  /** The answer that replaces the handler's, perhaps after a delay; undefined if no fault matches. */
  answer(route: RouteName, principal: Principal): Promise<Reply | undefined>;
}

export type Handler = (call: Call) => Reply | Promise<Reply>;

/** What is known of a request before its body is read. */
export type CallHead = Pick<Call, 'params' | 'query'>;

/** Checks the secret in the path of a request, before its body is read. @throws RequestError */
export type Proof = (head: CallHead) => void | Promise<void>;

/** Routes without a credential whose path carries a secret. */
export type Proofs = Partial<Record<RouteName, Proof>>;

/** Handlers for some of the routes; every route of the table has exactly one. */
export type Handlers = Partial<Record<RouteName, Handler>>;

/** The principal, for a route whose credentials allow only these kinds. */
export function expectPrincipal<Kind extends PrincipalKind>(call: Call, ...kinds: readonly Kind[]): Of<Kind> {
  if (!(kinds as readonly string[]).includes(call.principal.kind)) {
    throw new Error(`${call.route} was reached with a credential of kind ${call.principal.kind}.`);
  }
  return call.principal as Of<Kind>;
}

/** A parameter of the path. */
export function param({ params }: CallHead, name: string): string {
  const value = params[name];
  if (value === undefined) throw new Error(`The path of this route has no parameter ${name}.`);
  return value;
}

/**
 * The caller's application, which must be the one in the path.
 *
 * Unspecified: an unknown application is answered like another owner's, so that ids cannot be probed.
 *
 * @param kinds of credential that the route accepts
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
