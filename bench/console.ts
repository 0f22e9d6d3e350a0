import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Browser, CDPSession, Page } from 'playwright-core';
import { launchChromium } from '../test/support/browser/chromium.ts';
import { ConsolePage } from '../test/support/console/console-page.ts';
import { madeTraffic } from '../test/support/console/made-traffic.ts';
import { StandIn } from '../test/support/console/stand-in.ts';
import { type BenchRow, row } from './row.ts';

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
    const frames = await framesRow(browser, console_.page, standIn);
    const memory = await memoryRow(console_.page, standIn);
    return [frames, memory];
  } finally {
    await browser.close();
    await standIn.close();
  }
}

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

async function framesRow(browser: Browser, page: Page, standIn: StandIn): Promise<BenchRow> {
  const rounds = [];
  const empty = await browser.newPage();
  for (let round = 0; round < 3; round++) {
    await empty.bringToFront();
    const peer = await framesPerSecond(empty);
    await page.bringToFront();
    const stop = sendSteadily(standIn);
    await page.waitForSelector('.table-row');
    rounds.push({ ours: await framesPerSecond(page), peer });
    stop();
  }
  await empty.close();
  const unit = (figure: number) => `${figure.toFixed(1)} frames/s`;
  return row('traffic view at 1,000 entries a second, against an empty page', unit, rounds, { sign: '≥', value: 0.9 });
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

async function memoryRow(page: Page, standIn: StandIn): Promise<BenchRow> {
  const session = await page.context().newCDPSession(page);
  const batch = 1000;
  const send = async (count: number) => {
    for (let sent = 0; sent < count; sent += batch) {
      sendBatch(standIn, batch);
      await page.waitForFunction(id => document.querySelector(`.table-row[data-key="${id}"]`) !== null, lastId);
    }
  };
  await send(20 * batch);
  const peer = await heapBytes(session);
  await send(tenMinutes);
  const ours = await heapBytes(session);
  const unit = (bytes: number) => `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
  return row('memory of the traffic view after 600,000 entries, against 20,000', unit, [{ ours, peer }], {
    sign: '≤',
    value: 1.2,
  });
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
