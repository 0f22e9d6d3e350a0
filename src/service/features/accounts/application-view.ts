import { applicationFlags, type InstallParams, type PartialApplication } from '../../../model/application.ts';
import type { IntegrationType } from '../../../model/command.ts';
import { type Scope, scopes } from '../../../model/oauth.ts';
import type { ApplicationId } from '../../../model/snowflake.ts';
import type { User } from '../../../model/user.ts';
import type { Core } from '../../core.ts';
import type { StoreView } from '../../store/contract.ts';
import { type ApplicationRecord, commandScope } from '../../store/records.ts';
import { guildIdsOf } from '../guilds/records.ts';
import { webhookEventNames } from '../webhooks/events.ts';
import { isUserScope } from './offered-scopes.ts';
import type { CountUsers } from './user-counts.ts';
import { botUserView, userView } from './user-view.ts';

/** An application as everybody sees it. @see docs/spec/oauth2.md#current-authorization */
export async function partialApplication(view: StoreView, application: ApplicationRecord): Promise<PartialApplication> {
  const { id, name, description, bot_require_code_grant, verify_key } = application;
  const flags = flagsOf(application, await hasGlobalCommands(view, id));
  return {
    ...{ id, name, icon: null, description, bot_public: true, bot_require_code_grant, verify_key },
    ...{ type: null, flags, flags_new: String(flags) },
  };
}

/** An application as its own bot sees it. */
export interface OwnApplication extends PartialApplication {
  owner?: User;
  bot: User;
  team: null;
  redirect_uris: readonly string[];
  interactions_endpoint_url: string | null;
  role_connections_verification_url: null;
  event_webhooks_url: string | null;
  /** 1: it has no address for events; 2: its server receives the events in `event_webhooks_types`. */
  event_webhooks_status: 1 | 2;
  event_webhooks_types: readonly string[];
  approximate_guild_count: number;
  /** Users who installed it for themselves. */
  approximate_user_install_count: number;
  approximate_user_authorization_count: number;
  /** Whether its uploads are filtered everywhere or as a guild requires. Deviation: this service filters nothing. */
  explicit_content_filter: 0;
  /** What it may request from users, limited to the scopes that the hosted service's schema lists for this field. */
  eligible_oauth2_scopes: readonly Scope[];
  tags: readonly string[];
  install_params?: InstallParams;
  /** Integration type → what a link that names only the application installs there. */
  integration_types_config: Readonly<Record<string, { oauth2_install_params?: InstallParams }>>;
}

/**
 * The answer of `GET /oauth2/applications/@me`.
 *
 * Unspecified: the reference says only "the bot's application object", so these are the fields of that object that
 * have a meaning here and those that are always present.
 *
 * @see docs/spec/oauth2.md#token-information
 */
export async function ownApplicationView(
  { store }: Core,
  countUsers: CountUsers,
  application: ApplicationRecord,
): Promise<OwnApplication> {
  const { id, redirect_uris, interactions_endpoint_url, event_webhooks_url, install_params } = application;
  const owner = await store.get('users', application.owner_id);
  const users = await countUsers(id);
  return {
    ...(await partialApplication(store, application)),
    ...(owner && { owner: userView(owner) }),
    bot: botUserView(application),
    team: null,
    redirect_uris,
    interactions_endpoint_url,
    role_connections_verification_url: null,
    event_webhooks_url,
    event_webhooks_status: event_webhooks_url === null ? 1 : 2,
    event_webhooks_types: event_webhooks_url === null ? [] : webhookEventNames,
    approximate_guild_count: (await guildIdsOf(store, id)).length,
    approximate_user_install_count: users.installed,
    approximate_user_authorization_count: users.authorized,
    explicit_content_filter: 0,
    eligible_oauth2_scopes: scopes.filter(scope => !unlisted.has(scope) && isUserScope(scope, application)),
    tags: [],
    ...(install_params && { install_params }),
    integration_types_config: installConfig(application),
  };
}

/** Scopes that the hosted service grants and its published schemas omit: a strict client would reject them. */
const unlisted: ReadonlySet<Scope> = new Set<Scope>([
  'account.global_name.update',
  'application_identities.write',
  'dm_channels.messages.read',
  'dm_channels.messages.write',
  'gateway.connect',
  'guilds.channels.read',
  'identify.premium',
  'lobbies.write',
  'payment_sources.country_code',
  'presences.read',
  'presences.write',
  'relationships.write',
  'sdk.social_layer',
  'sdk.social_layer_presence',
]);

function flagsOf({ public_client, embedded }: ApplicationRecord, hasCommands: boolean): number {
  const { PUBLIC_OAUTH2_CLIENT, EMBEDDED, APPLICATION_COMMAND_BADGE } = applicationFlags;
  return (
    (public_client ? PUBLIC_OAUTH2_CLIENT : 0) |
    (embedded ? EMBEDDED : 0) |
    (hasCommands ? APPLICATION_COMMAND_BADGE : 0)
  );
}

async function hasGlobalCommands(store: StoreView, id: ApplicationId): Promise<boolean> {
  return (await store.list('commands', { index: 'byScope', equals: [commandScope(id)], limit: 1 })).length > 0;
}

/** A link that names only the application installs it as {@link defaultIntegrationType} says. */
function installConfig(application: ApplicationRecord): OwnApplication['integration_types_config'] {
  const { integration_types, install_params } = application;
  const installs = defaultIntegrationType(application);
  return Object.fromEntries(
    integration_types.map(type => [
      type,
      install_params && type === installs ? { oauth2_install_params: install_params } : {},
    ]),
  );
}

/**
 * The default kind of installation: in a guild. Unspecified: for the user where the application supports nothing
 * else.
 */
export function defaultIntegrationType({
  integration_types,
}: Pick<ApplicationRecord, 'integration_types'>): IntegrationType | undefined {
  return [...integration_types].sort()[0];
}
