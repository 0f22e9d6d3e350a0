import type { UserId } from '../../../model/snowflake.ts';
import type { Core } from '../../core.ts';
import { userView } from '../../domain/accounts/user-view.ts';
import { guildUpdatedView } from '../../domain/guilds/view.ts';
import type { WebhookEvents } from '../../domain/webhooks/events.ts';
import type { ApplicationRecord, GuildRecord } from '../../store/records.ts';
import { type GrantTerms, isInstallation } from './scope-rules.ts';

/** What a user granted. */
export interface Authorized extends GrantTerms {
  readonly application: ApplicationRecord;
  readonly userId: UserId;
  /** The guild that the application was added to. */
  readonly guild?: GuildRecord | undefined;
}

/**
 * Notifies an application's server of users who authorize it. Call it after the commit.
 * @see docs/spec/lobbies.md#webhook-events
 */
export interface AuthorizationEvents {
  authorized(grant: Authorized): Promise<void>;
  /** Sends nothing when the application or the user no longer exists. */
  deauthorized(applicationId: ApplicationRecord['id'], userId: UserId): Promise<void>;
}

export function createAuthorizationEvents({ store }: Core, webhookEvents: WebhookEvents): AuthorizationEvents {
  return {
    async authorized({ application, userId, scopes, integrationType, guild }) {
      const user = await store.get('users', userId);
      if (!user) return;
      webhookEvents.sendAuthorization(application, user, 'APPLICATION_AUTHORIZED', {
        ...(isInstallation(scopes) && { integration_type: integrationType }),
        user: userView(user),
        scopes,
        ...(guild && { guild: guildUpdatedView(guild) }),
      });
    },

    async deauthorized(applicationId, userId) {
      const application = await store.get('applications', applicationId);
      const user = await store.get('users', userId);
      if (!application || !user) return;
      webhookEvents.sendAuthorization(application, user, 'APPLICATION_DEAUTHORIZED', { user: userView(user) });
    },
  };
}
