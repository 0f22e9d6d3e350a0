import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';

const chromiumNames = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'chrome', 'msedge'];
const chromiumPlaces: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: [
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
  ],
  win32: ['Google\\Chrome\\Application\\chrome.exe', 'Microsoft\\Edge\\Application\\msedge.exe'].flatMap(program =>
    ['ProgramFiles', 'ProgramFiles(x86)', 'LocalAppData'].map(name => join(process.env[name] ?? '', program)),
  ),
};

/** A browser that runs and can show a page as a window of its own: `CHROMIUM` names one, else the usual places. */
export function findChromium(): string | undefined {
  const onPath = (process.env.PATH ?? '')
    .split(delimiter)
    .flatMap(folder => chromiumNames.map(name => join(folder, name)));
  const places = [process.env.CHROMIUM ?? '', ...(chromiumPlaces[process.platform] ?? []), ...onPath];
  return places.find(path => path !== '' && isProgram(path) && doesRun(path));
}

/** A distribution may have a file of that name that only says how to install the browser. On Windows any call opens a window. */
function doesRun(path: string): boolean {
  return (
    process.platform === 'win32' || spawnSync(path, ['--version'], { stdio: 'ignore', timeout: 60_000 }).status === 0
  );
}

/**
 * Electron's program, where its package has one. Asking the package itself would make it download one.
 */
export function findElectron(): string | undefined {
  const override = process.env.ELECTRON_OVERRIDE_DIST_PATH;
  const name = process.platform === 'win32' ? 'electron.exe' : 'electron';
  if (override) return [join(override, name)].find(isProgram);
  try {
    const folder = dirname(createRequire(import.meta.url).resolve('electron/package.json'));
    const path = join(folder, 'dist', readFileSync(join(folder, 'path.txt'), 'utf8').trim());
    return isProgram(path) ? path : undefined;
  } catch {
    return undefined;
  }
}

function isProgram(path: string): boolean {
  if (!existsSync(path)) return false;
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
