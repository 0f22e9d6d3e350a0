import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Command } from '../../../../src/model/command.ts';
import type { Interaction } from '../../../../src/model/interaction.ts';
import { limits } from '../../../../src/model/limits/limits.ts';
import { createInteractionDelivery } from '../../../../src/service/features/interactions/delivery.ts';
import { type Service, startService } from '../../../../src/service/index.ts';
import { PendingWork } from '../../../../src/service/support/pending-work.ts';
import { serviceLimits } from '../../../../src/service/support/service-limits.ts';
import { createKeyPair } from '../../../../src/service/testing/fixtures/secrets.ts';
import { verifyMessage } from '../../../../src/wire/signature.ts';
import { useCommand } from '../../../support/commands/use-command.ts';
import { GatewayClient } from '../../../support/gateway/gateway-client.ts';
import {
  answerJson,
  type LoopbackServer,
  type SeenRequest,
  startLoopbackServer,
} from '../../../support/http/loopback-server.ts';
import { callApi, starfall } from '../../../support/service/starfall.ts';
import { sessionToken } from '../../../support/service/tokens.ts';
import { seededEntropy } from '../../control/support.ts';
import { makeWorld } from '../support.ts';

const [application] = starfall.applications;
const [ada] = starfall.users;
const hello = { type: 4, data: { content: 'Hello' } };

let game: LoopbackServer;
let service: Service;
let player: GatewayClient;
let command: Command;
/** How the game's server answers. */
let answer: (response: ServerResponse, request: SeenRequest) => void | Promise<void>;

beforeAll(async () => {
  service = await startService({ fixtures: starfall, limits: 'off', clock: 'virtual' });
});
afterAll(() => service.close());
beforeEach(async () => {
  answer = response => answerJson(response, 200, hello);
  game = await startLoopbackServer((request, response) => void answer(response, request));
  await service.reset();
  await pointTo(`${game.baseUrl}/interactions`);
  const body = { name: 'rally', description: 'Calls your party together' };
  command = (await callApi(service, 'POST', `/applications/${application.id}/commands`, body)).body as Command;
  player = await GatewayClient.identified(service.gateway, { token: await sessionToken(service, ada.id) });
});
afterEach(async () => {
  await player.end();
  await game.close();
});

/** What `POST /control/fixtures` does with an address: it is taken as it is. */
async function pointTo(interactions_endpoint_url: string | null): Promise<void> {
  await fetch(`${service.controlBase}/fixtures`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.controlToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ applications: [{ id: application.id, interactions_endpoint_url }] }),
  });
}

const use = () => useCommand(service, command, ada.id);
const received = (index = 0) => JSON.parse(game.seen[index]?.body ?? '{}') as Interaction;
const callback = (body: unknown = hello, { id, token } = received()) =>
  callApi(service, 'POST', `/interactions/${id}/${token}/callback`, body, { 'content-type': 'application/json' });
const namesHeard = () => player.frames.map(({ t }) => t).filter(name => name?.startsWith('INTERACTION_'));

/** Waits for what the player's client hears of the interaction; only what time makes due needs the clock. */
const outcome = async () => {
  await player.until(() => namesHeard().length > 0);
  return namesHeard()[0];
};
const log = async () => {
  const headers = { authorization: `Bearer ${service.controlToken}` };
  return (await fetch(`${service.controlBase}/log?after=0`, { headers })).text();
};
/** What the journal says of the last one. */
const delivery = async () => {
  const { entries } = JSON.parse(await log()) as { entries: { kind: string }[] };
  return entries.findLast(({ kind }) => kind === 'delivery');
};

