import type { ApplicationId, GuildId, LobbyId, Snowflake, UserId } from '../../model/snowflake.ts';
import type { RouteName } from '../routes.ts';

/** What the service exchanged with its callers, or sent to servers of applications. */
export type TrafficKind = 'request' | 'dispatch' | 'delivery' | 'connection' | 'oauth' | 'fault' | 'timer';

/** An entry of the traffic as lists and the stream show it. {@link TrafficDetails} has the rest. Secrets are masked. */
export type TrafficEntry =
  | TrafficRequest
  | TrafficDispatch
  | TrafficDelivery
  | TrafficConnection
  | TrafficOAuth
  | TrafficFault
  | TrafficTimer;

interface EntryBase {
  /** Names the entry. It is given when the exchange begins: causes have lower ids than their effects. */
  readonly id: number;
  /**
   * Its place in the order in which entries were completed, rising by one: what `after` and `next` count. An entry that took long
   * comes after its effects.
   */
  readonly number: number;
  /** When it began, on the service's clock. */
  readonly at_ms: number;
  /** The entry that caused it; null: none, or a node that is not this one. */
  readonly cause: number | null;
  /** The application and the user that it concerns, as far as they are known. */
  readonly application_id: ApplicationId | null;
  readonly user_id: UserId | null;
  readonly lobby_id: LobbyId | null;
  readonly guild_id: GuildId | null;
}

/** Who sent a request. `control`: the control API acted by itself. */
export interface TrafficCallerView {
  readonly kind: 'bot' | 'application' | 'user' | 'session' | 'control';
  readonly application_id: ApplicationId | null;
  readonly user_id: UserId | null;
  readonly username: string | null;
}

interface HttpFields {
  readonly method: string;
  /** The path with its query as it was sent, with secrets masked: `/api/v10/lobbies/1?x=y`. */
  readonly target: string;
  /** By its name in the route table; null for anything else. */
  readonly route: RouteName | null;
  readonly status: number;
  readonly duration_ms: number;
  /** Null: without a credential, or with one that is not valid. */
  readonly caller: TrafficCallerView | null;
  /** As the answer's `x-request-id` and the log have it. */
  readonly request_id: string | null;
  /** The error's code in the answer, as 50035; null without one. */
  readonly error_code: number | string | null;
  /** The error's message in the answer; null without one. */
  readonly error: string | null;
  /** Made by `POST /control/call`. */
  readonly is_acted: boolean;
}

/** A request of the API, or one of the control API that changes something. */
export interface TrafficRequest extends EntryBase, HttpFields {
  readonly kind: 'request';
}

/** A request of OAuth2: of the authorization pages, or of the token endpoints. */
export interface TrafficOAuth extends EntryBase, HttpFields {
  readonly kind: 'oauth';
  /** What it is in the flow. */
  readonly step: OAuthStep;
  /** Where the answer sends the browser, with secrets masked; null: nowhere. */
  readonly redirect_to: string | null;
}

export type OAuthStep =
  | 'authorize'
  | 'sign_in'
  | 'consent'
  | 'device'
  | 'device_code'
  | 'token'
  | 'refresh'
  | 'revoke'
  | 'user'
  | 'other';

/** An event for gateway sessions of this node. */
export interface TrafficDispatch extends EntryBase {
  readonly kind: 'dispatch';
  readonly event: string;
  /** Who follows it: `lobby/<id>`, `application/<id>` …; null for what one session alone received. */
  readonly topic: string | null;
  /** How many sessions followed the topic then. */
  readonly sessions: number;
  /** The session that alone received it; null: all that followed the topic. */
  readonly session_id: string | null;
  /** Of its data; null when nobody received it, because it is then never encoded. */
  readonly bytes: number | null;
}

/** A request to a server outside: a webhook event, an interaction, the probe of an endpoint, an identity provider. */
export interface TrafficDelivery extends EntryBase {
  readonly kind: 'delivery';
  readonly delivery: 'webhook_event' | 'interaction' | 'endpoint_probe' | 'identity_provider';
  readonly method: string;
  readonly url: string;
  /** What it is about: the event's type, the kind of interaction; null when that is not known. */
  readonly event: string | null;
  /** Null: no answer came. */
  readonly status: number | null;
  readonly duration_ms: number;
  /** Why no answer came, in words; null when one did. */
  readonly error: string | null;
}

