import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { devicePagePath } from '../../../src/model/oauth.ts';
import { type Service, startService } from '../../../src/service/service.ts';
import { launchChromium, picturesFolder } from '../../support/browser/chromium.ts';
import { faintTexts, isWiderThanWindow, unnamedControls } from '../../support/browser/page-checks.ts';
import { needs } from '../../support/runs/parts.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const ask = (accept: string, path = '/', method = 'GET') =>
  fetch(service.webBase + path, { method, headers: { accept } });

describe('the root of the service', () => {
  it('answers a browser with a page that says what this is, and where to go', async () => {
    const answer = await ask('text/html,application/xhtml+xml,*/*;q=0.8');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const text = await answer.text();
    expect(text).toContain('Rallypoint service');
    expect(text).toContain(`baseUrl: '${service.webBase}'`);
    const links = [...text.matchAll(/href="([^"]*)"/g)].map(([, address = '']) => address);
    expect(links).toContain(devicePagePath);
    for (const link of links.filter(address => address.startsWith('/'))) {
      expect((await ask('text/html', link)).status, link).toBe(200);
    }
  });

  it('runs no script, loads nothing and cannot be framed', async () => {
    const { headers } = await ask('text/html');
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[\w+/=]+'; /);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('vary')).toBe('accept');
  });

  it.each(['*/*', 'application/json', 'text/html;q=0', ''])(
    'answers 404 as JSON to a program that accepts %j',
    async accept => {
      const answer = await ask(accept);
      expect(answer.status).toBe(404);
      expect(answer.headers.get('vary')).toBe('accept');
      expect(await answer.json()).toEqual({ message: '404: Not Found', code: 0 });
    },
  );

  it('has no page for another path or method', async () => {
    expect((await ask('text/html', '/nowhere')).status).toBe(404);
    expect((await ask('text/html', '/', 'POST')).status).toBe(405);
  });
});

const chromium = await needs('browser');

describe.skipIf(chromium.missing)(`in a browser${chromium.note}`, () => {
  it.each([
    ['light', 1280],
    ['dark', 360],
  ] as const)('the page can be read in the %s scheme at a width of %i', async (colorScheme, width) => {
    const browser = await launchChromium();
    try {
      const page = await browser.newPage({ colorScheme, viewport: { width, height: 800 } });
      const complaints: string[] = [];
      page.on('console', message => complaints.push(message.text()));
      await page.goto(service.webBase);
      expect(await page.title()).toBe('Rallypoint service');
      await page.screenshot({ path: `${picturesFolder('pages')}/root-${colorScheme}-${width}.png`, fullPage: true });
      expect(await isWiderThanWindow(page)).toBe(false);
      expect(await faintTexts(page)).toEqual([]);
      expect(await unnamedControls(page)).toEqual([]);
      // Browsers ask for an icon by themselves.
      expect(complaints.filter(text => !text.includes('404'))).toEqual([]);
    } finally {
      await browser.close();
    }
  });
});
