import type { ExternalAuthFields, IdTokenAuthType, TicketAuthType } from '../../../../model/provisional.ts';
import { createAttemptLimiter } from '../../../auth/attempt-limiter.ts';
import type { Core } from '../../../core.ts';
import type { ApplicationRecord, IdentityProvider } from '../../../store/records.ts';
import type { PendingWork } from '../../../support/pending-work.ts';
import { RequestError } from '../../../support/request-error.ts';
import type { AuthenticatedClient } from '../token/client-request.ts';
import { requireAccessToken } from '../token/tokens.ts';
import { type ExternalIdentity, identitiesOf } from './identity.ts';
import { verifyIdentityToken } from './identity-token.ts';
import { createProviderKeys } from './provider-keys.ts';
import { createProviderRequests } from './provider-request.ts';
import { verifyTicket } from './ticket.ts';

/** Verifies external proofs of identity. */
export interface ExternalAuthentication {
  /**
   * @throws RequestError `provisional_accounts_disabled`; `identity_provider_not_found`, also when the application
   *   has no provider of this type; `identity_keys_not_found`, `invalid_identity_keys`; for an invalid proof
   *   `identity_token_…`, `invalid_identity_token`, `invalid_access_token`; `rate_limited` after too many of these, even for a valid proof: then
   *   no provider is asked
   * @see docs/spec/oauth2.md#provisional-accounts
   */
  verify(client: AuthenticatedClient, auth: ExternalAuthFields): Promise<ExternalIdentity>;
}

/** @param pendingWork counts the requests to providers */
export function createExternalAuthentication(core: Core, pendingWork: PendingWork): ExternalAuthentication {
  // The operator names the providers, but a provider's own description may name any address.
  const keys = createProviderKeys(core.clock, createProviderRequests(core, pendingWork, core.fetch));
  const ofAddresses = createAttemptLimiter(core, 'external-proof');
  const ofServers = createAttemptLimiter(core, 'external-proof-server');
  const askOffice = createProviderRequests(core, pendingWork, core.operatorFetch);

  /** The identity for whose account the bot was given this token, which cannot prolong its own life. */
  async function botIssued(application: ApplicationRecord, token: string): Promise<ExternalIdentity> {
    const { application_id, user_id, expires_at_ms } = await requireAccessToken(core, token);
    const user = await core.store.get('users', user_id ?? '');
    if (application_id !== application.id || user?.provisional_of !== application_id) {
      throw new RequestError('invalid_access_token');
    }
    const identities = await identitiesOf(core.store, application.id, user.id);
    const identity = identities.find(({ type }) => type === 'DISCORD_BOT_ISSUED_ACCESS_TOKEN');
    if (!identity) throw new RequestError('invalid_access_token');
    const end = expires_at_ms === null ? {} : { tokenEndsAtMs: expires_at_ms };
    return { type: identity.type, hash: identity.hash, name: undefined, ...end };
  }

  function verifyBy(application: ApplicationRecord, auth: ExternalAuthFields): Promise<ExternalIdentity> {
    const { external_auth_type: type, external_auth_token: token } = auth;
    if (type === 'DISCORD_BOT_ISSUED_ACCESS_TOKEN') return botIssued(application, token);
    const provider = providerOf(application, type);
    return 'issuer' in provider
      ? verifyIdentityToken(core.clock, keys, provider, token)
      : verifyTicket(core, askOffice, application, provider, token);
  }

  return {
    async verify({ application, proven, address }, auth) {
      if (!application.provisional_accounts) throw new RequestError('provisional_accounts_disabled');
      // All players of a game may come from the address of its server.
      const attempts = proven ? ofServers : ofAddresses;
      return attempts.attempt(proven ? application.id : `${application.id}/${address}`, async wrong => {
        try {
          return await verifyBy(application, auth);
        } catch (error) {
          // Whatever the reason: a provider that fails is not asked without end either.
          wrong();
          throw error;
        }
      });
    },
  };
}

function providerOf(application: ApplicationRecord, type: IdTokenAuthType | TicketAuthType): IdentityProvider {
  const provider = application.identity_providers.find(one => one.type === type);
  if (provider) return provider;
  const message = `The application has no identity provider of the type ${type}`;
  throw new RequestError('identity_provider_not_found', { message });
}
