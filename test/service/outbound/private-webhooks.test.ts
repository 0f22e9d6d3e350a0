import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Command } from '../../../src/model/command.ts';
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
  const web_base = running.control_base.replace('/control', '');
  const local = { web_base, api_base: `${web_base}/api`, gateway: `${web_base.replace('http', 'ws')}/gateway` };
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

const pointTo = (service: Service, interactions_endpoint_url: string) =>
  callApi(service, 'PATCH', '/applications/@me', { interactions_endpoint_url });

/** What the log says of the first delivery, once it was made. */
function delivery({ control_base, control_token }: Service) {
  const headers = { authorization: `Bearer ${control_token}` };
  return expect.poll(async () => {
    const { entries } = await (await fetch(`${control_base}/log?after=0`, { headers })).json();
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

  it('does all that where it is allowed by name', async () => {
    const service = await start({ ...others, allowPrivateWebhooks: true });
    await sayInLobby(service);
    await delivery(service).toMatchObject({ outcome: 'acknowledged' });
    expect((await pointTo(service, inside.baseUrl)).status).toBe(200);
  });
});

describe('a service on one’s own machine', () => {
  it('sends them where it is told to', async () => {
    const service = await start({});
    await sayInLobby(service);
    await delivery(service).toMatchObject({ outcome: 'acknowledged' });
    expect((await pointTo(service, inside.baseUrl)).status).toBe(200);
  });
});
