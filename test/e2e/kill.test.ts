import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { intents } from '../../src/model/gateway.ts';
import { GatewayClient } from '../support/gateway/gateway-client.ts';
import { type RunningService, readReadyLine } from '../support/service/ready-line.ts';
import { callApi, starfall } from '../support/service/starfall.ts';
import { playerToken } from '../support/service/tokens.ts';

const folder = mkdtempSync(join(tmpdir(), 'rallypoint-kill-'));
const fixtures = join(folder, 'fixtures.json');
writeFileSync(fixtures, JSON.stringify(starfall));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const members = starfall.users.slice(0, 2).map(({ id }) => ({ id }));

it('keeps every acknowledged lobby when it is killed in the middle of 1,000 concurrent creates', async () => {
  const { exited, ready } = await serve();
  const acknowledged: string[] = [];
  let killed = false;
  const creates = Array.from({ length: 1000 }, async () => {
    const answer = await callApi(ready, 'POST', '/lobbies', { metadata: { map: 'harbour' }, members }).catch(
      () => undefined,
    );
    if (answer?.status !== 201) return;
    acknowledged.push((answer.body as { id: string }).id);
    if (acknowledged.length < 300 || killed) return;
    killed = true;
    process.kill(ready.pid, 'SIGKILL');
  });
  await Promise.all(creates);
  expect(await exited).toEqual([null, 'SIGKILL']);
  expect(acknowledged.length).toBeGreaterThanOrEqual(300);

  const again = await serve();
  for (const id of acknowledged) {
    expect(await callApi(again.ready, 'GET', `/lobbies/${id}`)).toMatchObject({
      status: 200,
      body: { id, metadata: { map: 'harbour' }, members: members.map(({ id: user }) => ({ id: user })) },
    });
  }
  process.kill(again.ready.pid, 'SIGTERM');
  expect(await again.exited).toEqual([0, null]);
}, 60_000);

it('continues a gateway session that it had when it was killed, with everything acknowledged since', async () => {
  const { exited, ready } = await serve();
  const [ada] = starfall.users;
  const token = `Bearer ${await playerToken(ready, ada.id)}`;
  const client = await GatewayClient.identified(ready.gateway, { token, intents: intents.LOBBIES });
  await client.beat();
  const { body } = await callApi(ready, 'POST', '/lobbies', { members: [{ id: ada.id }] });
  const { id } = body as { id: string };
  await client.until(() => client.frames.some(({ t, d }) => t === 'LOBBY_CREATE' && (d as { id: string }).id === id));
  client.socket.pause();
  const last = client.sequence;
  for (let n = 1; n <= 20; n++) await callApi(ready, 'PATCH', `/lobbies/${id}`, { metadata: { n: String(n) } });
  process.kill(ready.pid, 'SIGKILL');
  await exited;
  client.socket.terminate();

  const again = await serve();
  const back = await GatewayClient.open(again.ready.gateway);
  back.resume(token, client.sessionId, last);
  await back.dispatch('RESUMED');
  const updates = back.frames.filter(({ t }) => t === 'LOBBY_UPDATE');
  expect(updates.map(({ s, d }) => [s, (d as { metadata: { n: string } }).metadata.n])).toEqual(
    Array.from({ length: 20 }, (_, n) => [last + n + 1, String(n + 1)]),
  );
  back.socket.terminate();
  process.kill(again.ready.pid, 'SIGTERM');
  expect(await again.exited).toEqual([0, null]);
}, 60_000);

async function serve(): Promise<{ exited: Promise<unknown[]>; ready: RunningService }> {
  const args = ['src/cli/main.ts', 'serve', '--port', '0', '--data', join(folder, 'data'), '--fixtures', fixtures];
  const child = spawn(process.execPath, [...args, '--limits', 'off', '--log-level', 'warn'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  let text = '';
  for await (const chunk of child.stdout) {
    text += chunk;
    if (text.includes('\n')) break;
  }
  return { exited, ready: readReadyLine(text) };
}
