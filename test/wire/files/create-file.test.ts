import {
  existsSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { fileLobbyDirectory } from '../../../src/backend/fleet/file-directory.ts';
import { openProcessLock } from '../../../src/sdk/credentials/process-lock.ts';
import { openDatabase } from '../../../src/service/store/sqlite/database.ts';
import { createFile } from '../../../src/wire/files/create-file.ts';
import { replaceFile } from '../../../src/wire/files/replace-file.ts';
import { needs } from '../../support/runs/parts.ts';

const posix = await needs('posix');
const root = await needs('root');
const stranger = 65_534;

function place(): string {
  const path = mkdtempSync(join(tmpdir(), 'rallypoint-files-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** A link at `path` that another user has planted, to a file that is not there yet. */
function plantLink(path: string): string {
  const target = join(place(), 'target');
  symlinkSync(target, path);
  lchownSync(path, stranger, stranger);
  return target;
}

describe('a file that is made for a library', () => {
  it.skipIf(posix.missing)(`is for its owner alone when the mode says so${posix.note}`, () => {
    const path = join(place(), 'lock');
    createFile(path, 0o600);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('stays as it is when it is there already, also behind a link of this user', () => {
    const folder = place();
    writeFileSync(join(folder, 'kept'), 'kept');
    symlinkSync(join(folder, 'kept'), join(folder, 'link'));
    createFile(join(folder, 'kept'), 0o600);
    createFile(join(folder, 'link'), 0o600);
    expect(readFileSync(join(folder, 'kept'), 'utf8')).toBe('kept');
  });

  it.skipIf(root.missing)(`is not made through a link of another user, by whatever needs it${root.note}`, async () => {
    const folder = place();
    const makers: Record<string, (path: string) => unknown> = {
      'plain.txt': path => createFile(path, 0o600),
      'rallypoint.sqlite': path => openDatabase(path),
      'lobbies.sqlite': path => fileLobbyDirectory(path).get('key'),
      'redirects.sqlite': path => openProcessLock({ path: path.replace('.sqlite', ''), kinds: ['sqlite'] }),
    };
    for (const [name, make] of Object.entries(makers)) {
      const target = plantLink(join(folder, name));
      await expect((async () => make(join(folder, name)))(), name).rejects.toThrow(/symbolic link of another user/);
      expect(existsSync(target), name).toBe(false);
    }
  });

  it.skipIf(posix.missing)(`is no more open than its kind when SQLite keeps a lock in it${posix.note}`, async () => {
    const folder = place();
    const lock = await openProcessLock({ path: join(folder, 'redirects'), kinds: ['sqlite'] });
    await lock.hold(async () => {});
    expect(statSync(join(folder, 'redirects.sqlite')).mode & 0o777).toBe(0o600);
  });
});

describe('a file that is replaced', () => {
  it('is as before, and nothing is left beside it, when the new one cannot be put there', () => {
    const folder = place();
    const path = join(folder, 'taken');
    mkdirSync(join(path, 'full'), { recursive: true });
    expect(() => replaceFile(path, 'new', 0o600)).toThrow();
    expect(readdirSync(folder)).toEqual(['taken']);
  });

  it.skipIf(posix.missing)(`takes the place of a link and not of what that leads to${posix.note}`, () => {
    const folder = place();
    writeFileSync(join(folder, 'victim'), 'precious');
    symlinkSync(join(folder, 'victim'), join(folder, 'link'));
    replaceFile(join(folder, 'link'), 'new', 0o600);
    expect(readFileSync(join(folder, 'victim'), 'utf8')).toBe('precious');
    expect(() => readlinkSync(join(folder, 'link'))).toThrow(/EINVAL/);
  });
});
