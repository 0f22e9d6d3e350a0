import type { UserId } from '../../../../model/snowflake.ts';
import type { Core } from '../../../core.ts';
import type { Transaction } from '../../../store/contract.ts';
import type { ApplicationRecord, GuildRecord } from '../../../store/records.ts';
import { userView } from '../../accounts/user-view.ts';
import { guildUpdatedView } from '../../guilds/view.ts';
import type { AfterCommit, WebhookEvents } from '../../webhooks/events.ts';
import { authorizationScope, type Parties } from './authorization-records.ts';
import { type GrantTerms, isInstallation } from './scope-rules.ts';

/** What a user granted. */
export interface Authorized extends GrantTerms {
  readonly application: ApplicationRecord;
  readonly userId: UserId;
  /** The guild that the application was added to. */
  readonly guild?: GuildRecord | undefined;
}

/**
 * Notifies an application's server of users who authorize it.
 * @see docs/spec/lobbies.md#webhook-events
 */
export interface AuthorizationEvents {
  /** Resolves when the event is stored. */
  authorized(grant: Authorized): Promise<void>;
  /**
   * Stores the event in the transaction that ends the authorization; sends nothing when the application or the user no longer exists.
   */
  deauthorized(transaction: Transaction, parties: Parties): Promise<AfterCommit>;
}

/** @param onDeauthorized called after the commit */
export function createAuthorizationEvents(
  { store }: Core,
  webhookEvents: WebhookEvents,
  onDeauthorized: (parties: Parties) => void = () => {},
): AuthorizationEvents {
  return {
    async authorized({ application, userId, scopes, integrationType, guild }) {
      if (application.event_webhooks_url === null) return;
      const scope = authorizationScope({ application_id: application.id, user_id: userId });
      const afterCommit = await store.transact(scope, async transaction => {
        const user = await transaction.get('users', userId);
        if (!user) return undefined;
        const data = {
          ...(isInstallation(scopes) && { integration_type: integrationType }),
          user: userView(user),
          scopes,
          ...(guild && { guild: guildUpdatedView(guild) }),
        };
        const event = { name: 'APPLICATION_AUTHORIZED', application, user, data } as const;
        return webhookEvents.authorization(transaction, scope, event);
      });
      afterCommit?.();
    },

    async deauthorized(transaction, parties) {
      const application = await transaction.get('applications', parties.application_id);
      const user = await transaction.get('users', parties.user_id);
      const ended = () => onDeauthorized(parties);
      if (!application || !user) return ended;
      const event = { name: 'APPLICATION_DEAUTHORIZED', application, user, data: { user: userView(user) } } as const;
      const afterCommit = await webhookEvents.authorization(transaction, authorizationScope(parties), event);
      return () => {
        ended();
        afterCommit();
      };
    },
  };
}
