import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Browser, BrowserContext } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { viewNames } from '../../../src/console/router.ts';
import { launchChromium } from '../../support/browser/chromium.ts';
import { addressOf, ConsolePage, windows } from '../../support/console/console-page.ts';
import { dispatchEntry, madeTraffic, requestEntry } from '../../support/console/made-traffic.ts';
import { end, StandIn, sampleOf } from '../../support/console/stand-in.ts';
import { needs } from '../../support/runs/parts.ts';

/** The console against a service that is slow, away or wrong, and against more traffic than one can read. */
const chromium = await needs('browser');
const hostile = `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>\u202e{{7*7}}`;
const atMs = Date.UTC(2026, 10, 23, 8);

const status = {
  version: '1.2.3',
  runtime: 'v26.0.0',
  pid: 4711,
  started_at_ms: atMs,
  uptime_ms: 65_000,
  clock: { kind: 'virtual', now_ms: atMs },
  store: { engine: 'SQLite', is_durable: true },
  bus: { engine: 'in process' },
  limits: { name: 'standard', asOf: '2026-11-01' },
  sign_in: 'developer',
  addresses: {
    web_base: 'http://w',
    api_base: 'http://w/api',
    gateway: 'ws://w/gateway',
    control_base: 'http://w/control',
  },
  counts: Object.fromEntries(
    ['applications', 'users', 'guilds', 'lobbies', 'commands', 'sessions', 'connections'].map(name => [
      name,
      { count: name === 'lobbies' ? 10_000 : 3, is_more: name === 'lobbies' },
    ]),
  ),
  features: { virtual_clock: true, cluster: false, voice: true, traffic: true },
  cluster: null,
  problems: [
    {
      severity: 'error',
      code: 'webhooks_failing',
      message: `Webhooks fail: ${hostile}`,
      link: '#/traffic?kind=delivery',
    },
  ],
};

let browser: Browser;
let context: BrowserContext;
let standIn: StandIn;

