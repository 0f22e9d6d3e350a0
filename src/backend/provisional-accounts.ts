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
 * Accounts for players who have none of their own, and tokens of a publisher's other applications. A game asks its
 * server for them; neither the bot token nor the client secret ever leaves the server.
 *
 * Every input is checked by the rulebook first (ValidationError; nothing was sent). What every call may throw beside
 * that: ApiError, RateLimitError, TransportError. None of the calls that give a token is repeated once it may have been
 * processed.
 *
 * @see docs/spec/oauth2.md#provisional-accounts
 */
export interface ProvisionalAccounts {
  /**
   * The token of the account of a player whom the game's own accounts know; makes the account the first time. Takes the
   * bot token.
   *
   * @throws ApiError `account_not_provisional` when the player's account was merged into a full one, `account_locked`
   *   while that goes on, `provisional_accounts_disabled`
   */
  issueToken(input: BotProvisionalTokenInput, options?: RequestOptions): Promise<ProvisionalTokenResponse>;
  /**
   * The same for a player who proves an identity elsewhere. Takes the client secret, unless the application is a public
   * client.
   *
   * @throws ApiError as above; `wrong_client_secret`, and what is wrong with the proof: `identity_token_…`,
   *   `invalid_identity_token`, `invalid_access_token`, `identity_provider_not_found`
   */
  exchangeToken(auth: ExternalAuth, options?: RequestOptions): Promise<ProvisionalTokenResponse>;
  /**
   * Takes a player whom the game's own accounts know from the full account it was merged into: all tokens of that end,
   * and the player has a new provisional account. Takes the bot token.
   *
   * @throws ApiError `unknown_user`, `invalid_user_type` when nothing was merged, `account_locked`
   */
  unmerge(externalUserId: string, options?: RequestOptions): Promise<void>;
  /** The same for a player who proves an identity elsewhere. @throws ApiError as both above */
  unmergeBy(auth: ExternalAuth, options?: RequestOptions): Promise<void>;
  /**
   * Exchanges a user's token of this application for one of an application that belongs to it; that ends with this one.
   * Takes the client secret, unless the application is a public client.
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
