import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openSystemBrowser } from '../../../src/sdk/auth/open-browser.ts';
import { temporaryFolder } from '../../support/runs/folder.ts';
import { needs } from '../../support/runs/parts.ts';

const linux = await needs('linux');

const url = 'http://127.0.0.1/oauth2/authorize?a=1&b=$(touch x);\'"';

// A stand-in for the system's opener, found first on PATH.
describe.skipIf(linux.missing)(`openSystemBrowser on Linux: what xdg-open is given${linux.note}`, () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;

  beforeEach(async () => {
    folder = await temporaryFolder();
    vi.stubEnv('PATH', `${folder.path}:/usr/bin:/bin`);
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await folder.remove();
  });

  async function opener(script: string): Promise<void> {
    const path = join(folder.path, 'xdg-open');
    await writeFile(path, `#!/bin/sh\n${script}\n`);
    await chmod(path, 0o755);
  }

  it('passes the address as one argument, unchanged', async () => {
    await opener(`printf '%s\\n%s' "$#" "$1" > "${folder.path}/seen"`);
    await openSystemBrowser(url);
    expect(await readFile(join(folder.path, 'seen'), 'utf8')).toBe(`1\n${url}`);
  });

  it('rejects when the opener fails', async () => {
    await opener('exit 3');
    await expect(openSystemBrowser(url)).rejects.toMatchObject({
      name: 'TransportError',
      code: 'browser_unavailable',
      message: expect.stringMatching(
        /^xdg-open could not open a browser at http:\/\/127\.0\.0\.1\/oauth2\/authorize: pass openBrowser/,
      ),
      cause: { message: 'xdg-open exited with exit code 3.' },
    });
  });

  it.each(['exit 3', undefined])('shows the whole address at a terminal when the opener is %s', async script => {
    if (script === undefined) vi.stubEnv('PATH', folder.path);
    else await opener(script);
    const page = `${url}&state=a-state&code_challenge=a-challenge`;
    let shown = '';
    await openSystemBrowser(page, { isTTY: true, write: text => (shown += text) });
    expect(shown.split('\n')).toEqual([expect.stringContaining('xdg-open could not'), '', page, '', '']);
  });

  it('shows nothing at a terminal when the opener has opened the page', async () => {
    await opener('exit 0');
    await openSystemBrowser(url, { isTTY: true, write: () => expect.unreachable() });
  });

  it('rejects when there is no opener', async () => {
    vi.stubEnv('PATH', folder.path);
    const error = await openSystemBrowser(`${url}&state=a-secret-state`).catch(caught => caught);
    expect(error).toMatchObject({ code: 'browser_unavailable', cause: { code: 'ENOENT' } });
    expect(error.message).toContain('http://127.0.0.1/oauth2/authorize');
    // Node's own error quotes all arguments in a field of its own.
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('a-secret-state');
  });
});
