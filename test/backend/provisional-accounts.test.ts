import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiError, type Backend, createBackend, ValidationError } from '../../src/backend/index.ts';
import type { ExternalAuthType } from '../../src/model/external-auth.ts';
import { type Service, startService } from '../../src/service/index.ts';
import { externalAuthFields } from '../../src/wire/external-auth.ts';
import { answerJson, type LoopbackServer, startLoopbackServer } from '../support/http/loopback-server.ts';
import { openTicketOffice } from '../support/service/provisional.ts';
import { callApi, starfall } from '../support/service/starfall.ts';
import { playerTokens } from '../support/service/tokens.ts';

const [application] = starfall.applications;
const [ada, grace] = starfall.users;
const child = { id: '100000000000000021', name: 'Starfall 2', owner_id: ada.id, parent_id: application.id };

let service: Service;
let tickets: Awaited<ReturnType<typeof openTicketOffice>>;
let backend: Backend;
beforeAll(async () => {
  tickets = await openTicketOffice();
  // A confidential client: what it exchanges for players takes its secret.
  const game = { ...application, public_client: false, identity_providers: [tickets.provider] };
  service = await startService({ fixtures: { ...starfall, applications: [game, child] }, limits: 'off' });
  backend = open({ botToken: application.bot_token, clientSecret: application.client_secret });
});
afterAll(async () => {
  backend.close();
  await service.close();
  await tickets.close();
});

function open(secrets: { botToken?: string; clientSecret?: string }): Backend {
  return createBackend({ ...secrets, applicationId: application.id, baseUrl: service.webBase, globalLimit: 'off' });
}

async function userOf(token: string): Promise<{ id: string; global_name: string | null }> {
  const headers = { authorization: `Bearer ${token}` };
  const { body } = await callApi(service, 'GET', '/users/@me', undefined, headers);
  return body as { id: string; global_name: string | null };
}

const ticket = (player: string) => ({ type: 'STEAM_SESSION_TICKET', token: player }) as const;

const merge = (userId: string, proof: ReturnType<typeof ticket>) =>
  playerTokens(
    service,
    userId,
    'openid',
    {},
    { client_secret: application.client_secret, ...externalAuthFields(application.id, proof) },
  );