describe.skipIf(chromium.missing)(`the console and its service${chromium.note}`, () => {
  beforeAll(async () => {
    browser = await launchChromium();
    context = await browser.newContext({ viewport: windows.wide });
  });
  afterAll(() => browser?.close());
  beforeEach(async () => {
    standIn = await StandIn.open();
    Object.assign(standIn.answers, {
      'GET /status': status,
      'GET /clock': { now_ms: atMs },
      'GET /applications': { applications: [{ id: '100', name: hostile }], next: null },
      'GET /users': { users: [{ id: '9', username: hostile }], next: null },
      'GET /traffic': pageOf([]),
    });
  });
  afterEach(() => standIn.close());

  it('asks for a token without one, says that one is wrong, and signs in with the right one to where the link led', async () => {
    const { page } = await open(addressOf(standIn.consoleUrl, '#/traffic?status=4xx'));
    await page.waitForSelector('h1:has-text("Sign in to the console")');
    await page.keyboard.press('Enter');
    await page.waitForSelector('[role=alert]:has-text("Enter the token.")');
    await page.keyboard.type('wrong');
    await page.keyboard.press('Enter');
    await page.waitForSelector('[role=alert]:has-text("The service rejected this token.")');
    await page.fill('input', standIn.token);
    await page.keyboard.press('Enter');
    await page.waitForSelector('h1:has-text("Traffic")');
    expect(page.url()).toContain('#/traffic?status=4xx');
  });

  it('asks for the token again when the service no longer accepts it', async () => {
    const { page } = await open();
    await page.waitForSelector('.overview-counts');
    standIn.answers['GET /status'] = answerWith(401, { message: 'no' });
    await page.click('nav >> text=Traffic'); // An empty view asks since when the traffic is recorded.
    await page.waitForSelector('[role=alert]:has-text("It has a new one after each start")');
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
    standIn.answers['GET /status'] = status;
    // The link of the next start, opened in the same tab: the page is not loaded again.
    await page.goto(standIn.consoleUrl);
    await page.waitForSelector('.overview-counts');
    expect(page.url()).not.toContain('token');
  });

  it('takes the token of another link while it is signed in', async () => {
    const { page } = await open();
    await page.waitForSelector('.overview-counts');
    const former = standIn.token;
    standIn.token = 'another-token';
    standIn.calls.length = 0;
    await page.goto(standIn.consoleUrl.replace(former, standIn.token));
    await page.waitForSelector('.overview-counts');
    await expect.poll(() => standIn.calls).toEqual(expect.arrayContaining(['GET /status', 'GET /stream']));
    expect(await page.evaluate(() => Object.values(sessionStorage))).toEqual(['another-token']);
  });

  it('says that the service is away, keeps what it shows, and is live again when the service is back', async () => {
    const { page } = await open();
    await page.waitForSelector('.overview-counts');
    const port = await standIn.goAway();
    await page.waitForSelector('[role=alert]:has-text("The service has not answered since")');
    expect(await page.locator('.overview-counts').isVisible()).toBe(true);
    standIn.calls.length = 0;
    await standIn.listen(port);
    await page.waitForSelector('.connection.here');
    await page.waitForSelector('.away', { state: 'detached' });
    await expect.poll(() => standIn.calls).toEqual(expect.arrayContaining(['GET /status', 'GET /stream']));
    standIn.send('metrics', sampleOf(atMs, { requests_per_second: 777 }));
    await page.waitForSelector('.chart strong:has-text("777")');
  });

  it.each([
    ['text that is not JSON', '<html>proxy</html>'],
    ['null', 'null'],
    ['a list', '[]'],
    ['numbers in place of objects', JSON.stringify(Object.fromEntries(Object.keys(status).map(name => [name, 7])))],
    ['an error without a message', answerWith(500, {})],
  ])('says in words that the service answers with %s, and keeps its frame', async (_, answer) => {
    standIn.answers['GET /status'] = typeof answer === 'function' ? answer : answerWith(200, answer);
    const { page, errors } = await open();
    await page.waitForSelector('main [role=alert], main .loading');
    await page.click('nav >> text=Traffic');
    await page.waitForSelector('h1:has-text("Traffic")');
    expect(errors.filter(error => !error.includes('Failed to load resource'))).toEqual([]);
  });

  it.each(['null', '{}'])('says in every view that every answer is %s', async answer => {
    const { page, errors } = await open();
    for (const name of ['/users', '/applications', '/guilds', '/lobbies', '/timers', '/traffic', '/faults', '/clock']) {
      standIn.answers[`GET ${name}`] = answerWith(200, answer);
    }
    for (const view of viewNames.filter(name => name !== 'overview')) {
      await page.goto(addressOf(standIn.consoleUrl, `#/${view}`));
      await page.waitForSelector('main h1');
      await page.waitForSelector('main [role=alert]');
    }
    expect(errors.filter(error => !error.includes('Failed to load resource'))).toEqual([]);
  });

  it('stays usable while the service does not answer', async () => {
    standIn.answers['GET /status'] = () => {};
    const { page } = await open();
    await page.waitForSelector('main .loading');
    await page.click('nav >> text=Traffic');
    await page.waitForSelector('.empty:has-text("No traffic yet")');
  });

  it('shows text of players as text, wherever it comes from', async () => {
    const entry = requestEntry(1, atMs, { error: hostile, target: `/api/v10/lobbies/${hostile}`, status: 404 });
    standIn.answers['GET /traffic'] = pageOf([entry]);
    const message = { headers: { 'x-evil': hostile }, body: { [hostile]: hostile }, bytes: 10, is_cut: false };
    standIn.answers['GET /traffic/1'] = {
      entry,
      request: message,
      answer: message,
      data: hostile,
      causes: [],
      effects: [],
    };
    const { page, errors, outside } = await open();
    await page.waitForSelector(`.overview-problem:has-text("<img src=x")`);
    await page.click('nav >> text=Traffic');
    await page.click('.table-row');
    await page.waitForSelector('.traffic-detail .json');
    expect(await page.locator('img, main script').count()).toBe(0);
    expect(await page.title()).toBe('Traffic · Rallypoint console');
    expect([...errors, ...outside]).toEqual([]);
  });

  it('says that nothing goes wrong when there is only a notice, which it shows elsewhere', async () => {
    const { page } = await open();
    await page.waitForSelector('.overview-problem');
    expect(await page.locator('.overview-fine').count()).toBe(0);
    const status = standIn.answers['GET /status'] as { problems: { severity: string }[] };
    standIn.answers['GET /status'] = {
      ...status,
      problems: status.problems.map(one => ({ ...one, severity: 'notice' })),
    };
    await page.reload();
    await page.waitForSelector('.overview-fine:has-text("Nothing goes wrong")');
    expect(await page.locator('.overview-problem').count()).toBe(0);
    await page.waitForSelector('.hint:has-text("<img src=x")');
  });

  it('goes anywhere by the command palette and the keyboard alone', async () => {
    standIn.answers['GET /traffic'] = pageOf(madeTraffic(1, 100, atMs));
    standIn.answers['GET /traffic/99'] = detailsOf(99);
    const { page } = await open();
    await page.waitForSelector('.overview-counts');
    await page.keyboard.press('Control+k');
    await page.waitForSelector('.palette input:focus');
    await page.keyboard.type('traff');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.table-row');
    await page.focus('.table-row[tabindex="0"]');
    await page.keyboard.press('End');
    await page.waitForSelector('.table-row[data-key="100"]:focus');
    await page.keyboard.press('ArrowUp');
    await page.waitForSelector('.table-row[data-key="99"]:focus');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.traffic-detail .facts');
    expect(page.url()).toContain('#/traffic/99');
    await page.keyboard.press('Escape');
    await page.waitForSelector('.traffic-detail', { state: 'detached' });
    await page.waitForSelector('.table-row[data-key="99"]:focus');
    await page.keyboard.press('Control+k');
    await page.waitForSelector('.palette input:focus');
    await page.keyboard.type('only errors');
    await page.keyboard.press('Enter');
    await page.waitForURL(/status=4xx%2C5xx/);
  });

  it('moves no row under the pointer, says how many entries are new, and shows them when the pointer leaves', async () => {
    standIn.answers['GET /traffic'] = pageOf(madeTraffic(1, 100, atMs));
    const { page } = await open();
    await page.click('nav >> text=Traffic');
    const list = page.locator('.table-row[data-key="100"]');
    await list.hover();
    const before = await list.boundingBox();
    standIn.send('traffic', { entries: madeTraffic(101, 50, atMs), next: 150 });
    await page.waitForSelector('button:has-text("Show 50 new entries")');
    expect(await list.boundingBox()).toEqual(before);
    await page.mouse.move(5, 5);
    await page.waitForSelector('.table-row[data-key="150"]');
  });

  it('stops while it is paused, and goes on where it was', async () => {
    const { page } = await open();
    await page.click('nav >> text=Traffic');
    await page.click('button:has-text("Pause")');
    standIn.send('traffic', { entries: madeTraffic(1, 20, atMs), next: 20 });
    await page.mouse.move(5, 5);
    await page.click('button:has-text("Resume")');
    await page.waitForSelector('.table-row[data-key="20"]');
  });

  it('keeps a bounded number of entries and of rows in the page, however many come', async () => {
    standIn.answers['GET /traffic'] = pageOf(madeTraffic(1, 100, atMs));
    const { page } = await open();
    await page.click('nav >> text=Traffic');
    await page.waitForSelector('.table-row');
    for (let sent = 100; sent < 15_100; sent += 1000) {
      standIn.send('traffic', { entries: madeTraffic(sent + 1, 1000, atMs), next: sent + 1000 });
    }
    await page.waitForSelector('.table-row[data-key="15100"]');
    expect(await page.getAttribute('[role=grid]', 'aria-rowcount')).toBe('10001');
    expect(await page.locator('.table-row').count()).toBeLessThan(100);
  });

  it('shows what caused what, and leads along it', async () => {
    const entries = [
      requestEntry(1, atMs),
      dispatchEntry(2, atMs, 1),
      dispatchEntry(3, atMs, 1, { event: 'LOBBY_UPDATE' }),
    ];
    standIn.answers['GET /traffic'] = pageOf(entries);
    standIn.answers['GET /traffic/1'] = { ...detailsOf(1), entry: entries[0], effects: entries.slice(1) };
    standIn.answers['GET /traffic/3'] = { ...detailsOf(3), entry: entries[2], causes: [entries[0]] };
    const { page } = await open();
    await page.click('nav >> text=Traffic');
    await page.click('.table-row[data-key="1"]');
    await page.click('.traffic-tree a:has-text("LOBBY_UPDATE")');
    await page.waitForSelector('.traffic-detail h2:has-text("LOBBY_UPDATE")');
    await page.waitForSelector('.traffic-tree [aria-current=true]:has-text("LOBBY_UPDATE")');
    expect(page.url()).toContain('#/traffic/3');
  });

  it('connects again when a stream breaks, and continues after the last entry', async () => {
    const { page } = await open(addressOf(standIn.consoleUrl, '#/'));
    await page.fill('input', standIn.token);
    await page.keyboard.press('Enter');
    await page.click('nav >> text=Traffic');
    await expect.poll(() => standIn.streams).toBe(2);
    standIn.send('traffic', { entries: madeTraffic(1, 5, atMs), next: 5 });
    await page.waitForSelector('.table-row[data-key="5"]');
    await standIn.breakStreams();
    await expect.poll(() => standIn.streams).toBe(2);
    standIn.send('traffic', { entries: madeTraffic(6, 5, atMs), next: 10 });
    await page.waitForSelector('.table-row[data-key="10"]');
    expect(standIn.lastStreamQuery('traffic')).toContain('after=');
  });
});

function answerWith(code: number, body: unknown) {
  return (_request: IncomingMessage, response: ServerResponse) => end(response, code, body);
}

/** A tab of the context of all tests: a context for each would take them half a second longer. */
async function open(url: string = standIn.consoleUrl): Promise<ConsolePage> {
  const opened = new ConsolePage(await context.newPage(), url);
  await opened.page.goto(url);
  onTestFinished(() => opened.page.close());
  return opened;
}

function pageOf(entries: readonly unknown[]) {
  return {
    entries,
    next: entries.length,
    previous: null,
    first: 1,
    last: entries.length,
    truncated: false,
    node: null,
  };
}

function detailsOf(id: number) {
  return { entry: requestEntry(id, atMs), request: null, answer: null, data: null, causes: [], effects: [] };
}
