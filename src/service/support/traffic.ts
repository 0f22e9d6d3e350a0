import type { GatewayFrame } from '../../model/gateway.ts';
import type { ApplicationId, UserId } from '../../model/snowflake.ts';
import type { RouteName } from '../../wire/routes.ts';

/** Who made a request or identified. */
export interface TrafficCaller {
  /** `user`: a game in which a player is signed in; `session`: a user's own client, such as a chat client. */
  readonly kind: 'bot' | 'application' | 'user' | 'session';
  readonly applicationId?: ApplicationId;
  readonly userId?: UserId;
  readonly username?: string;
}

/** A request of the API with its answer. */
export interface ObservedRequest {
  readonly route: RouteName;
  /** What fills the path of the route. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Undefined without a credential, and for one that is not valid. */
  readonly caller: TrafficCaller | undefined;
  /** The header as it was sent. */
  readonly authorization: string | undefined;
  readonly contentType: string | undefined;
  /** Parsed; undefined without a body, and when the request was rejected before its body was read. */
  readonly body: unknown;
  /** Length of the body as it was received; undefined if it was not read. */
  readonly bodyBytes: number | undefined;
  readonly receivedAtMs: number;
  readonly answeredAtMs: number;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The answer's body as JSON; undefined without one. */
  readonly answer: string | undefined;
}

/** What happened to a gateway connection. `received` and `sent` are seen from the service. */
export type ObservedConnection = { readonly connection: number; readonly atMs: number } & (
  | { readonly kind: 'opened' }
  | { readonly kind: 'identified'; readonly caller: TrafficCaller }
  | { readonly kind: 'received' | 'sent'; readonly frame: GatewayFrame }
  | { readonly kind: 'closed'; readonly code: number; readonly byPeer: boolean }
);

/**
 * Receives what the service exchanges with its callers, with every secret in it, when it happens. It runs within the service: it must be quick
 * and must not throw.
 */
export interface TrafficObserver {
  request?(request: ObservedRequest): void;
  connection?(event: ObservedConnection): void;
}
