// Starts the game in Electron. Electron's package comes without its program, which "npx install-electron" downloads.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const electron = findElectron();
if (electron === undefined) {
  console.error(
    'Electron is not installed. Run "npx install-electron"; the service, the server and the tests need none.',
  );
  process.exitCode = 1;
} else {
  process.exitCode = spawnSync(electron, [dirname(import.meta.dirname)], { stdio: 'inherit' }).status ?? 1;
}

/** Asking the package itself would make it download the program. */
function findElectron() {
  try {
    const folder = dirname(createRequire(import.meta.url).resolve('electron/package.json'));
    const program = join(folder, 'dist', readFileSync(join(folder, 'path.txt'), 'utf8').trim());
    return existsSync(program) ? program : undefined;
  } catch {
    return undefined;
  }
}
