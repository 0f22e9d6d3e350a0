import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Browser, CDPSession, Page } from 'playwright-core';
import { type Service, startService } from '../src/service/service.ts';
import { launchChromium } from '../test/support/browser/chromium.ts';
import { ConsolePage } from '../test/support/console/console-page.ts';
import { madeTraffic } from '../test/support/console/made-traffic.ts';
import { StandIn } from '../test/support/console/stand-in.ts';
import { type BenchRow, milliseconds, row } from './row.ts';

const entriesPerSecond = 1000;
/** As the service sends them: at most every 100 ms. */
const batchMs = 100;
const tracedMs = 5_000;
/** As many entries as come in ten minutes. */
const tenMinutes = 600 * entriesPerSecond;

/**
 * The console in Chromium: how smoothly the traffic moves while 1,000 entries a second arrive, against an empty page, and what its
 * memory is after as many entries as come in ten minutes, against the memory once the list was full. A stand-in for the service sends
 * the entries, so that the browser alone is measured.
 */
export async function run(): Promise<BenchRow[]> {
  const standIn = await StandIn.open();
  const browser = await launchChromium();
  try {
    const console_ = await openTraffic(browser, standIn);
    const frames = await framesRows(browser, console_.page, standIn);
    const memory = await memoryRow(console_.page, standIn);
    await console_.close();
    return [...frames, memory, ...(await lobbiesRows(browser))];
  } finally {
    await browser.close();
    await standIn.close();
  }
}

const framesUnit = (figure: number) => `${figure.toFixed(1)} frames/s`;
const share = (figure: number) => `${figure.toFixed(2)} cores`;
const goalOfFrames = { sign: '≥', value: 0.9 } as const;

async function openTraffic(browser: Browser, standIn: StandIn): Promise<ConsolePage> {
  Object.assign(standIn.answers, {
    'GET /status': { clock: { kind: 'system', now_ms: Date.now() } },
    'GET /applications': { applications: [{ id: '100', name: 'Starfall' }], next: null },
    'GET /traffic': { entries: [], next: 0, previous: null, first: 0, last: 0, truncated: false, node: null },
  });
  const opened = await ConsolePage.open(browser, standIn.consoleUrl);
  await opened.go('#/traffic');
  await opened.page.waitForSelector('.empty');
  return opened;
}

let lastId = 0;

/** Sends entries at the rate of the bench until the returned function is called. */
function sendSteadily(standIn: StandIn): () => void {
  const timer = setInterval(() => sendBatch(standIn, (entriesPerSecond * batchMs) / 1000), batchMs);
  return () => clearInterval(timer);
}

function sendBatch(standIn: StandIn, count: number): void {
  const entries = madeTraffic(lastId + 1, count, Date.now());
  lastId += count;
  standIn.send('traffic', { entries, next: lastId });
}

async function framesRows(browser: Browser, page: Page, standIn: StandIn): Promise<BenchRow[]> {
  const rounds = [];
  const busy = [];
  const cpu = await mainThread(page);
  const empty = await browser.newPage();
  for (let round = 0; round < 3; round++) {
    await empty.bringToFront();
    const peer = await framesPerSecond(empty);
    await page.bringToFront();
    const stop = sendSteadily(standIn);
    await page.waitForSelector('.table-row');
    const before = await cpu();
    rounds.push({ ours: await framesPerSecond(page), peer });
    busy.push({ ours: ((await cpu()) - before) / (tracedMs / 1000), peer: 1 });
    stop();
  }
  await empty.close();
  return [
    row('traffic view at 1,000 entries a second, against an empty page', framesUnit, rounds, goalOfFrames),
    // On a machine with other work, frames are late for want of a core; this is what the page itself needs.
    row('main thread of that view, of a core', share, busy, { sign: '≤', value: 0.3 }),
  ];
}

/** Frames that the page has drawn, as its own animation frames count them. */
function framesPerSecond(page: Page): Promise<number> {
  return page.evaluate(
    durationMs =>
      new Promise<number>(resolve => {
        let frames = 0;
        let beganMs: number | undefined;
        const onFrame = (nowMs: number) => {
          beganMs ??= nowMs;
          const passedMs = nowMs - beganMs;
          if (passedMs >= durationMs) resolve((frames / passedMs) * 1000);
          else {
            frames++;
            requestAnimationFrame(onFrame);
          }
        };
        requestAnimationFrame(onFrame);
      }),
    tracedMs,
  );
}

const lobbyCount = 100_000;

