import type { Browser, BrowserContextOptions } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Service, startService } from '../../src/service/service.ts';
import { launchChromium } from '../support/browser/chromium.ts';
import { isWiderThanWindow } from '../support/browser/page-checks.ts';
import { accessibilityIssues, addressOf, ConsolePage, windows } from '../support/console/console-page.ts';
import { needs } from '../support/runs/parts.ts';

/** The shell, the overview and the traffic in a real browser, with a real service and its own traffic. */
const chromium = await needs('browser');
const hostile = `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>\u202E{{7*7}}`;

const fixtures = {
  applications: [{ id: '100', name: 'Starfall', owner_id: '9', bot_token: 'bot-token-of-starfall' }],
  users: [
    { id: '9', username: 'ada', global_name: hostile },
    { id: '10', username: 'ben' },
  ],
};

let service: Service;
let browser: Browser;

describe.skipIf(chromium.missing)(`the console in Chromium${chromium.note}`, () => {
  beforeAll(async () => {
    service = await startService({ fixtures, limits: 'off' });
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });

  it('signs in by the link of the ready line, and leaves the token neither in the address nor in the history', async () => {
    const { page } = await openConsole();
    await page.waitForSelector('h1:has-text("Overview")');
    expect(page.url()).toBe(addressOf(consoleUrl(), '#/'));
    expect(await page.evaluate(() => ({ ...localStorage }))).not.toContain(expect.stringContaining('token'));
    await page.click('nav >> text=Traffic');
    await page.goBack();
    expect(page.url()).not.toContain('token');
  });
});

function consoleUrl(): string {
  return service.consoleUrl ?? expect.fail();
}

async function openConsole(options?: BrowserContextOptions): Promise<ConsolePage> {
  const opened = await ConsolePage.open(browser, consoleUrl(), options);
  onTestFinished(() => opened.close());
  return opened;
}
void isWiderThanWindow;
void windows;
void accessibilityIssues;
