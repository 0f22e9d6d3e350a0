import { createServer } from 'node:http';
import { gzipSync } from 'node:zlib';
import { expect, it, onTestFinished } from 'vitest';
import { lazyEvent, topics } from '../../../src/service/events/announcement.ts';
import type { CommandRecord } from '../../../src/service/store/records.ts';
import { consoleLimits } from '../../../src/service/support/service-limits.ts';
import { Activity } from '../../../src/service/telemetry/activity.ts';
import { CommandVersions } from '../../../src/service/telemetry/command-versions.ts';
import { systemClock, systemEntropy, systemFetch } from '../../../src/wire/clock/ports.ts';

function recording(): Activity {
  const activity = new Activity(systemClock, systemEntropy);
  activity.record({ isRead: true });
  return activity;
}

it('counts frames and events that nobody received towards the bound on bytes', () => {
  const frames = recording();
  const length = 3900;
  for (let n = 0; n < consoleLimits.trafficEntriesMax; n++) {
    frames.connection(n, undefined, { kind: 'received' }, { op: 2, d: 'x'.repeat(length) });
  }
  expect(frames.size * length).toBeLessThan(consoleLimits.trafficBytesMax);
  const events = recording();
  for (let n = 0; n < consoleLimits.trafficEntriesMax; n++) {
    const event = lazyEvent('RESUMED', () => 'x'.repeat(length) as unknown as Record<string, never>);
    events.announced({ to: topics.nodes, event, scope: 'lobby/1' }, 0);
  }
  expect(events.size * length).toBeLessThan(consoleLimits.trafficBytesMax);
});

it('keeps no frame and no event that is larger than a body may be', () => {
  const activity = recording();
  const text = 'x'.repeat(consoleLimits.trafficBodyBytesMax);
  activity.connection(1, undefined, { kind: 'received' }, { op: 2, d: text });
  const event = lazyEvent('RESUMED', () => text as unknown as Record<string, never>);
  activity.announced({ to: topics.nodes, event, scope: 'lobby/1' }, 1);
  expect([activity.at(1)?.details.data, activity.at(2)?.details]).toEqual([undefined, { isCut: true }]);
});

it('reads no more of another server’s answer than it keeps, and not for long', async () => {
  let open = 0;
  const bomb = gzipSync(Buffer.alloc(4_000_000, 'x'));
  const server = createServer((request, response) => {
    const head = { 'content-type': 'text/plain' };
    if (request.url === '/small') response.writeHead(200, { ...head, 'content-length': 2 }).end('ok');
    else if (request.url === '/bomb') {
      response.writeHead(200, { ...head, 'content-encoding': 'gzip', 'content-length': bomb.length }).end(bomb);
    } else response.writeHead(200, { ...head, 'content-length': 100 }).write('x');
  });
  server.on('connection', socket => {
    open++;
    socket.on('close', () => open--);
  });
  onTestFinished(() => void server.close());
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const activity = recording();
  const fetch = activity.fetch(systemFetch);
  const get = async (path: string) => {
    const init = { method: 'GET', headers: {}, signal: new AbortController().signal, redirect: 'manual' } as const;
    const response = await fetch(`http://127.0.0.1:${port}/${path}`, init);
    await response.body?.cancel();
  };
  for (const path of ['small', 'bomb', 'slow']) await get(path);
  await expect.poll(() => activity.at(1)?.details.answer).toBe('ok');
  // The connection of the slow answer, and of the one that was not read to its end.
  await expect.poll(() => open, { timeout: 8000 }).toBeLessThan(2);
  expect([activity.at(2)?.details.answer, activity.at(3)?.details.answer]).toEqual([undefined, 'x']);
}, 10_000);

it('bounds the bytes of the versions of commands', () => {
  const versions = new CommandVersions();
  const size = 1024 * 1024;
  const command = { description: 'x'.repeat(size) } as CommandRecord;
  const kept = () => ['a', 'b', 'c'].flatMap(id => versions.of(id)).length;
  for (let n = 0; n < 30; n++) versions.add(['a', 'b', 'c'][n % 3] ?? '', command, n, null);
  expect(kept() * size).toBeLessThanOrEqual(consoleLimits.commandVersionsBytesMax);
  for (let n = 0; n < 30; n++) versions.add('a', command, n, null);
  expect(kept() * size).toBeLessThanOrEqual(consoleLimits.commandVersionsBytesMax);
  expect(versions.of('a')[0]?.atMs).toBe(29);
});