describe('a backend', () => {
  it('gives a player of the game’s own accounts a token, with the bot token', async () => {
    const accounts = backend.provisionalAccounts;
    const token = await accounts.issueToken({ external_user_id: 'own-1', preferred_global_name: 'Nova' });
    expect(token).toMatchObject({ token_type: 'Bearer', expires_in: 604_800, id_token: expect.any(String) });
    expect(token).not.toHaveProperty('refresh_token');
    const again = await accounts.issueToken({ external_user_id: 'own-1' });
    expect(await userOf(again.access_token)).toEqual(await userOf(token.access_token));
    expect(await userOf(again.access_token)).toMatchObject({ global_name: 'Nova' });
  });

  it('exchanges a proof for a token, with the client secret', async () => {
    const token = await backend.provisionalAccounts.exchangeToken(ticket('steam-1'));
    expect(await userOf(token.access_token)).toHaveProperty('id');
    const other = open({ clientSecret: 'wrong' });
    const refused = other.provisionalAccounts.exchangeToken(ticket('steam-1'));
    await expect(refused).rejects.toMatchObject({ code: 'wrong_client_secret', apiCode: 530007 });
    other.close();
  });

  it('unmerges by the bot token, and by a proof', async () => {
    const accounts = backend.provisionalAccounts;
    await accounts.exchangeToken(ticket('steam-2'));
    await merge(ada.id, ticket('steam-2'));
    await accounts.unmergeBy(ticket('steam-2'));
    await expect(accounts.unmergeBy(ticket('steam-2'))).rejects.toMatchObject({ code: 'invalid_user_type' });
    await expect(accounts.unmerge('nobody')).rejects.toMatchObject({ code: 'unknown_user' });

    const { access_token } = await accounts.issueToken({ external_user_id: 'own-2' });
    const proof = { type: 'DISCORD_BOT_ISSUED_ACCESS_TOKEN', token: access_token } as const;
    const { access_token: merged } = await playerTokens(
      service,
      grace.id,
      'identify',
      {},
      {
        client_secret: application.client_secret,
        ...externalAuthFields(application.id, proof),
      },
    );
    const refused = accounts.issueToken({ external_user_id: 'own-2' });
    await expect(refused).rejects.toMatchObject({ code: 'account_not_provisional', apiCode: 530010 });
    await accounts.unmerge('own-2');
    expect(await userOf(merged)).toMatchObject({ message: '401: Unauthorized' });
    await accounts.issueToken({ external_user_id: 'own-2' });
  });

  it('exchanges a token for a child application’s, with the parent’s secret', async () => {
    const { access_token } = await backend.provisionalAccounts.issueToken({ external_user_id: 'own-3' });
    const token = await backend.provisionalAccounts.exchangeChildToken(access_token, child.id);
    expect(await userOf(token.access_token)).toEqual(await userOf(access_token));
    const bare = open({ botToken: application.bot_token });
    const refused = bare.provisionalAccounts.exchangeChildToken(access_token, child.id);
    await expect(refused).rejects.toMatchObject({ code: 'wrong_client_secret' });
    bare.close();
  });

  it('sends nothing that the rulebook rejects', async () => {
    const accounts = backend.provisionalAccounts;
    const asked = tickets.seen.length;
    const type = 'XBOX' as ExternalAuthType;
    for (const call of [
      accounts.issueToken({ external_user_id: '' }),
      accounts.issueToken({ external_user_id: 'x', preferred_global_name: 'x'.repeat(33) }),
      accounts.exchangeToken({ type, token: 'x' }),
      accounts.exchangeToken(ticket('x'.repeat(10_241))),
      accounts.unmerge('x'.repeat(1025)),
      accounts.unmergeBy(ticket('')),
      accounts.exchangeChildToken('', child.id),
      accounts.exchangeChildToken('x', 'child'),
    ]) {
      await expect(call).rejects.toBeInstanceOf(ValidationError);
    }
    expect(tickets.seen.length).toBe(asked);
  });

  it('asks for a bot token where it takes one', async () => {
    const bare = open({ clientSecret: application.client_secret });
    const refused = bare.provisionalAccounts.issueToken({ external_user_id: 'x' });
    await expect(refused).rejects.toMatchObject({ code: 'credential_missing' });
    bare.close();
  });
});

describe('a service that answers otherwise', () => {
  let server: LoopbackServer;
  let answer: unknown;
  beforeAll(async () => {
    server = await startLoopbackServer((_request, response) => answerJson(response, 200, answer));
  });
  afterAll(() => server.close());

  it.each([[{}], ['token'], [null], [{ access_token: 7, expires_in: 1 }], [{ access_token: 'x', expires_in: '1' }]])(
    'with %j is not believed',
    async body => {
      answer = body;
      const other = createBackend({ applicationId: '1', botToken: 'x', baseUrl: server.baseUrl });
      const call = other.provisionalAccounts.issueToken({ external_user_id: 'x' });
      await expect(call).rejects.toMatchObject({ code: 'unreadable_answer' });
      other.close();
    },
  );

  it('is reported at most once, and no error repeats what was sent', async () => {
    const failing = await startLoopbackServer((_request, response) => answerJson(response, 500, {}));
    const secrets = { botToken: 'bot-s3cret', clientSecret: 'client-s3cret' };
    const other = createBackend({ applicationId: '1', ...secrets, baseUrl: failing.baseUrl });
    const error = await other.provisionalAccounts.exchangeChildToken('parent-s3cret', '2').catch(thrown => thrown);
    expect(error).toBeInstanceOf(ApiError);
    expect(`${error.stack}${JSON.stringify(error)}`).not.toContain('s3cret');
    expect(failing.seen).toHaveLength(1);
    other.close();
    await failing.close();
  });
});