/** The list of 100,000 lobbies of a real service, while somebody scrolls through it: 20 rows further with each frame. */
async function lobbiesRows(browser: Browser): Promise<BenchRow[]> {
  const service = await startService({
    fixtures: {
      applications: [{ id: '100', name: 'Starfall', owner_id: '9', bot_token: 'bench' }],
      users: [{ id: '9', username: 'ada' }],
    },
    limits: 'off',
    console: true,
  });
  try {
    await createLobbies(service);
    const opened = await ConsolePage.open(browser, service.consoleUrl ?? '');
    await opened.go('#/lobbies');
    await opened.page.waitForSelector('.table-row');
    const empty = await browser.newPage();
    const rounds = [];
    const perFrame = [];
    const cpu = await mainThread(opened.page);
    for (let round = 0; round < 3; round++) {
      await empty.bringToFront();
      const peer = await framesPerSecond(empty);
      await opened.page.bringToFront();
      await opened.page.evaluate(() => {
        const list = document.querySelector('.table');
        const onFrame = () => {
          list?.scrollBy(0, 20 * 34);
          requestAnimationFrame(onFrame);
        };
        onFrame();
      });
      const before = await cpu();
      const ours = await framesPerSecond(opened.page);
      const usedMs = ((await cpu()) - before) * 1000;
      rounds.push({ ours, peer });
      perFrame.push({ ours: usedMs / ((ours * tracedMs) / 1000), peer: 1000 / 60 });
      await opened.page.reload();
      await opened.page.waitForSelector('.table-row');
    }
    return [
      row('scrolling through 100,000 lobbies, against an empty page', framesUnit, rounds, goalOfFrames),
      row('CPU of a frame of that, against 60 a second', milliseconds, perFrame, { sign: '≤', value: 0.8 }),
    ];
  } finally {
    await service.close();
  }
}

/** By a snapshot, because as many calls would take minutes. */
async function createLobbies(service: Service): Promise<void> {
  const headers = { authorization: `Bearer ${service.controlToken}`, 'content-type': 'application/json' };
  await fetch(`${service.apiBase}/v10/lobbies`, {
    method: 'POST',
    headers: { ...headers, authorization: 'Bot bench' },
    body: JSON.stringify({ metadata: { map: 'harbour' } }),
  });
  const snapshot = await (await fetch(`${service.controlBase}/snapshot`, { headers })).json();
  const [lobby] = snapshot.content.lobbies;
  const first = BigInt(lobby.id);
  snapshot.content.lobbies = Array.from({ length: lobbyCount }, (_, index) => ({
    ...lobby,
    id: String(first + BigInt(index)),
    metadata: { map: index % 2 === 0 ? 'harbour' : 'reef', number: String(index) },
    expires_at_ms: lobby.expires_at_ms + 3_600_000,
  }));
  const { status } = await fetch(`${service.controlBase}/snapshot`, {
    method: 'PUT',
    headers,
    body: JSON.stringify(snapshot),
  });
  if (status !== 204) throw new Error(`The snapshot was answered with ${status}.`);
}

async function memoryRow(page: Page, standIn: StandIn): Promise<BenchRow> {
  const session = await page.context().newCDPSession(page);
  const batch = 1000;
  const send = async (count: number) => {
    for (let sent = 0; sent < count; sent += batch) {
      sendBatch(standIn, batch);
      await page.waitForFunction(id => document.querySelector(`.table-row[data-key="${id}"]`) !== null, lastId);
    }
  };
  await send(60 * batch);
  const peer = await heapBytes(session);
  await send(tenMinutes);
  const ours = await heapBytes(session);
  const unit = (bytes: number) => `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
  return row('memory of the traffic view after 600,000 entries, against 60,000', unit, [{ ours, peer }], {
    sign: '≤',
    value: 1.2,
  });
}

/** The CPU time of the page's main thread so far, in seconds. */
async function mainThread(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  return async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN;
  };
}

/** What is in use after garbage has been collected. */
async function heapBytes(session: CDPSession): Promise<number> {
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = (await session.send('Runtime.getHeapUsage')) as { usedSize: number };
  return usedSize;
}

/** What a browser loads for the first view, compressed: the page, the style sheet, the program and the overview. */
export function firstViewBytes(): number {
  const folder = join(import.meta.dirname, '../dist/service/console');
  const names = readdirSync(folder);
  const read = (name: string) => readFileSync(join(folder, name), 'utf8');
  const isOverview = (name: string) => read(name).includes('overview-charts');
  const needed = new Set<string>([
    'index.html',
    ...names.filter(name => name.endsWith('.css') || name.startsWith('console-')),
  ]);
  for (const name of names) if (name.endsWith('.js') && isOverview(name)) needed.add(name);
  // A set grows while it is walked: chunks that chunks import.
  for (const name of needed) {
    if (name.endsWith('.js'))
      for (const [, chunk = ''] of read(name).matchAll(/from"\.\/([\w.-]+\.js)"/g)) needed.add(chunk);
  }
  return [...needed].reduce((sum, name) => sum + gzipSync(read(name)).length, 0);
}

if (import.meta.main) console.table(await run());
