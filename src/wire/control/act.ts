import type { ApplicationId, UserId } from '../../model/snowflake.ts';

/** As whom a call is made. */
export type ActAs =
  /** The application's bot. */
  | { readonly kind: 'bot'; readonly application_id: ApplicationId }
  /** The application itself, by client credentials. Default: the scopes that they may have. */
  | { readonly kind: 'application'; readonly application_id: ApplicationId; readonly scopes?: readonly string[] }
  /** A game in which the user is signed in. Default: the scopes that the user has granted, or those that games use. */
  | {
      readonly kind: 'user';
      readonly application_id: ApplicationId;
      readonly user_id: UserId;
      readonly scopes?: readonly string[];
    }
  /** The user's own client, such as a chat client. */
  | { readonly kind: 'session'; readonly user_id: UserId }
  /** Nobody: no credential is sent. */
  | { readonly kind: 'none' };

/** `POST /control/call`: makes a call of the API through the service's own HTTP server, with the same checks and limits. */
export interface CallBody {
  readonly as: ActAs;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below `/api/v10`, with its query: `/lobbies/1?x=y`. */
  readonly path: string;
  /** Sent as JSON, or as `payload_json` with files. */
  readonly body?: unknown;
  /** Sent as a form instead of a body, as the OAuth2 calls require. */
  readonly form?: Readonly<Record<string, string>>;
  readonly files?: readonly CallFile[];
  /** Sent as `x-discord-locale`: in which language localized texts are answered. */
  readonly locale?: string;
}

export interface CallFile {
  /** The name of the part. Default: `files[0]`, `files[1]` … */
  readonly name?: string;
  readonly filename: string;
  /** Default: `application/octet-stream`. */
  readonly content_type?: string;
  /** Base64. */
  readonly content: string;
}

/** The call's own answer; the control call itself answers 200 whatever the status is. */
export interface CallAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed JSON; text for anything else; null without one. */
  readonly body: unknown;
  /** The traffic's entry of the call; null while no traffic is recorded. */
  readonly traffic_id: number | null;
}

/**
 * `POST /control/users/{id}/session`. Without a body: a token of the user's own client. With one: an access token of a game in which the
 * user is signed in.
 */
export interface SessionBody {
  readonly application_id: ApplicationId;
  /** Default: as in {@link ActAs}. */
  readonly scopes?: readonly string[];
}
