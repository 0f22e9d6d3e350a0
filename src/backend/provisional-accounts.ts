import type { ExternalAuth } from '../model/external-auth.ts';
import type { TokenResponse } from '../model/oauth.ts';
import type {
  BotProvisionalTokenInput,
  ChildTokenInput,
  ProvisionalTokenInput,
  ProvisionalTokenResponse,
} from '../model/provisional.ts';
import { checkBotProvisionalToken, checkBotUnmerge, checkChildToken } from '../model/rules/accounts/provisional.ts';
import type { ApplicationId } from '../model/snowflake.ts';
import { externalAuthFields } from '../wire/external-auth.ts';
import { rejectIssues } from '../wire/http/check.ts';
import { readProvisionalToken, readToken } from './answers.ts';
import type { Call, RequestOptions } from './calls.ts';

/**
 * Accounts for players who have none of their own, and tokens for a publisher's other applications. A game asks its
 * server for them, so that neither the bot token nor the client secret leaves the server.
 *
 * Every input is checked against the rules first (ValidationError; nothing was sent). Every call can also throw ApiError,
 * RateLimitError and TransportError. A call that returns a token is not retried if it may have been processed.
 *
 * @see docs/spec/oauth2.md#provisional-accounts
 */
export interface ProvisionalAccounts {
  /**
   * Issues a token for a player of the game's own account system, and creates the provisional account the first time.
   * Needs the bot token.
   *
   * @throws ApiError `account_not_provisional` if the player's account was merged into a full one, `account_locked` during
   *   a merge, `provisional_accounts_disabled`
   */
  issueToken(input: BotProvisionalTokenInput, options?: RequestOptions): Promise<ProvisionalTokenResponse>;
  /**
   * Issues a token for a player who proves an identity that they have elsewhere. Needs the client secret, unless the
   * application is a public client.
   *
   * @throws ApiError as {@link issueToken}; `wrong_client_secret`, and faults of the proof: `identity_token_…`,
   *   `invalid_identity_token`, `invalid_access_token`, `identity_provider_not_found`
   */
  exchangeToken(auth: ExternalAuth, options?: RequestOptions): Promise<ProvisionalTokenResponse>;
  /**
   * Separates a player of the game's own account system from the full account that they were merged into. All tokens of
   * that account are revoked, and the player gets a new provisional account. Needs the bot token.
   *
   * @throws ApiError `unknown_user`, `invalid_user_type` if nothing was merged, `account_locked`
   */
  unmerge(externalUserId: string, options?: RequestOptions): Promise<void>;
  /** {@link unmerge} for a player who proves an identity that they have elsewhere. @throws ApiError as {@link exchangeToken} */
  unmergeBy(auth: ExternalAuth, options?: RequestOptions): Promise<void>;
  /**
   * Exchanges a user's token of this application for one of a child application. The new token expires with the old one.
   * Needs the client secret, unless the application is a public client.
   *
   * @throws ApiError `invalid_access_token`, `wrong_client_secret`, `unknown_application`
   */
  exchangeChildToken(
    parentAccessToken: string,
    childApplicationId: ApplicationId,
    options?: RequestOptions,
  ): Promise<TokenResponse>;
}

export function createProvisionalAccounts(
  call: Call,
  applicationId: ApplicationId,
  clientSecret: string | undefined,
): ProvisionalAccounts {
  function identified(auth: ExternalAuth): ProvisionalTokenInput {
    return {
      client_id: applicationId,
      ...(clientSecret !== undefined && { client_secret: clientSecret }),
      ...externalAuthFields(applicationId, auth),
    };
  }

  return {
    async issueToken(input, options) {
      rejectIssues('The external user', checkBotProvisionalToken(input));
      const answer = await call('createBotProvisionalToken', { path: {}, body: input }, options);
      return readProvisionalToken(answer.body);
    },
    async exchangeToken(auth, options) {
      const answer = await call('createProvisionalToken', { path: {}, body: identified(auth) }, options);
      return readProvisionalToken(answer.body);
    },
    async unmerge(externalUserId, options) {
      const body = { external_user_id: externalUserId };
      rejectIssues('The external user', checkBotUnmerge(body));
      await call('unmergeBotProvisionalAccount', { path: {}, body }, options);
    },
    async unmergeBy(auth, options) {
      await call('unmergeProvisionalAccount', { path: {}, body: identified(auth) }, options);
    },
    async exchangeChildToken(parentAccessToken, childApplicationId, options) {
      const body: ChildTokenInput = {
        parent_access_token: parentAccessToken,
        child_application_id: childApplicationId,
        ...(clientSecret !== undefined && { parent_client_secret: clientSecret }),
      };
      rejectIssues('The exchange', checkChildToken(body));
      return readToken((await call('createChildToken', { path: {}, body }, options)).body);
    },
  };
}
