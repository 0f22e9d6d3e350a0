import type { InstallParams } from '../../model/application.ts';
import type { IntegrationType } from '../../model/command.ts';
import type { PermissionOverwrite } from '../../model/guild.ts';
import type { ApplicationId, ChannelId, GuildId, LobbyId, RoleId, Snowflake, UserId } from '../../model/snowflake.ts';

/** What every list may be asked for: all that is given must fit. */
export interface ListQuery {
  /** Looks for this text in names and ids, upper and lower case alike. */
  readonly search?: string;
  readonly application_id?: ApplicationId;
  /** 1 to 1000, default 100. */
  readonly limit?: string;
  /** The `next` of an earlier answer. */
  readonly after?: string;
}

/** What every list answers beside its entries. */
export interface ListPage {
  /** The `after` of the next page; null at the end. */
  readonly next: string | null;
  /** Only with a search or a filter that no index serves: how many records were looked at. */
  readonly searched?: number;
  /** Only then: the bound of one call was reached before the page was full. Continue with `next`. */
  readonly truncated?: boolean;
}

/** `GET /control/applications` */
export interface ApplicationsPage extends ListPage {
  readonly applications: readonly ApplicationDetails[];
}

/** Also the answer of `GET /control/applications/{id}`. Secrets are not shown: the service stores hashes only. */
export interface ApplicationDetails {
  readonly id: ApplicationId;
  readonly name: string;
  readonly description: string;
  readonly owner_id: UserId;
  readonly bot_username: string | null;
  readonly has_bot: boolean;
  readonly has_client_secret: boolean;
  readonly public_client: boolean;
  readonly redirect_uris: readonly string[];
  readonly bot_require_code_grant: boolean;
  readonly install_params: InstallParams | null;
  readonly embedded: boolean;
  readonly discoverable: boolean;
  readonly integration_types: readonly IntegrationType[];
  readonly interactions_endpoint_url: string | null;
  readonly event_webhooks_url: string | null;
  readonly parent_id: ApplicationId | null;
  readonly provisional_accounts: boolean;
  readonly identity_providers: readonly {
    readonly type: string;
    readonly issuer?: string;
    readonly audience?: string;
    readonly jwks_uri?: string | null;
    readonly verification_url?: string;
  }[];
  /** The public key of its signed requests, in hex. */
  readonly verify_key: string;
  /** Gateway sessions of its bot at this node. Without one, and without an endpoint, nobody receives its interactions. */
  readonly bot_sessions: number;
  /** The guilds that it is installed in, at most 100. */
  readonly guild_ids: readonly GuildId[];
}

/** `POST /control/applications/{id}/rotate` `{"credential":"bot_token"}`: the former credential is no longer valid. */
export interface RotateBody {
  readonly credential: 'bot_token' | 'client_secret';
}

/** The new credential, which is shown this once. The other one is absent. */
export interface RotatedCredential {
  readonly bot_token?: string;
  readonly client_secret?: string;
}

/** `GET /control/users` */
export interface UsersPage extends ListPage {
  readonly users: readonly UserSummary[];
}

export interface UserSummary {
  readonly id: UserId;
  readonly username: string;
  readonly global_name: string | null;
  readonly banned: boolean;
  /** The application whose provisional account it is; null: a full account. */
  readonly provisional_of: ApplicationId | null;
  readonly locale: string;
  /** 18 or older. */
  readonly adult: boolean;
}

/** `GET /control/users/{id}` */
export interface UserDetails extends UserSummary {
  readonly guilds: readonly { readonly id: GuildId; readonly name: string; readonly roles: readonly RoleId[] }[];
  readonly lobbies: readonly { readonly id: LobbyId; readonly application_id: ApplicationId }[];
  readonly authorizations: readonly AuthorizationDetails[];
  /** Ids of its gateway sessions at this node. */
  readonly session_ids: readonly string[];
}

/** `GET /control/users/{id}/authorizations` */
export interface AuthorizationsAnswer {
  readonly authorizations: readonly AuthorizationDetails[];
}

/** What a user granted to an application. `DELETE /control/authorizations/{id}` ends it with all its tokens. */
export interface AuthorizationDetails {
  readonly id: Snowflake;
  readonly application_id: ApplicationId;
  readonly application_name: string;
  readonly user_id: UserId;
  readonly scopes: readonly string[];
  /** When it was given, as its id says. */
  readonly created_at_ms: number;
  readonly tokens: readonly TokenDetails[];
}

/** A token without its text, of which the service stores a hash only. */
export interface TokenDetails {
  readonly kind: 'access' | 'refresh';
  readonly scopes: readonly string[];
  /** Null: it does not expire by itself. */
  readonly expires_at_ms: number | null;
}

/** `GET /control/guilds` */
export interface GuildsPage extends ListPage {
  readonly guilds: readonly GuildSummary[];
}

export interface GuildSummary {
  readonly id: GuildId;
  readonly name: string;
  readonly owner_id: UserId;
  readonly applications: readonly ApplicationId[];
  readonly channels: readonly { readonly id: ChannelId; readonly type: number; readonly name: string }[];
}

/** `GET /control/guilds/{id}` */
export interface GuildDetails {
  readonly id: GuildId;
  readonly name: string;
  readonly owner_id: UserId;
  readonly locale: string;
  readonly applications: readonly ApplicationId[];
  readonly roles: readonly GuildRole[];
  readonly channels: readonly GuildChannel[];
}

export interface GuildRole {
  readonly id: RoleId;
  readonly name: string;
  /** Permission bits as decimal text. */
  readonly permissions: string;
  readonly position: number;
}

export interface GuildChannel {
  readonly id: ChannelId;
  readonly type: number;
  readonly name: string;
  readonly nsfw: boolean;
  readonly position: number;
  readonly parent_id: ChannelId | null;
  readonly permission_overwrites: readonly PermissionOverwrite[];
  /** The lobby that the channel is linked to; null: none. */
  readonly linked_lobby_id: LobbyId | null;
}

/** `GET /control/guilds/{id}/members` */
export interface GuildMembersPage extends ListPage {
  readonly members: readonly GuildMemberDetails[];
}

export interface GuildMemberDetails {
  readonly user_id: UserId;
  readonly username: string | null;
  readonly global_name: string | null;
  readonly nick: string | null;
  readonly roles: readonly RoleId[];
  readonly adult: boolean;
  /** The bot of an application. */
  readonly is_bot: boolean;
  readonly joined_at_ms: number;
}