describe('an interaction of an application that has an address', () => {
  it('is posted there, signed with the key that the application shows', async () => {
    await use();
    expect(await outcome()).toBe('INTERACTION_SUCCESS');
    const [request] = game.seen;
    expect(request).toMatchObject({ method: 'POST', url: '/interactions' });
    expect(request?.headers).toMatchObject({ 'content-type': 'application/json' });
    const { body: shown } = await callApi(service, 'GET', '/applications/@me');
    const { 'x-signature-ed25519': signature, 'x-signature-timestamp': timestamp } = request?.headers ?? {};
    expect(timestamp).toBe(String(Math.floor(service.clock.now() / 1000)));
    const { verify_key } = shown as { verify_key: string };
    expect(verifyMessage(verify_key, String(signature), String(timestamp), request?.body ?? '')).toBe(true);
    expect(received()).toMatchObject({ type: 2, application_id: application.id, data: { id: command.id }, version: 1 });
  });

  it('does not go over the gateway as well; without the address it goes there alone', async () => {
    const bot = await GatewayClient.identified(service.gateway, { token: application.bot_token });
    await use();
    await outcome();
    await pointTo(null);
    await use();
    await bot.dispatch('INTERACTION_CREATE');
    expect(bot.frames.filter(({ t }) => t === 'INTERACTION_CREATE')).toHaveLength(1);
    expect(game.seen).toHaveLength(1);
    await bot.end();
  });

  it('is answered by 200 with a callback, and by none after it', async () => {
    await use();
    expect(await outcome()).toBe('INTERACTION_SUCCESS');
    const message = await player.dispatch('MESSAGE_CREATE');
    expect(message).toMatchObject({ content: 'Hello' });
    expect(await callback()).toMatchObject({ status: 400, body: { code: 40060 } });
    expect(await delivery()).toMatchObject({ event: 'INTERACTION_CREATE', outcome: 'answered', status: 200 });
    const original = `/webhooks/${application.id}/${received().token}/messages/@original`;
    expect((await callApi(service, 'GET', original)).body).toMatchObject({ content: 'Hello' });
  });

  it('is answered by the callback endpoint after 202', async () => {
    answer = response => void response.writeHead(202).end();
    await use();
    await service.clock.advance(0);
    expect(await delivery()).toMatchObject({ outcome: 'accepted', status: 202 });
    expect((await callback()).status).toBe(204);
    expect(await outcome()).toBe('INTERACTION_SUCCESS');
  });

  it('is answered by the callback endpoint while its request is still under way', async () => {
    let finish = () => {};
    answer = response => {
      finish = () => answerJson(response, 200, hello);
    };
    await use();
    await service.clock.advance(0);
    expect((await callback()).status).toBe(204);
    finish();
    await service.clock.advance(0);
    expect(namesHeard()).toEqual(['INTERACTION_SUCCESS']);
    expect(await delivery()).toMatchObject({ outcome: 'refused', error: 'already_acknowledged' });
  });

  it('fails, after 202, when nothing more comes within 3 s', async () => {
    answer = response => void response.writeHead(202).end();
    await use();
    await service.clock.advance(limits.interactionAnswerMs - 1);
    expect(namesHeard()).toEqual([]);
    await service.clock.advance(1);
    expect(await outcome()).toBe('INTERACTION_FAILURE');
    expect(await callback()).toMatchObject({ status: 404, body: { code: 10062 } });
  });

  it('may be answered until just before 3 s have passed', async () => {
    let finish = () => {};
    answer = response => {
      finish = () => answerJson(response, 200, hello);
    };
    await use();
    await service.clock.advance(limits.interactionAnswerMs - 1);
    finish();
    expect(await outcome()).toBe('INTERACTION_SUCCESS');
  });

  it('fails when the server says nothing for 3 s', async () => {
    answer = () => {};
    await use();
    await service.clock.advance(limits.interactionAnswerMs - 1);
    expect(namesHeard()).toEqual([]);
    await service.clock.advance(1);
    expect(await outcome()).toBe('INTERACTION_FAILURE');
    expect(await delivery()).toMatchObject({ outcome: 'no answer', status: null });
  });

  it('fails when the answer begins in time and does not end', async () => {
    answer = response => void response.writeHead(200, { 'content-type': 'application/json' }).write('{"type":4,');
    await use();
    await service.clock.advance(limits.interactionAnswerMs);
    expect(await outcome()).toBe('INTERACTION_FAILURE');
  });

  it.each<[string, (response: ServerResponse) => void, object]>([
    ['401', response => void response.writeHead(401).end(), { status: 401 }],
    ['204', response => void response.writeHead(204).end(), { status: 204 }],
    ['500', response => answerJson(response, 500, hello), { status: 500 }],
    ['a redirect', response => void response.writeHead(302, { location: '/elsewhere' }).end(), { status: 302 }],
    ['no JSON', response => answerText(response, 'application/json', 'Hello'), { error: 'invalid_form_body' }],
    ['JSON by another name', response => answerText(response, 'text/plain', '{"type":4}'), {}],
    ['nothing', response => answerText(response, 'application/json', ''), {}],
    ['a PONG', response => answerJson(response, 200, { type: 1 }), { issues: ['type: BASE_TYPE_CHOICES'] }],
    ['an empty message', response => answerJson(response, 200, { type: 4, data: {} }), { error: 'empty_message' }],
    [
      'a message too long',
      response => answerJson(response, 200, tooLong),
      { issues: ['data.content: BASE_TYPE_MAX_LENGTH'] },
    ],
    ['suggestions', response => answerJson(response, 200, { type: 8, data: { choices: [] } }), {}],
    ['a broken line', response => void response.destroy(), { outcome: 'no answer', status: null }],
  ])('fails at once when the answer is %s', async (_, answering, entry) => {
    answer = answering;
    await use();
    expect(await outcome()).toBe('INTERACTION_FAILURE');
    expect(await delivery()).toMatchObject({ outcome: 'refused', ...entry });
    expect(await callback()).toMatchObject({ status: 404, body: { code: 10062 } });
  });

  it('fails immediately when the application has no session and no endpoint', async () => {
    await game.close();
    await use();
    expect(await outcome()).toBe('INTERACTION_FAILURE');
  });

  it.each([
    [serviceLimits.interactionReplyBytesMax, 'INTERACTION_SUCCESS'],
    [serviceLimits.interactionReplyBytesMax + 1, 'INTERACTION_FAILURE'],
  ])('takes an answer of %i bytes with %s', async (bytes, heard) => {
    const text = JSON.stringify(hello);
    answer = response => answerText(response, 'application/json; charset=utf-8', text.padEnd(bytes));
    await use();
    expect(await outcome()).toBe(heard);
  });

  it('is not held up by one before it', async () => {
    answer = (response, { body }) => {
      if (game.seen[0]?.body !== body) answerJson(response, 200, hello);
    };
    await use();
    await use();
    expect(await outcome()).toBe('INTERACTION_SUCCESS');
  });

  it('is suggested values for, when an option is typed', async () => {
    const options = [{ type: 3, name: 'map', description: 'Where', autocomplete: true }];
    const body = { name: 'meet', description: 'Meet', options };
    const made = await callApi(service, 'POST', `/applications/${application.id}/commands`, body);
    answer = response => answerJson(response, 200, { type: 8, data: { choices: [{ name: 'Quay', value: 'quay' }] } });
    const typed = [{ type: 3, name: 'map', value: 'q', focused: true }] as const;
    await useCommand(service, made.body as Command, ada.id, { type: 4, options: typed });
    expect(await player.dispatch('APPLICATION_COMMAND_AUTOCOMPLETE_RESPONSE')).toMatchObject({
      choices: [{ name: 'Quay', value: 'quay' }],
    });
    expect(received()).toMatchObject({ type: 4, data: { version: (made.body as Command).version } });
  });

  it('is broken off when the state is replaced', async () => {
    const arrived = new Promise<ServerResponse>(resolve => {
      answer = response => resolve(response);
    });
    await use();
    const response = await arrived;
    const broken = once(response, 'close');
    await service.reset();
    await broken;
    expect(response.writableEnded).toBe(false);
  });

  it('leaves no token in the journal', async () => {
    await use();
    await outcome();
    expect(await log()).not.toContain(received().token);
  });
});