/** What happened to a gateway connection. Heartbeats are left out. */
export interface TrafficConnection extends EntryBase {
  readonly kind: 'connection';
  readonly connection: number;
  readonly session_id: string | null;
  readonly event: 'opened' | 'identified' | 'resumed' | 'received' | 'sent' | 'closed';
  /** Of a frame that was received or sent. */
  readonly op: number | null;
  /** Of a connection that was closed. */
  readonly code: number | null;
  /** Closed by the client or the network. */
  readonly by_peer: boolean | null;
}

/** The records whose time can come. */
export type TimerName =
  | 'lobbies'
  | 'interactions'
  | 'direct_messages'
  | 'headless_sessions'
  | 'status_expiries'
  | 'webhook_queues';

/** Something that was due and changed the state: a lobby that ended, an interaction that failed. */
export interface TrafficTimer extends EntryBase {
  readonly kind: 'timer';
  readonly timer: TimerName;
  /** Of the record that was due. */
  readonly subject_id: Snowflake;
}

/** A fault that was injected. */
export interface TrafficFault extends EntryBase {
  readonly kind: 'fault';
  readonly fault_id: string;
  /** The kind of the fault: `latency`, `drop` … */
  readonly fault: string;
  readonly route: RouteName | null;
  readonly connection: number | null;
}

/**
 * `GET /control/traffic?…`, and the same for the stream. All that is given must fit. Lists are separated by commas: `kind=request,oauth`.
 */
export interface TrafficQuery {
  readonly kind?: string;
  readonly application_id?: ApplicationId;
  readonly user_id?: UserId;
  readonly lobby_id?: LobbyId;
  readonly guild_id?: GuildId;
  /** Names of routes. */
  readonly route?: string;
  /** `200`, `4xx`, `5xx`; several are separated by commas. */
  readonly status?: string;
  /** Names of dispatches, types of deliveries. */
  readonly event?: string;
  /** Looks for this text in all that the entry and its bodies say, upper and lower case alike. */
  readonly search?: string;
  /** The entry and all that it caused, directly and indirectly. */
  readonly chain?: string;
  /** Entries with a number above this, the oldest first. */
  readonly after?: string;
  /** Entries with a number below this, the newest first. Without `after` and `before`: the newest. */
  readonly before?: string;
  /** 1 to 1000, default 100. */
  readonly limit?: string;
}

export interface TrafficPage {
  /** In the order of their numbers, always the oldest first. */
  readonly entries: readonly TrafficEntry[];
  /** The `after` of the next page, and of a stream that continues here. */
  readonly next: number;
  /** The `before` of the page with older entries; null when there are none. */
  readonly previous: number | null;
  /** The numbers that are still kept; older entries made room. */
  readonly first: number;
  readonly last: number;
  /** The search was given up before it had seen all entries: continue with `next` or `previous`. */
  readonly truncated: boolean;
  /** The node whose traffic it is; null for a service on its own. */
  readonly node: string | null;
}

/** `GET /control/traffic/{id}` */
export interface TrafficDetails {
  readonly entry: TrafficEntry;
  /** The requests and bodies, with secrets masked; null where there is none. */
  readonly request: TrafficMessage | null;
  readonly answer: TrafficMessage | null;
  /** The data of a dispatch, the frame of a connection, the document of a fault; null for anything else. */
  readonly data: unknown;
  /** What caused it, from the first cause on; without the entry itself. */
  readonly causes: readonly TrafficEntry[];
  /** What it caused directly. */
  readonly effects: readonly TrafficEntry[];
}

export interface TrafficMessage {
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed JSON or form; text for anything else; null without one. */
  readonly body: unknown;
  readonly bytes: number;
  /** The body was too large to be kept as a whole: `body` is the beginning, as text. */
  readonly is_cut: boolean;
}

/** `POST /control/traffic/replay`: carries out the requests of a recording again, in their order, as whom they were made. */
export interface TrafficReplayBody {
  /** The content of the file: JSON lines. */
  readonly recording: string;
  /** Only requests that write, which is the default; or all. */
  readonly requests?: 'writes' | 'all';
  /** Whose game the players of the recording use. Default: the first application. */
  readonly application_id?: ApplicationId;
}

export interface TrafficReplay {
  readonly requests: readonly ReplayedRequest[];
  /** Requests that were left out, because nothing is known of the caller or of the route, or because their body is masked. */
  readonly skipped: number;
}

export interface ReplayedRequest {
  readonly route: RouteName;
  readonly by: string;
  readonly recorded_status: number | null;
  readonly status: number;
  /** Ids that the recorded answer had, and those that the new one has in their place. */
  readonly ids: Readonly<Record<Snowflake, Snowflake>>;
  readonly traffic_id: number | null;
}
