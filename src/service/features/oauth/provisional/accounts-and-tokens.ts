import type { Scope, TokenResponse } from '../../../../model/oauth.ts';
import type {
  AccountEdit,
  BotProvisionalTokenInput,
  BotUnmergeInput,
  ProvisionalTokenInput,
  ProvisionalTokenResponse,
} from '../../../../model/provisional.ts';
import {
  checkAccountEdit,
  checkBotProvisionalToken,
  checkBotUnmerge,
  checkProvisionalToken,
} from '../../../../model/rules/accounts/provisional.ts';
import type { AttemptLimiter } from '../../../auth/attempt-limiter.ts';
import type { Core } from '../../../core.ts';
import type { ApplicationRecord, UserRecord } from '../../../store/records.ts';
import { apiMessages } from '../../../support/api-messages.ts';
import type { PendingWork } from '../../../support/pending-work.ts';
import { RequestError, rejectIssues } from '../../../support/request-error.ts';
import { readId } from '../../lobbies/records.ts';
import { presenceScope } from '../../social/presence/records.ts';
import { putChangedUser } from '../../social/users/user-changes.ts';
import type { AuthorizationEvents } from '../authorize/authorization-events.ts';
import type { IdTokens } from '../openid/signed-tokens.ts';
import { exchangeChildToken } from '../token/child-token.ts';
import { createAccountMoves, type MovedPart } from './account-moves.ts';
import { createSignIn } from './accounts.ts';
import { createExternalAuthentication } from './external-auth.ts';
import { type ExternalIdentity, identityOf } from './identity.ts';
import { createProvisionalMerges, type ProvisionalMerges } from './merge.ts';
import { createPartnerClients } from './partner-client.ts';
import { type ApplicationProfiles, createApplicationProfiles } from './profiles.ts';
import { unmerge } from './unmerge.ts';
import { userScope } from './user.ts';

/**
 * Accounts of players who have no account of their own, and exchanges of tokens by publishers. `address` is where a
 * request came from.
 *
 * @see docs/spec/oauth2.md#provisional-accounts
 */
export interface Provisional {
  /**
   * Issues a token for an external proof of identity. @throws RequestError `invalid_form_body`, those of {@link
   * PartnerClients}, `verify`, {@link SignIn}
   */
  issueToken(input: unknown, address: string): Promise<ProvisionalTokenResponse>;
  /**
   * Issues a token at the request of the application's bot. @throws RequestError `invalid_form_body`, those of {@link
   * SignIn}
   */
  issueTokenByBot(application: ApplicationRecord, input: unknown): Promise<ProvisionalTokenResponse>;
  /** @throws RequestError `invalid_form_body`, those of {@link PartnerClients}, `verify`, {@link unmerge} */
  unmerge(input: unknown, address: string): Promise<void>;
  /** @throws RequestError `invalid_form_body`, those of {@link unmerge} */
  unmergeByBot(application: ApplicationRecord, input: unknown): Promise<void>;
  /** @see exchangeChildToken */
  exchangeChildToken(input: unknown, address: string): Promise<TokenResponse>;
  /**
   * Changes the display name of a provisional account or, with the scope `account.global_name.update`, of a full one; the user's own
   * sessions and friends are notified.
   *
   * @throws RequestError `invalid_form_body`, `missing_scope`, `unknown_user`
   */
  edit(user: UserRecord, scopes: ReadonlySet<string>, input: unknown): Promise<UserRecord>;
  readonly merges: ProvisionalMerges;
  readonly profiles: ApplicationProfiles;
  /** Continues moves of accounts that were begun before a restart. */
  start(): Promise<() => void>;
}

export interface ProvisionalDeps {
  readonly idTokens: IdTokens;
  readonly events: AuthorizationEvents;
  readonly moved: readonly MovedPart[];
  /** Counts requests to identity providers. */
  readonly pendingWork: PendingWork;
  /** Limits wrong proofs of applications. */
  readonly proofs: AttemptLimiter;
}

export function createProvisional(
  core: Core,
  { idTokens, events, moved, pendingWork, proofs }: ProvisionalDeps,
): Provisional {
  const externalAuth = createExternalAuthentication(core, pendingWork);
  const clients = createPartnerClients(core, proofs);
  const moves = createAccountMoves(core, moved);
  const signIn = createSignIn(core, idTokens);

  async function read(input: unknown, address: string): Promise<[ApplicationRecord, ExternalIdentity]> {
    rejectIssues(checkProvisionalToken(input));
    const body = input as ProvisionalTokenInput;
    const application = await clients.authenticate(body.client_id, { secret: body.client_secret, address });
    const client = { application, address, proven: body.client_secret != null };
    return [application, await externalAuth.verify(client, body)];
  }

  return {
    issueToken: async (input, address) => signIn(...(await read(input, address))),

    async issueTokenByBot(application, input) {
      rejectIssues(checkBotProvisionalToken(input));
      const { external_user_id, preferred_global_name, provisional_user_id } = input as BotProvisionalTokenInput;
      return signIn(application, botIdentity(application, external_user_id), {
        name: preferred_global_name ?? undefined,
        userId: provisional_user_id == null ? undefined : readId<'user'>(provisional_user_id),
      });
    },

    unmerge: async (input, address) => unmerge(core, { moves, events }, ...(await read(input, address))),

    async unmergeByBot(application, input) {
      rejectIssues(checkBotUnmerge(input));
      const { external_user_id } = input as BotUnmergeInput;
      await unmerge(core, { moves, events }, application, botIdentity(application, external_user_id));
    },

    exchangeChildToken: (input, address) => exchangeChildToken(core, clients, input, address),

    async edit({ id }, scopes, input) {
      rejectIssues(checkAccountEdit(input));
      const { global_name } = input as AccountEdit;
      return core.store.transact(
        userScope(id),
        async transaction => {
          const user = await transaction.get('users', id);
          if (!user) throw new RequestError('unknown_user');
          if (user.provisional_of === null && !scopes.has(nameScope)) throw nameRefusal();
          if (global_name === undefined || global_name === user.global_name) return user;
          const edited = { ...user, global_name };
          await putChangedUser(transaction, edited, core.clock.now());
          return edited;
        },
        [presenceScope(id)],
      );
    },

    merges: createProvisionalMerges(core, externalAuth, moves),
    profiles: createApplicationProfiles(core),
    start: moves.start,
  };
}

/** What a full account's name is changed by. */
const nameScope: Scope = 'account.global_name.update';

function nameRefusal(): RequestError {
  const message = `${apiMessages.missing_scope}: the name of a full account is changed by a token with the scope ${nameScope}.`;
  return new RequestError('missing_scope', { message });
}

/** @throws RequestError `provisional_accounts_disabled` */
function botIdentity({ provisional_accounts }: ApplicationRecord, subject: string): ExternalIdentity {
  if (!provisional_accounts) throw new RequestError('provisional_accounts_disabled');
  return identityOf({ type: 'DISCORD_BOT_ISSUED_ACCESS_TOKEN', subject });
}
