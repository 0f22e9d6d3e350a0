import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { systemClock } from '../../../src/wire/clock/ports.ts';
import { stopFor } from '../../support/clock/stop-for.ts';

it('a task that is due after the process was stopped runs when everything that arrived meanwhile has been read', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const peers: Socket[] = [];
  const happened: string[] = [];
  for (let n = 0; n < 50; n++) {
    const accepted = once(server, 'connection');
    const peer = connect(port, '127.0.0.1');
    peers.push(peer);
    const [socket] = (await accepted) as [Socket];
    socket.on('data', () => happened.push('read'));
  }
  const done = new Promise<void>(resolve => {
    systemClock.schedule(50, () => {
      happened.push('judged');
      resolve();
    });
  });
  let cancelled = true;
  const cancel = systemClock.schedule(50, () => {
    cancelled = false;
  });
  for (const peer of peers) peer.write('heartbeat');
  stopFor(700);
  setImmediate(cancel); // cancelled while it waits for its turn
  await done;
  expect(happened).toEqual([...peers.map(() => 'read'), 'judged']);
  await new Promise(resolve => setTimeout(resolve, 20));
  expect(cancelled).toBe(true);
  for (const peer of peers) peer.destroy();
  server.close();
});

it('a task at an instant runs within a second after the clock was set past it, and never before', async () => {
  const { now } = Date;
  let offsetMs = 0;
  Date.now = () => now() + offsetMs;
  try {
    const ran: string[] = [];
    const due = new Promise<void>(resolve => {
      systemClock.scheduleAt?.(Date.now() + 3_600_000, () => {
        ran.push('kept');
        resolve();
      });
    });
    const cancelled = systemClock.scheduleAt?.(Date.now() + 3_600_000, () => void ran.push('cancelled'));
    await new Promise(resolve => setTimeout(resolve, 50));
    expect(ran).toEqual([]);
    cancelled?.();
    offsetMs = 3_600_000;
    const setMs = performance.now();
    await due;
    expect(performance.now() - setMs).toBeLessThan(5_000);
    expect(ran).toEqual(['kept']);
  } finally {
    Date.now = now;
  }
});