describe('a server that does not answer', () => {
  it('has 1,000 interactions of its application before it at a time; more fail immediately, and those of other applications do not', async () => {
    const answers: ((response: Response) => void)[] = [];
    const { core, starfall: quiet } = await makeWorld({
      fetch: () => new Promise<Response>(resolve => answers.push(resolve)),
    });
    const failed: string[] = [];
    const delivery = createInteractionDelivery(core, {
      answer: async () => {},
      fail: async id => void failed.push(id),
      pendingWork: new PendingWork(),
    });
    const post = (id: string, of = '1') => {
      const application = { ...quiet, ...createKeyPair(seededEntropy(of)), id: of };
      const interaction = { id, token: 't' } as Interaction;
      const answerByMs = core.clock.now() + limits.interactionAnswerMs;
      delivery.post({ url: 'http://game.example/', application, interaction, answerByMs });
    };
    for (let n = 1; n <= serviceLimits.interactionsUnderWayMax; n++) post(String(n));
    expect([answers.length, failed]).toEqual([serviceLimits.interactionsUnderWayMax, []]);
    post('one-more');
    post('another', '2');
    await core.clock.advance(0);
    expect([answers.length, failed]).toEqual([serviceLimits.interactionsUnderWayMax + 1, ['one-more']]);
    answers[0]?.(new Response(null, { status: 202 }));
    await core.clock.advance(0);
    post('room-again');
    await core.clock.advance(0);
    expect([answers.length, failed]).toEqual([serviceLimits.interactionsUnderWayMax + 2, ['one-more']]);
    delivery.drop();
  });
});

const tooLong = { type: 4, data: { content: 'a'.repeat(limits.messageContentLengthMax + 1) } };

function answerText(response: ServerResponse, contentType: string, text: string): void {
  response.writeHead(200, { 'content-type': contentType }).end(text);
}
