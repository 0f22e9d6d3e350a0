import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

/** The windows that views are looked at in. */
export const windows = { wide: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } } as const;

/** Makes a `#/…` address of a view. */
export function addressOf(consoleUrl: string, hash: string): string {
  return consoleUrl.replace(/#.*$/, hash);
}

/** A page of the console, signed in, and what its browser said about it. */
export class ConsolePage {
  readonly page: Page;
  /** Errors of the browser's log, and errors that nothing caught. */
  readonly errors: string[] = [];
  /** Requests to anything but the console's own origin. */
  readonly outside: string[] = [];
  readonly #consoleUrl: string;

  constructor(page: Page, consoleUrl: string) {
    this.page = page;
    this.#consoleUrl = consoleUrl;
    const { origin } = new URL(consoleUrl);
    page.on('console', message => message.type() === 'error' && this.errors.push(message.text()));
    page.on('pageerror', error => this.errors.push(String(error)));
    page.on('request', request => {
      const url = request.url();
      if (!url.startsWith(`${origin}/`) && !url.startsWith('data:') && !url.startsWith('blob:')) this.outside.push(url);
    });
  }

  static async open(browser: Browser, consoleUrl: string, options: BrowserContextOptions = {}): Promise<ConsolePage> {
    const context = await browser.newContext({ viewport: windows.wide, ...options });
    const opened = new ConsolePage(await context.newPage(), consoleUrl);
    await opened.page.goto(consoleUrl);
    return opened;
  }

  /** Goes to a view by its address, as a link does. */
  async go(hash: string): Promise<void> {
    await this.page.goto(addressOf(this.#consoleUrl, hash));
  }

  async close(): Promise<void> {
    await this.page.context().close();
  }
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
  }[];
}

/**
 * What axe finds in the page as it is now: the rule, and the elements that break it.
 *
 * @param rules default: all that axe knows
 */
export async function accessibilityIssues(page: Page, rules?: readonly string[]): Promise<string[]> {
  // Run by the debugger: the page's own policy allows no script but the console's.
  await page.evaluate(`if (!globalThis.axe) { ${axeSource} }`);
  const options = { resultTypes: ['violations'], ...(rules && { runOnly: { type: 'rule', values: rules } }) };
  const { violations } = await page.evaluate<AxeResult>(`axe.run(document, ${JSON.stringify(options)})`);
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary ?? ''}`),
  );
}
