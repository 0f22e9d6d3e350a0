import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ada, type Form, noChallenge, openService, site, siteRequest, type TestService } from '../support.ts';

let service: TestService;
beforeAll(async () => {
  service = await openService();
});
afterAll(() => service.close());

const implicit = { response_type: 'token', redirect_uri: 'https://game.example/callback', scope: 'identify guilds' };

/** What stands behind `#` after the user's answer. */
async function answered(changes: Form = {}, decision = 'approve'): Promise<URLSearchParams> {
  const url = service.authorizeUrl({ ...noChallenge, ...implicit, ...changes });
  const end = new URL(await service.decide(url, ada.id, decision));
  expect(end.search).toBe('');
  return new URLSearchParams(end.hash.slice(1));
}

describe('response_type=token', () => {
  it('hands over an access token in the fragment, and nothing to renew it by', async () => {
    const answer = await answered();
    expect(Object.fromEntries(answer)).toEqual({
      access_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: '604800',
      scope: 'identify guilds',
      state: expect.any(String),
      iss: service.web,
    });
    expect(await service.isLive(answer.get('access_token'))).toBe(true);
  });

  it('gives a token that expires, and ends with the authorization', async () => {
    const token = String((await answered()).get('access_token'));
    const { access_token } = await service.signIn();
    await service.revoke({ token: access_token });
    expect(await service.isLive(token)).toBe(false);
    const other = String((await answered()).get('access_token'));
    await service.clock.advance(604_800_000);
    expect(await service.isLive(other)).toBe(false);
  });

  it('gives a token that ends alone when it is not the authorization that is ended', async () => {
    const code = await service.code();
    const { body } = await service.exchange(code);
    const token = String((await answered()).get('access_token'));
    await service.exchange(code); // a code used again ends what it gave
    expect(await service.isLive(body.access_token)).toBe(false);
    expect(await service.isLive(token)).toBe(true);
  });

  it('keeps the query of the registered redirect', async () => {
    const changes = { ...siteRequest, ...implicit, redirect_uri: 'https://site.example/?from=us' };
    const end = await service.decide(service.authorizeUrl(changes));
    expect(end).toMatch(/^https:\/\/site\.example\/\?from=us#access_token=/);
  });

  it('reports a cancelled request in the fragment, too', async () => {
    expect((await answered({}, 'deny')).get('error')).toBe('access_denied');
  });

  it.each<[string, Form, string]>([
    ['role_connections.write', { ...siteRequest, scope: 'role_connections.write' }, 'invalid_scope'],
    ['webhook.incoming', { ...siteRequest, scope: 'webhook.incoming' }, 'invalid_scope'],
    ['an unknown scope', { scope: 'nonsense' }, 'invalid_scope'],
    ['a custom scheme', { redirect_uri: 'discord-100:/authorize/callback' }, 'unsupported_response_type'],
    ['the method plain', { code_challenge: 'x'.repeat(43), code_challenge_method: 'plain' }, 'invalid_request'],
  ])('is not possible with %s, which the fragment tells', async (_, changes, error) => {
    expect((await answered(changes)).get('error')).toBe(error);
  });

  it('is possible for role_connections.write with a code, by a client that keeps a secret', async () => {
    const url = service.authorizeUrl({ ...siteRequest, scope: 'role_connections.write' });
    expect(new URL(await service.decide(url)).searchParams.has('code')).toBe(true);
    expect(site.public_client).toBe(false);
  });
});
