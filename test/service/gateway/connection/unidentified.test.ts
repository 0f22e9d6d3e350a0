import { createServer } from 'node:http';
import { duplexPair } from 'node:stream';
import { expect, it } from 'vitest';
import { createCredentials } from '../../../../src/service/auth/credentials.ts';
import { createLobbies } from '../../../../src/service/features/lobbies/lobbies.ts';
import { createGateway } from '../../../../src/service/gateway/gateway.ts';
import { PendingWork } from '../../../../src/service/support/pending-work.ts';
import { runtimeLimits } from '../../../../src/service/support/service-limits.ts';
import { makeWorld } from '../../features/support.ts';

// The connections are streams in this process: so many sockets would need more files than a process may have open elsewhere.
it('at most 5,000 connections are open that have not identified; the oldest is closed', async () => {
  const { core } = await makeWorld();
  const gateway = createGateway(core, {
    credentials: createCredentials(core),
    lobbies: createLobbies(core),
    pendingWork: new PendingWork(),
  });
  const server = createServer();
  gateway.attach(server);
  const ended: number[] = [];
  const key = { 'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==', 'sec-websocket-version': '13' };
  const open = (number: number) => {
    const [ours, theirs] = duplexPair();
    ours.on('data', (bytes: Buffer) => {
      if (bytes.includes('Too many connections have not identified.')) ended.push(number);
    });
    const headers = { host: 'localhost', upgrade: 'websocket', connection: 'upgrade', ...key };
    const request = { method: 'GET', url: '/gateway', headers, rawHeaders: [], on() {} };
    server.emit('upgrade', request, theirs, Buffer.alloc(0));
  };
  const { gatewayUnidentifiedMax: max } = runtimeLimits;
  const settle = async () => {
    for (let turn = 0; turn < 20; turn++) await new Promise(resolve => setImmediate(resolve));
  };
  open(0);
  await expect.poll(() => gateway.connectionCount).toBe(1);
  for (let number = 1; number < max; number++) open(number);
  await expect.poll(() => gateway.connectionCount).toBe(max);
  await settle();
  expect(ended).toEqual([]);
  open(max);
  open(max + 1);
  await expect.poll(() => ended.length).toBe(2);
  expect(ended).toEqual([0, 1]);
  expect(gateway.connectionCount).toBe(max);
}, 30_000);
