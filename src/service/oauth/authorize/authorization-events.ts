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
  /** The guild that the application was put into. */
  readonly guild?: GuildRecord | undefined;
}

/** Tells an application's server which users authorize it. To be called after the commit. @see docs/spec/lobbies.md#webhook-events */
export interface AuthorizationEvents {
  authorized(grant: Authorized): Promise<void>;
  /** Nobody is told when the application or the user is gone. */
  deauthorized(applicationId: ApplicationRecord['id'], userId: UserId): Promise<void>;
}

export function createAuthorizationEvents({ store }: Core, webhookEvents: WebhookEvents): AuthorizationEvents {
  return {
    async authorized({ application, userId, scopes, integrationType, guild }) {
      const user = await store.get('users', userId);
      if (!user) return;
      webhookEvents.tellAuthorization(application, user, 'APPLICATION_AUTHORIZED', {
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
      webhookEvents.tellAuthorization(application, user, 'APPLICATION_DEAUTHORIZED', { user: userView(user) });
    },
  };
}
