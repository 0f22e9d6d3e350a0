import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Opens a page in the person's browser, on Linux by the very program that Electron calls. */
export async function openInDefaultBrowser(url: string): Promise<void> {
  await run('xdg-open', [url]);
}
