import type { ProvisionalTokenResponse } from '../../../../../src/model/provisional.ts';
import { type Fixtures, type ServiceOptions, startService } from '../../../../../src/service/index.ts';
import { openIdentityProvider } from '../../../../support/http/identity-provider.ts';
import { openTicketOffice } from '../../../../support/service/provisional.ts';
import { botHeaders, callApi, starfall } from '../../../../support/service/starfall.ts';
import { playerTokens } from '../../../../support/service/tokens.ts';

const [application] = starfall.applications;
export const game = application;
export const [ada, grace] = starfall.users;

/** Another application, with a secret that it must show, and one that players cannot have provisional accounts with. */
export const rival = {
  id: '100000000000000002',
  name: 'Rival',
  owner_id: ada.id,
  bot_token: 'rival-bot-token',
  client_secret: 'rival-client-secret',
  redirect_uris: ['https://rival.example/callback'],
} as const;
export const plain = { ...rival, id: '100000000000000003', bot_token: 'plain-bot-token', provisional_accounts: false };

export type Answer = Awaited<ReturnType<typeof callApi>> & { readonly body: Record<string, unknown> };

export type ProvisionalWorld = Awaited<ReturnType<typeof openProvisionalWorld>>;

/** A service on virtual time whose game has an identity provider and a ticket office. */
export async function openProvisionalWorld(options: Omit<ServiceOptions, 'fixtures' | 'clock'> = {}) {
  let service: Awaited<ReturnType<typeof startService>> | undefined;
  const provider = await openIdentityProvider(() => service?.clock.now() ?? 0);
  const tickets = await openTicketOffice();
  const identity_providers = [
    provider.provider,
    { ...provider.provider, type: 'APPLE_ID_TOKEN' as const, jwks_uri: `${provider.issuer}/keys` },
    tickets.provider,
  ];
  const applications = [{ ...game, identity_providers }, { ...rival, identity_providers }, plain];
  const running = await startService({
    fixtures: { ...starfall, applications },
    clock: 'virtual',
    limits: 'off',
    ...options,
  });
  service = running;

  async function post(path: string, body: unknown, authorization?: string): Promise<Answer> {
    const headers = { 'content-type': 'application/json', ...(authorization !== undefined && { authorization }) };
    return (await callApi(running, 'POST', path, body, headers)) as Answer;
  }

  async function byBot(externalUserId: string, more: object = {}, { bot_token }: { bot_token: string } = game) {
    return post('/partner-sdk/token/bot', { external_user_id: externalUserId, ...more }, `Bot ${bot_token}`);
  }

  function byProof(token: string, type = 'OIDC', more: object = {}) {
    const proof = { external_auth_type: type, external_auth_token: token };
    return post('/partner-sdk/token', { client_id: game.id, ...proof, ...more });
  }

  return {
    service: running,
    provider,
    tickets,
    post,
    byBot,
    byProof,
    /** The token of a sign-in that must succeed. */
    token: (answer: Answer) => accessToken(answer),

    /** Who a token stands for. */
    async userOf(token: string): Promise<Record<string, unknown> & { id: string }> {
      const answer = await callApi(running, 'GET', '/users/@me', undefined, { authorization: `Bearer ${token}` });
      if (answer.status !== 200) throw new Error(`No user: ${answer.status}`);
      return answer.body as Record<string, unknown> & { id: string };
    },

    async isLive(token: string): Promise<boolean> {
      const headers = { authorization: `Bearer ${token}` };
      return (await callApi(running, 'GET', '/oauth2/@me', undefined, headers)).status === 200;
    },

    as: (token: string) => ({ authorization: `Bearer ${token}`, 'content-type': 'application/json' }),

    /** A full account signs in and takes a provisional one over: the token endpoint's answer, whatever it is. */
    merge: async (userId: string, type: string, token: string) =>
      (await playerTokens(
        running,
        userId,
        'openid sdk.social_layer',
        {},
        {
          external_auth_type: type,
          external_auth_token: token,
        },
      )) as unknown as Record<string, unknown>,

    unmergeByBot: (externalUserId: string, { bot_token }: { bot_token: string } = game) =>
      post('/partner-sdk/provisional-accounts/unmerge/bot', { external_user_id: externalUserId }, `Bot ${bot_token}`),

    async furnish(fixtures: Fixtures): Promise<void> {
      const answer = await fetch(`${running.controlBase}/fixtures`, {
        method: 'POST',
        headers: { authorization: `Bearer ${running.controlToken}` },
        body: JSON.stringify(fixtures),
      });
      if (!answer.ok) throw new Error(await answer.text());
    },

    async close() {
      await running.close();
      await provider.close();
      await tickets.close();
    },
  };
}

export function accessToken({ status, body }: Answer): string {
  if (status !== 200) throw new Error(`No token: ${status} ${JSON.stringify(body)}`);
  return (body as unknown as ProvisionalTokenResponse).access_token;
}

export const botIssued = 'DISCORD_BOT_ISSUED_ACCESS_TOKEN';
export { botHeaders };
