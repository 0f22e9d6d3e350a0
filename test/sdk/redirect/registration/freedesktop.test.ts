import { lstat, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { thisMachine } from '../../../../src/sdk/redirect/machine.ts';
import { freedesktopHandlers } from '../../../../src/sdk/redirect/registration/freedesktop.ts';
import { temporaryFolder } from '../../../support/runs/folder.ts';
import { needs } from '../../../support/runs/parts.ts';

const posix = await needs('posix');

describe.skipIf(posix.missing)(`the user’s list of who opens what${posix.note}`, () => {
  it('is written where its link points, with its mode', async () => {
    const { path: home, remove } = await temporaryFolder();
    onTestFinished(remove);
    const [config, kept] = [join(home, '.config'), join(home, 'kept')];
    await Promise.all([mkdir(config), mkdir(kept)]);
    const list = join(config, 'mimeapps.list');
    const others = '[Default Applications]\ntext/html=browser.desktop;\n';
    await writeFile(join(kept, 'list'), `${others}x-scheme-handler/game=game.desktop;\n`, { mode: 0o640 });
    await symlink(join(kept, 'list'), list);

    const handlers = freedesktopHandlers({ ...thisMachine(), environment: { HOME: home } });
    await handlers.unregister('game', 'game.desktop');

    expect(await readFile(join(kept, 'list'), 'utf8')).toBe(others);
    expect((await lstat(list)).isSymbolicLink()).toBe(true);
    expect((await stat(list)).mode & 0o777).toBe(0o640);
    expect(await Promise.all([readdir(config), readdir(kept)])).toEqual([['mimeapps.list'], ['list']]);
  });
});
