import type { ProvisionalTokenResponse } from '../../../src/model/provisional.ts';
import type { ServiceAddresses } from '../../../src/service/index.ts';
import type { IdentityProviderFixture } from '../../../src/service/testing/fixtures/document.ts';
import { answerJson, startLoopbackServer } from '../http/loopback-server.ts';
import { callApi } from './starfall.ts';
import { playerTokens } from './tokens.ts';

/** The token of Starfall's provisional account for somebody whom its bot names. */
export async function botIssuedToken(
  service: ServiceAddresses,
  externalUserId: string,
): Promise<ProvisionalTokenResponse> {
  const { status, body } = await callApi(service, 'POST', '/partner-sdk/token/bot', {
    external_user_id: externalUserId,
  });
  if (status !== 200) throw new Error(`No token: ${JSON.stringify(body)}`);
  return body as ProvisionalTokenResponse;
}

/** Somebody whom the bot names, merged into this user's account. */
export async function mergeByBot(service: ServiceAddresses, externalUserId: string, userId: string) {
  const { access_token } = await botIssuedToken(service, externalUserId);
  const proof = { external_auth_type: 'DISCORD_BOT_ISSUED_ACCESS_TOKEN', external_auth_token: access_token };
  return playerTokens(service, userId, 'openid sdk.social_layer', {}, proof);
}

/** A game's ticket office: every ticket is valid and names its player; `none` is none. */
export async function openTicketOffice() {
  const server = await startLoopbackServer(({ body }, response) => {
    const { external_auth_token: ticket } = JSON.parse(body) as { external_auth_token: string };
    if (ticket === 'none') answerJson(response, 404, {});
    else answerJson(response, 200, { external_user_id: ticket });
  });
  const provider: IdentityProviderFixture = {
    type: 'STEAM_SESSION_TICKET',
    verification_url: `${server.baseUrl}/tickets`,
  };
  return { provider, seen: server.seen, close: server.close };
}

/** A proof for {@link openTicketOffice}. */
export function ticketOf(player: string) {
  return { external_auth_type: 'STEAM_SESSION_TICKET', external_auth_token: player };
}
