import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Service, startService } from '../../../src/service/index.ts';
import { control } from '../../support/service/control-client.ts';
import { botHeaders, starfall } from '../../support/service/starfall.ts';

let service: Service;
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
beforeAll(async () => {
  service = await startService({ fixtures: starfall, limits: 'off', clock: 'virtual' });
});
afterAll(async () => {
  agent.destroy();
  await service.close();
});

const sockets = new Set<Socket>();

/** Asks who the caller is, always over the same connection. */
async function status(authorization?: string): Promise<number | undefined> {
  const headers = authorization === undefined ? {} : { authorization };
  const asked = request(`${service.apiBase}/v10/applications/@me`, { agent, headers }).end();
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  sockets.add(answer.socket);
  await text(answer);
  expect(sockets.size).toBe(1);
  return answer.statusCode;
}

const bot = botHeaders.authorization;

it('each request of a connection is its own caller’s', async () => {
  for (let turn = 0; turn < 2; turn++) {
    expect(await status(bot)).toBe(200);
    expect(await status(bot.replace('Bot ', 'bOt   '))).toBe(200);
    expect(await status(`${bot}x`)).toBe(401);
    expect(await status(bot.replace('Bot ', 'Bearer '))).toBe(401);
    expect(await status()).toBe(401);
    expect(await status(`Bot ${'x'.repeat(4000)}`)).toBe(401);
  }
});

it('a token that is replaced while its connection is open is no longer accepted', async () => {
  expect(await status(bot)).toBe(200);
  expect(await status(bot)).toBe(200);
  const [application] = starfall.applications;
  const { bot_token } = await control(
    service,
    'POST /applications/{id}/rotate',
    { id: application.id },
    {
      credential: 'bot_token',
    },
  );
  expect(await status(bot)).toBe(401);
  expect(await status(`Bot ${bot_token}`)).toBe(200);
});
