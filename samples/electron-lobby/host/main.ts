import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builtFilesIn, builtFolder } from '../build.ts';
import { startApp } from '../main/app.ts';
import { readOptions } from '../main/options.ts';
import { Chromium } from './chromium.ts';
import { openInDefaultBrowser } from './default-browser.ts';
import { findChromium } from './find-program.ts';
import { nodeRedirects } from './redirects.ts';
import { createStandIn } from './stand-in.ts';

/**
 * The app without Electron: the same main process in Node, the same windows in Chromium. `STARFALL_HEADLESS` shows
 * none, `STARFALL_ONCE` ends once the window is up, `STARFALL_DEFAULT_BROWSER` opens pages where the system opens
 * addresses and not in the Chromium of the windows. `STARFALL_BUILT` is where the built files are.
 */
const program = findChromium();
if (!program) {
  process.stderr.write('Neither Electron nor Chromium is here. Install Chromium, or name one by CHROMIUM=<path>.\n');
  process.exit(2);
}
const files = builtFilesIn(process.env.STARFALL_BUILT ?? builtFolder);
const profile = mkdtempSync(join(tmpdir(), 'starfall-browser-'));
process.once('exit', () => rmSync(profile, { recursive: true, force: true, maxRetries: 3 }));
const chromium = new Chromium({ program, profile, isHeadless: Boolean(process.env.STARFALL_HEADLESS) });
const openPage = process.env.STARFALL_DEFAULT_BROWSER ? openInDefaultBrowser : chromium.openPage;
const standIn = createStandIn({ showWindow: chromium.showWindow, openPage, pageScript: files.hostPage });
standIn.app.on('quit', () => process.exit());
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => standIn.app.quit());

try {
  await startApp(standIn, readOptions(process.env), files, { openRedirects: nodeRedirects });
  if (process.env.STARFALL_ONCE) standIn.app.quit();
} catch (error) {
  process.stderr.write(`Starfall cannot start: ${error instanceof Error ? error.message : 'unknown reason'}\n`);
  process.exit(1);
}
