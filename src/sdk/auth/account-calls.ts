import { TransportError } from '../../model/errors/errors.ts';
import type { ExternalAuth } from '../../model/external-auth.ts';
import type { AccountEdit, ChildTokenInput, ProvisionalTokenInput } from '../../model/provisional.ts';
import { checkAccountEdit, checkChildToken } from '../../model/rules/accounts/provisional.ts';
import type { ApplicationId } from '../../model/snowflake.ts';
import type { Clock } from '../../wire/clock/ports.ts';
import { externalAuthFields } from '../../wire/external-auth.ts';
import { rejectIssues } from '../../wire/http/check.ts';
import { asRecord } from '../../wire/http/codec.ts';
import type { Http } from '../../wire/http/http.ts';
import { readUser } from '../lobby/lobby-reader.ts';
import type { UserSnapshot } from '../lobby/snapshot.ts';
import { readTokens, type TokenSet } from './token-set.ts';

/** The calls for the player's account, which need no gateway session. @see docs/spec/oauth2.md#provisional-accounts; docs/spec/client.md#functions */
export class AccountCalls {
  readonly #http: Http;
  readonly #clock: Clock;

  constructor(http: Http, clock: Clock) {
    this.#http = http;
    this.#clock = clock;
  }

  async currentUser(authorization: string, signal: AbortSignal | undefined): Promise<UserSnapshot> {
    const user = readUser((await this.#http.send('getCurrentUser', { path: {}, authorization, signal })).body);
    if (user) return user;
    throw new TransportError('unreadable_answer', "The service's answer is not a user. Check baseUrl.");
  }

  async provisionalToken(
    clientId: ApplicationId,
    external: ExternalAuth,
    signal: AbortSignal | undefined,
  ): Promise<TokenSet> {
    const body: ProvisionalTokenInput = { client_id: clientId, ...externalAuthFields(clientId, external) };
    const requestedAtMs = this.#clock.now();
    return readAnswer(
      (await this.#http.send('createProvisionalToken', { path: {}, body, signal })).body,
      requestedAtMs,
    );
  }

  async unmerge(clientId: ApplicationId, external: ExternalAuth, signal: AbortSignal | undefined): Promise<void> {
    const body: ProvisionalTokenInput = { client_id: clientId, ...externalAuthFields(clientId, external) };
    await this.#http.send('unmergeProvisionalAccount', { path: {}, body, signal });
  }

  async childToken(
    parentToken: string,
    childApplicationId: ApplicationId,
    signal: AbortSignal | undefined,
  ): Promise<TokenSet> {
    const body: ChildTokenInput = { parent_access_token: parentToken, child_application_id: childApplicationId };
    rejectIssues('The exchange for a child token', checkChildToken(body));
    const requestedAtMs = this.#clock.now();
    return readAnswer((await this.#http.send('createChildToken', { path: {}, body, signal })).body, requestedAtMs);
  }

  async rename(authorization: string, name: string, signal: AbortSignal | undefined): Promise<void> {
    const body: AccountEdit = { global_name: name };
    rejectIssues('The display name', checkAccountEdit(body));
    await this.#http.send('editAccount', { path: {}, authorization, body, signal });
  }
}

// These answers come from the API, so the OAuth2 library does not read them. An empty refresh token means that there is none.
function readAnswer(body: unknown, requestedAtMs: number): TokenSet {
  const { access_token, token_type, expires_in, scope, refresh_token, id_token } = asRecord(body) ?? {};
  const isSound =
    isText(access_token) &&
    isText(token_type) &&
    token_type.toLowerCase() === 'bearer' &&
    typeof expires_in === 'number' &&
    expires_in >= 0;
  if (!isSound) throw new TransportError('unreadable_answer', "The service's answer is not a token. Check baseUrl.");
  return readTokens(
    {
      access_token,
      expires_in,
      ...(typeof scope === 'string' && { scope }),
      ...(isText(refresh_token) && { refresh_token }),
      ...(isText(id_token) && { id_token }),
    },
    requestedAtMs,
  );
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
