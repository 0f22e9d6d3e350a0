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

it('counts frames towards the bound on bytes', () => {
  const frames = recording();
  const length = 3900;
  for (let n = 0; n < consoleLimits.trafficEntriesMax; n++) {
    frames.connection(n, undefined, { kind: 'received' }, { op: 2, d: 'x'.repeat(length) });
  }
  expect(frames.kept.size * length).toBeLessThan(consoleLimits.trafficBytesMax);
});

it('forgets what an event that nobody received is made of, unless it is among the newest', () => {
  const activity = recording();
  const count = 1000;
  for (let n = 1; n <= count; n++) {
    const event = lazyEvent('RESUMED', () => String(n) as unknown as Record<string, never>);
    activity.announced({ to: topics.nodes, event, scope: 'lobby/1' }, 0);
  }
  const known = Array.from({ length: count }, (_, n) => activity.kept.at(n + 1)?.details.event?.data).filter(
    data => data,
  );
  expect(known.length).toBeLessThan(count / 2);
  expect(known.at(-1)).toBe(`"${count}"`);
});

it('keeps no frame and no event that is larger than a body may be', () => {
  const activity = recording();
  const text = 'x'.repeat(consoleLimits.trafficBodyBytesMax);
  activity.connection(1, undefined, { kind: 'received' }, { op: 2, d: text });
  const event = lazyEvent('RESUMED', () => text as unknown as Record<string, never>);
  activity.announced({ to: topics.nodes, event, scope: 'lobby/1' }, 1);
  expect([activity.kept.at(1)?.details.data, activity.kept.at(2)?.details]).toEqual([undefined, { isCut: true }]);
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
  await expect.poll(() => activity.kept.at(1)?.details.answer).toBe('ok');
  // The connection of the slow answer, and of the one that was not read to its end.
  await expect.poll(() => open, { timeout: 8000 }).toBeLessThan(2);
  expect([activity.kept.at(2)?.details.answer, activity.kept.at(3)?.details.answer]).toEqual([undefined, 'x']);
}, 10_000);

it('bounds the bytes of the versions of commands', () => {
  const versions = new CommandVersions();
  const choices = Array.from({ length: 2000 }, (_, n) => ({ name: 'x'.repeat(100), value: `${n}` }));
  const command = { options: [{ choices }] } as unknown as CommandRecord;
  const size = JSON.stringify(command).length;
  const kept = () => ['a', 'b', 'c'].flatMap(id => versions.of(id)).length;
  for (let n = 0; n < 30; n++) versions.add(['a', 'b', 'c'][n % 3] ?? '', command, n, null);
  expect(kept() * size).toBeLessThanOrEqual(consoleLimits.commandVersionsBytesMax);
  for (let n = 0; n < 30; n++) versions.add('a', command, n, null);
  expect(kept() * size).toBeLessThanOrEqual(consoleLimits.commandVersionsBytesMax);
  expect(versions.of('a')[0]?.atMs).toBe(29);
});
