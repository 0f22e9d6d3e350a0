import { request as ask, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AuthorizationArgs, Client } from '../../src/sdk/index.ts';
import { type Service, startService } from '../../src/service/index.ts';

/** A proxy that hands everything on, and what it is reached by. */
async function openProxy() {
  let target = '';
  const proxy = createServer((request, response) => {
    const { method, headers, url = '' } = request;
    const onward = ask(target + url, { method, headers }, answer => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    request.pipe(onward);
  });
  await new Promise<void>(resolve => proxy.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    handOnTo(origin: string) {
      target = origin;
    },
    close() {
      proxy.closeAllConnections();
      proxy.close();
    },
  };
}

describe('a service behind a proxy, with a public URL', () => {
  let proxy: Awaited<ReturnType<typeof openProxy>>;
  let service: Service;

  beforeAll(async () => {
    proxy = await openProxy();
    service = await startService({
      publicUrl: proxy.origin,
      limits: 'off',
      fixtures: {
        applications: [{ id: '1', public_client: true, redirect_uris: ['http://127.0.0.1/callback'] }],
        users: [{ id: '9', username: 'ada' }],
      },
    });
    proxy.handOnTo(service.controlBase.replace('/control', ''));
  });
  afterAll(async () => {
    await service.close();
    proxy.close();
  });

  it('names it everywhere, but for control', async () => {
    expect(service).toMatchObject({
      apiBase: `${proxy.origin}/api`,
      webBase: proxy.origin,
      gateway: `${proxy.origin.replace('http', 'ws')}/gateway`,
    });
    expect(service.controlBase).not.toContain(proxy.origin);
    const discovery = await (await fetch(`${proxy.origin}/.well-known/openid-configuration`)).json();
    expect(discovery).toMatchObject({ issuer: proxy.origin, token_endpoint: `${proxy.origin}/api/oauth2/token` });
  });

  it('signs a player in through it', async () => {
    const client = new Client({
      ...{ applicationId: '1', baseUrl: service.webBase },
      async openBrowser(url) {
        const answer = await fetch(`${service.controlBase}/consent`, {
          method: 'POST',
          headers: { authorization: `Bearer ${service.controlToken}`, 'content-type': 'application/json' },
          body: JSON.stringify({ authorize_url: url, user_id: '9', decision: 'approve' }),
        });
        const { redirect_to } = (await answer.json()) as { redirect_to: string };
        await fetch(redirect_to);
      },
    });
    const { challenge, verifier } = client.createAuthorizationCodeVerifier();
    const args = new AuthorizationArgs().setScopes('openid identify').setCodeChallenge(challenge);
    const tokens = await client.getToken({ ...(await client.authorize(args)), verifier });
    expect(tokens.idToken?.split('.')).toHaveLength(3);
    await client.close();
  });

  it('rejects what is more than an origin', async () => {
    await expect(startService({ publicUrl: 'https://me:hunter2@play.example' })).rejects.toThrow(/^(?!.*hunter2)/);
    await expect(startService({ publicUrl: 'https://play.example/here' })).rejects.toMatchObject({
      code: 'invalid_public_url',
    });
  });
});
