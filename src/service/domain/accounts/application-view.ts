import { applicationFlags, type InstallParams, type PartialApplication } from '../../../model/application.ts';
import type { ApplicationId } from '../../../model/snowflake.ts';
import type { User } from '../../../model/user.ts';
import type { Core } from '../../core.ts';
import { defaultIntegrationType } from '../../oauth/authorize/install-defaults.ts';
import { type ApplicationRecord, commandScope } from '../../store/records.ts';
import { guildIdsOf } from '../guilds/records.ts';
import { webhookEventNames } from '../webhooks/events.ts';
import { botUserView, userView } from './user-view.ts';

/** An application as anybody sees it. @see docs/spec/oauth2.md#current-authorization */
export function partialApplication(application: ApplicationRecord): PartialApplication {
  const { id, name, description, bot_require_code_grant, verify_key } = application;
  return { id, name, icon: null, description, bot_public: true, bot_require_code_grant, verify_key };
}

/** An application as its own bot sees it. */
export interface OwnApplication extends PartialApplication {
  owner?: User;
  bot: User;
  team: null;
  /** @see applicationFlags */
  flags: number;
  redirect_uris: readonly string[];
  interactions_endpoint_url: string | null;
  role_connections_verification_url: null;
  event_webhooks_url: string | null;
  /** 1: it has no address for them; 2: it is told of the events in `event_webhooks_types`. */
  event_webhooks_status: 1 | 2;
  event_webhooks_types: readonly string[];
  approximate_guild_count: number;
  tags: readonly string[];
  install_params?: InstallParams;
  /** Integration type → what a link that names the application alone installs there. */
  integration_types_config: Readonly<Record<string, { oauth2_install_params?: InstallParams }>>;
}

/**
 * What `GET /oauth2/applications/@me` answers.
 *
 * Our choice, for the reference says no more than "the bot's application object": the fields of that object which have a
 * meaning here, and those that are always there.
 *
 * @see docs/spec/oauth2.md#token-information
 */
export async function ownApplicationView({ store }: Core, application: ApplicationRecord): Promise<OwnApplication> {
  const { id, redirect_uris, interactions_endpoint_url, event_webhooks_url, install_params } = application;
  const owner = await store.get('users', application.owner_id);
  return {
    ...partialApplication(application),
    ...(owner && { owner: userView(owner) }),
    bot: botUserView(application),
    team: null,
    flags: flagsOf(application, await hasGlobalCommands(store, id)),
    redirect_uris,
    interactions_endpoint_url,
    role_connections_verification_url: null,
    event_webhooks_url,
    event_webhooks_status: event_webhooks_url === null ? 1 : 2,
    event_webhooks_types: event_webhooks_url === null ? [] : webhookEventNames,
    approximate_guild_count: (await guildIdsOf(store, id)).length,
    tags: [],
    ...(install_params && { install_params }),
    integration_types_config: installConfig(application),
  };
}

function flagsOf({ public_client, embedded }: ApplicationRecord, hasCommands: boolean): number {
  const { PUBLIC_OAUTH2_CLIENT, EMBEDDED, APPLICATION_COMMAND_BADGE } = applicationFlags;
  return (
    (public_client ? PUBLIC_OAUTH2_CLIENT : 0) |
    (embedded ? EMBEDDED : 0) |
    (hasCommands ? APPLICATION_COMMAND_BADGE : 0)
  );
}

async function hasGlobalCommands(store: Core['store'], id: ApplicationId): Promise<boolean> {
  return (await store.list('commands', { index: 'byScope', equals: [commandScope(id)], limit: 1 })).length > 0;
}

/** The link installs where {@link defaultIntegrationType} says. */
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
