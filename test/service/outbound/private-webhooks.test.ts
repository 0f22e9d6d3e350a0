import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Command } from '../../../src/model/command.ts';
import { apiErrors } from '../../../src/model/errors/errors.ts';
import { type Service, type ServiceOptions, startService } from '../../../src/service/index.ts';
import { verifyMessage } from '../../../src/wire/signature.ts';
import { useCommand } from '../../support/commands/use-command.ts';
import { GatewayClient } from '../../support/gateway/gateway-client.ts';
import { answerJson, type LoopbackServer, startLoopbackServer } from '../../support/http/loopback-server.ts';
import { callApi, starfall } from '../../support/service/starfall.ts';
import { playerToken, sessionToken } from '../../support/service/tokens.ts';

const [application] = starfall.applications;
const [ada] = starfall.users;

let inside: LoopbackServer;
let verifyKey = '';
let running: Service | undefined;

beforeAll(async () => {
  inside = await startLoopbackServer(({ url, headers, body }, response) => {
    const { 'x-signature-ed25519': signature, 'x-signature-timestamp': timestamp } = headers;
    const isGenuine = verifyMessage(verifyKey, String(signature), String(timestamp), body);
    if (url === '/lobby') response.writeHead(204).end();
    else if (isGenuine) answerJson(response, 200, { type: JSON.parse(body).type === 1 ? 1 : 5 });
    else response.writeHead(401).end();
  });
});
afterEach(async () => {
  await running?.close();
  inside.seen.length = 0;
});
afterAll(() => inside.close());

/** A service with its addresses as they are on this machine. */
async function start(options: ServiceOptions): Promise<Service> {
  running = await startService({ clock: 'virtual', limits: 'off', fixtures: starfall, ...options });
  const webBase = running.controlBase.replace('/control', '');
  const local = { webBase, apiBase: `${webBase}/api`, gateway: `${webBase.replace('http', 'ws')}/gateway` };
  const service = { ...running, ...local };
  verifyKey = ((await callApi(service, 'GET', '/applications/@me')).body as { verify_key: string }).verify_key;
  return service;
}

async function sayInLobby(service: Service): Promise<void> {
  const body = { members: [{ id: ada.id }], override_event_webhooks_url: `${inside.baseUrl}/lobby` };
  const { id } = (await callApi(service, 'POST', '/lobbies', body)).body as { id: string };
  const authorization = `Bearer ${await playerToken(service, ada.id)}`;
  const headers = { authorization, 'content-type': 'application/json' };
  const { status } = await callApi(service, 'POST', `/lobbies/${id}/messages`, { content: 'Anchors aweigh' }, headers);
  expect(status).toBe(201);
}

/** Fixtures whose game has an identity provider on this machine. */
function trusting(keysPath: string | undefined): Pick<ServiceOptions, 'fixtures'> {
  const [own, ...rest] = starfall.applications;
  const jwks_uri = keysPath === undefined ? null : inside.baseUrl + keysPath;
  const provider = { type: 'OIDC', issuer: inside.baseUrl, audience: 'game', jwks_uri } as const;
  return { fixtures: { ...starfall, applications: [{ ...own, identity_providers: [provider] }, ...rest] } };
}

/** Comes with an ID token that is in order but for its signature. */
function signInElsewhere(service: Service) {
  const iat = Math.floor(service.clock.now() / 1000);
  const claims = { iss: inside.baseUrl, aud: 'game', sub: 'ada', iat, exp: iat + 60 };
  const encoded = [{ alg: 'RS256', kid: 'key' }, claims].map(part =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  );
  const body = {
    client_id: application.id,
    external_auth_type: 'OIDC',
    external_auth_token: [...encoded, 'AA'].join('.'),
  };
  const headers = { 'content-type': 'application/json' };
  return callApi(service, 'POST', '/partner-sdk/token', body, headers);
}

const pointTo = (service: Service, interactions_endpoint_url: string) =>
  callApi(service, 'PATCH', '/applications/@me', { interactions_endpoint_url });

/** What the log says of the first delivery, once it was made. */
function delivery({ controlBase, controlToken }: Service) {
  const headers = { authorization: `Bearer ${controlToken}` };
  return expect.poll(async () => {
    const { entries } = await (await fetch(`${controlBase}/log?after=0`, { headers })).json();
    return entries.find(({ kind }: { kind: string }) => kind === 'delivery');
  });
}

describe('a service that others reach', () => {
  const others: ServiceOptions = { publicUrl: 'https://play.example' };

  it('sends no webhook event to its own machine, and tries no second time', async () => {
    const service = await start(others);
    await sayInLobby(service);
    await delivery(service).toMatchObject({ outcome: 'refused', attempt: 1, status: null });
    expect(inside.seen).toEqual([]);
  });

  it.each(['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]'])('takes no address at %s for interactions', async host => {
    const service = await start(others);
    const url = inside.baseUrl.replace('127.0.0.1', host);
    const leaf = { _errors: [{ code: 'URL_ADDRESS_PRIVATE', message: 'Must not lead to a private address.' }] };
    const body = { code: 50035, errors: { interactions_endpoint_url: leaf } };
    expect(await pointTo(service, url)).toMatchObject({ status: 400, body });
    expect(inside.seen).toEqual([]);
  });

  it('fails interactions whose address leads inside', async () => {
    const [own, ...rest] = starfall.applications;
    const applications = [{ ...own, interactions_endpoint_url: `${inside.baseUrl}/play` }, ...rest];
    const service = await start({ ...others, fixtures: { ...starfall, applications } });
    const made = await callApi(service, 'POST', `/applications/${application.id}/commands`, {
      name: 'rally',
      description: 'Calls',
    });
    const player = await GatewayClient.identified(service.gateway, { token: await sessionToken(service, ada.id) });
    await useCommand(service, made.body as Command, ada.id);
    await player.dispatch('INTERACTION_FAILURE');
    await delivery(service).toMatchObject({ outcome: 'refused', error: 'private_address', status: null });
    expect(inside.seen).toEqual([]);
    await player.end();
  });

  it.each([
    ['describes itself inside', undefined],
    ['has its keys inside', '/keys'],
  ])('asks no identity provider that %s', async (_, path) => {
    const service = await start({ ...others, ...trusting(path) });
    const reason = path === undefined ? 'identity_provider_not_found' : 'identity_keys_not_found';
    expect(await signInElsewhere(service)).toMatchObject({ body: { code: apiErrors[reason].code } });
    expect(inside.seen).toEqual([]);
  });

  it('does all that where it is allowed by name', async () => {
    const service = await start({ ...others, allowPrivateWebhooks: true });
    await sayInLobby(service);
    await delivery(service).toMatchObject({ outcome: 'acknowledged' });
    expect((await pointTo(service, inside.baseUrl)).status).toBe(200);
  });

  it('asks identity providers inside where it is allowed by name', async () => {
    const service = await start({ ...others, ...trusting('/keys'), allowPrivateWebhooks: true });
    await signInElsewhere(service);
    expect(inside.seen).toMatchObject([{ method: 'GET', url: '/keys' }]);
  });
});

describe('a service on one’s own machine', () => {
  it('sends them where the option allows it', async () => {
    const service = await start({});
    await sayInLobby(service);
    await delivery(service).toMatchObject({ outcome: 'acknowledged' });
    expect((await pointTo(service, inside.baseUrl)).status).toBe(200);
  });
});
