import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { game, openService, secret, site, siteRequest, type TestService } from '../support.ts';

let service: TestService;
beforeAll(async () => {
  service = await openService();
});
afterAll(() => service.close());

async function read(name: string): Promise<Readonly<Record<string, unknown>>> {
  return (await fetch(`${service.web}/.well-known/${name}`)).json();
}

describe.each(['openid-configuration', 'oauth-authorization-server'])('%s', name => {
  it('lists only scopes that somebody can get', async () => {
    const { scopes_supported } = await read(name);
    const itself = { grant_type: 'client_credentials', client_id: site.id, client_secret: secret };
    for (const scope of scopes_supported as readonly string[]) {
      const bot = scope === 'bot' && { client_id: game.id, redirect_uri: 'https://game.example/callback' };
      const end = new URL(await service.decide(service.authorizeUrl({ ...siteRequest, ...bot, scope })));
      const isGranted = end.searchParams.has('code') || (await service.token({ ...itself, scope })).status === 200;
      expect([scope, isGranted]).toEqual([scope, true]);
    }
  });
});

describe('openid-configuration', () => {
  it('says that requests are not read from another address, which its reader would assume otherwise', async () => {
    expect(await read('openid-configuration')).toMatchObject({ request_uri_parameter_supported: false });
  });
});
