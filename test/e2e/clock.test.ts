import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { closeCodes } from '../../src/model/gateway.ts';
import { limits } from '../../src/model/limits/limits.ts';
import { GatewayClient } from '../support/gateway/gateway-client.ts';
import { readReadyLine } from '../support/service/ready-line.ts';
import { callApi, starfall } from '../support/service/starfall.ts';
import { playerToken } from '../support/service/tokens.ts';

const hourMs = 3_600_000;

/** A process whose clock can be set as the machine's can: what it shows jumps, its timers go on. */
const settable = `
  const { now } = Date;
  let offsetMs = 0;
  Date.now = () => now() + offsetMs;
  process.on('message', byMs => process.send({ offsetMs: (offsetMs += byMs) }));
`;

it('a clock that is set ends what is over, and neither closes nor holds up anybody who is in time', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'rallypoint-clock-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [fixtures, preload] = [join(folder, 'fixtures.json'), join(folder, 'settable.mjs')];
  writeFileSync(fixtures, JSON.stringify(starfall));
  writeFileSync(preload, settable);
  const args = ['--import', preload, 'src/cli/main.ts', 'serve', '--port', '0', '--memory', '--fixtures', fixtures];
  const child = spawn(process.execPath, [...args, '--limits', 'off', '--log-level', 'error'], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let text = '';
  for await (const chunk of child.stdout ?? []) {
    text += chunk;
    if (text.includes('\n')) break;
  }
  const ready = readReadyLine(text);
  const set = async (byMs: number) => {
    const answered = once(child, 'message');
    child.send(byMs);
    await answered;
  };
  const token = `Bearer ${await playerToken(ready, starfall.users[0].id)}`;
  const create = async (idle_timeout_seconds: number) =>
    ((await callApi(ready, 'POST', '/lobbies', { idle_timeout_seconds })).body as { id: string }).id;
  const statusOf = async (id: string) => (await callApi(ready, 'GET', `/lobbies/${id}`)).status;
  const client = await GatewayClient.identified(ready.gateway, { token });

  await set(-hourMs);
  for (let n = 0; n < 50; n++) await client.beat();
  expect(await statusOf(await create(600))).toBe(200);

  const [idle, lasting] = [await create(600), await create(7_200)];
  await set(hourMs);
  await expect.poll(() => statusOf(idle), { timeout: 5_000 }).toBe(404);
  expect(await statusOf(lasting)).toBe(200);
  await client.beat();

  await set(limits.accessTokenLifeMs);
  expect((await client.closed).code).toBe(closeCodes.NOT_AUTHENTICATED.code);
}, 30_000);
