import type { ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { limits } from '../../../../src/model/limits/limits.ts';
import { type Service, startService } from '../../../../src/service/index.ts';
import { verifyMessage } from '../../../../src/wire/signature.ts';
import {
  answerJson,
  type LoopbackServer,
  type SeenRequest,
  startLoopbackServer,
} from '../../../support/http/loopback-server.ts';
import { botHeaders, callApi, starfall } from '../../../support/service/starfall.ts';
import { playerToken } from '../../../support/service/tokens.ts';

const [application] = starfall.applications;
const [ada] = starfall.users;

let service: Service;
let game: LoopbackServer;
/** How the game's server answers. */
let answer: (request: SeenRequest, response: ServerResponse) => void;
let verifyKey: string;

beforeAll(async () => {
  service = await startService({ fixtures: starfall, limits: 'off', clock: 'virtual' });
  game = await startLoopbackServer((request, response) => answer(request, response));
});
beforeEach(async () => {
  answer = (request, response) => {
    if (isGenuine(request)) answerJson(response, 200, { type: 1 });
    else response.writeHead(401).end();
  };
  verifyKey = (await own()).verify_key as string;
});
afterEach(async () => {
  game.seen.length = 0;
  await service.reset();
});
afterAll(async () => {
  await service.close();
  await game.close();
});

const own = async () => (await callApi(service, 'GET', '/applications/@me')).body as Record<string, unknown>;
const edit = (body: unknown) => callApi(service, 'PATCH', '/applications/@me', body);
const pointTo = (interactions_endpoint_url: unknown) => edit({ interactions_endpoint_url });

function isGenuine({ headers, body }: SeenRequest): boolean {
  const { 'x-signature-ed25519': signature, 'x-signature-timestamp': timestamp } = headers;
  return verifyMessage(verifyKey, String(signature), String(timestamp), body);
}

function refusedAs(code: string) {
  const errors = { interactions_endpoint_url: { _errors: [expect.objectContaining({ code })] } };
  return { status: 400, body: { code: 50035, message: 'Invalid Form Body', errors } };
}
const notVerified = refusedAs('APPLICATION_INTERACTIONS_ENDPOINT_URL_INVALID');

describe('/applications/{application_id}', () => {
  it('is the own application by its id, and no other', async () => {
    const path = `/applications/${application.id}`;
    expect((await callApi(service, 'GET', path)).body).toEqual(await own());
    const edited = await callApi(service, 'PATCH', path, { description: 'Harbours' });
    expect(edited).toMatchObject({ status: 200, body: { description: 'Harbours' } });
    expect(await own()).toMatchObject({ description: 'Harbours' });
    for (const method of ['GET', 'PATCH']) {
      const body = method === 'PATCH' ? { description: 'Mine' } : undefined;
      const refused = await callApi(service, method, '/applications/1', body);
      expect(refused).toMatchObject({ status: 404, body: { code: 10002 } });
    }
  });
});

describe('GET /applications/@me', () => {
  it('shows a bot what /oauth2/applications/@me shows', async () => {
    expect(await own()).toEqual((await callApi(service, 'GET', '/oauth2/applications/@me')).body);
  });

  it('is for bots alone', async () => {
    const bearer = { authorization: `Bearer ${await playerToken(service, ada.id, 'identify')}` };
    expect(await callApi(service, 'GET', '/applications/@me', undefined, bearer)).toMatchObject({ status: 403 });
    expect(await callApi(service, 'PATCH', '/applications/@me', {}, { ...botHeaders, ...bearer })).toMatchObject({
      status: 403,
      body: { code: 20002 },
    });
  });
});

describe('PATCH /applications/@me', () => {
  it('sets the address once the server there has answered a PING and rejected a forged one', async () => {
    const url = `${game.baseUrl}/interactions`;
    expect(await pointTo(url)).toMatchObject({ status: 200, body: { interactions_endpoint_url: url } });
    expect((await own()).interactions_endpoint_url).toBe(url);
    expect(game.seen.map(isGenuine)).toEqual([true, false]);
    expect(JSON.parse(game.seen[0]?.body ?? '')).toEqual({
      id: expect.stringMatching(/^[0-9]+$/),
      application_id: application.id,
      type: 1,
      token: expect.any(String),
      version: 1,
      app_permissions: '0',
      entitlements: [],
      authorizing_integration_owners: {},
      attachment_size_limit: limits.attachmentBytesMax,
    });
  });

  it.each([null, ''])('takes the address away when it is %j', async nothing => {
    await pointTo(game.baseUrl);
    expect(await pointTo(nothing)).toMatchObject({ status: 200, body: { interactions_endpoint_url: null } });
    expect(game.seen).toHaveLength(2);
  });

  it('leaves what is left out, and passes over what it does not know', async () => {
    await pointTo(game.baseUrl);
    expect(await edit({ description: 'Harbours', name: 'Other', verify_key: 'x' })).toMatchObject({
      status: 200,
      body: { description: 'Harbours', interactions_endpoint_url: game.baseUrl, name: application.name },
    });
    expect(await own()).toMatchObject({ description: 'Harbours', verify_key: verifyKey });
    expect((await edit({})).status).toBe(200);
  });

  it.each<[string, (request: SeenRequest, response: ServerResponse) => void]>([
    ['answers a forged PING', (_, response) => answerJson(response, 200, { type: 1 })],
    ['refuses the true PING', (_, response) => void response.writeHead(401).end()],
    ['answers a PING with 202', (_, response) => void response.writeHead(202).end()],
    ['answers a PING with a message', (_, response) => answerJson(response, 200, { type: 4, data: { content: 'x' } })],
    ['names no media type', (_, response) => void response.writeHead(200).end('{"type":1}')],
    ['answers no JSON', (_, response) => void response.writeHead(200, json).end('PONG')],
    ['answers a forged PING with 400', (request, response) => forgedWith(400, request, response)],
    ['answers a forged PING with 403', (request, response) => forgedWith(403, request, response)],
    ['breaks off', (_, response) => void response.destroy()],
  ])('refuses the address of a server that %s', async (_, answering) => {
    answer = answering;
    expect(await pointTo(game.baseUrl)).toMatchObject(notVerified);
    expect((await own()).interactions_endpoint_url).toBeNull();
  });

  it('rejects the address of a server that says nothing for 3 s, and nothing else of the body happens', async () => {
    let seen = () => {};
    const arrived = new Promise<void>(resolve => {
      seen = resolve;
    });
    answer = () => seen();
    const refused = edit({ description: 'Harbours', interactions_endpoint_url: game.baseUrl });
    await arrived;
    await service.clock.advance(limits.interactionAnswerMs);
    expect(await refused).toMatchObject(notVerified);
    expect((await own()).description).toBe('');
  });

  it('rejects an address where no server answers', async () => {
    const gone = await startLoopbackServer(() => {});
    await gone.close();
    expect(await pointTo(gone.baseUrl)).toMatchObject(notVerified);
  });

  it('rejects what is no address, without asking anybody', async () => {
    const atMax = `${game.baseUrl}/`.padEnd(limits.interactionsEndpointUrlLengthMax, 'a');
    expect((await pointTo(atMax)).status).toBe(200);
    expect(await pointTo(`${atMax}a`)).toMatchObject(refusedAs('BASE_TYPE_MAX_LENGTH'));
    expect(await pointTo('here')).toMatchObject(refusedAs('URL_TYPE_INVALID_URL'));
    expect(await pointTo('ftp://game.example')).toMatchObject(refusedAs('URL_TYPE_INVALID_SCHEME'));
    expect(await pointTo(7)).toMatchObject(refusedAs('STRING_TYPE_CONVERT'));
    expect(game.seen).toHaveLength(2);
    const long = (length: number) => edit({ description: 'a'.repeat(length) });
    expect((await long(limits.applicationDescriptionLengthMax)).status).toBe(200);
    expect((await long(limits.applicationDescriptionLengthMax + 1)).status).toBe(400);
    expect(await edit([])).toMatchObject({ status: 400, body: { code: 50035 } });
  });
});

const json = { 'content-type': 'application/json' };

function forgedWith(status: number, request: SeenRequest, response: ServerResponse): void {
  if (isGenuine(request)) answerJson(response, 200, { type: 1 });
  else response.writeHead(status).end();
}
