import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readReadyFile, readyFile } from '../../src/cli/ready-file.ts';
import { needs } from '../support/runs/parts.ts';

const posix = await needs('posix');
const root = await needs('root');
const line = '{"event":"ready","control_token":"secret"}';
const stranger = 65_534;

function place(mode = 0o700): string {
  const path = mkdtempSync(join(tmpdir(), 'rallypoint-ready-'));
  chmodSync(path, mode);
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

describe('the ready file', () => {
  it('is written for its owner alone, whole, and is the only file left in its folder', () => {
    const folder = place();
    const path = join(folder, 'ready.json');
    const ready = readyFile(path);
    ready.clear();
    ready.write(line);
    expect(readFileSync(path, 'utf8')).toBe(`${line}\n`);
    expect(readdirSync(folder)).toEqual(['ready.json']);
    ready.remove();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('replaces the one that a killed process has left, also when others may read that', () => {
    const path = join(place(), 'ready.json');
    writeFileSync(path, 'left', { mode: 0o644 });
    const before = statSync(path).ino;
    const held = openSync(path, 'r');
    const ready = readyFile(path);
    ready.write(line);
    expect(readFileSync(held, 'utf8')).toBe('left');
    expect(statSync(path).ino).not.toBe(before);
    expect(readFileSync(path, 'utf8')).toBe(`${line}\n`);
  });

  it.skipIf(posix.missing)(`has the mode 0600, whatever the umask and whatever was there${posix.note}`, () => {
    const path = join(place(), 'ready.json');
    writeFileSync(path, 'left', { mode: 0o666 });
    const before = process.umask(0);
    onTestFinished(() => void process.umask(before));
    readyFile(path).write(line);
    expect(lstatSync(path).mode & 0o7777).toBe(0o600);
  });

  it.skipIf(posix.missing)(`writes through no link that was planted beside it${posix.note}`, () => {
    const folder = place(0o1777);
    const path = join(folder, 'ready.json');
    const victim = join(place(), 'victim');
    writeFileSync(victim, 'precious');
    for (const name of [`ready.json.${process.pid}`, 'ready.json.tmp', 'ready.json.new']) {
      symlinkSync(victim, join(folder, name));
    }
    readyFile(path).write(line);
    expect(readFileSync(victim, 'utf8')).toBe('precious');
    expect(readFileSync(path, 'utf8')).toBe(`${line}\n`);
  });

  it.skipIf(posix.missing)(`rejects a link, wherever it leads, and leaves both as they are${posix.note}`, () => {
    const folder = place();
    const path = join(folder, 'ready.json');
    const victim = join(place(), 'victim');
    writeFileSync(victim, 'precious');
    for (const target of [victim, join(folder, 'nowhere')]) {
      symlinkSync(target, path);
      const ready = readyFile(path);
      for (const work of [() => ready.clear(), () => ready.write(line)]) {
        expect(work).toThrow(/The ready file .* cannot be \w+: it is a symbolic link\./);
      }
      expect(lstatSync(path).isSymbolicLink()).toBe(true);
      rmSync(path);
    }
    expect(readFileSync(victim, 'utf8')).toBe('precious');
  });

  it.skipIf(posix.missing)(`rejects what is no file, and does not remove it${posix.note}`, () => {
    const path = join(place(), 'ready.json');
    mkdirSync(path);
    const ready = readyFile(path);
    expect(() => ready.clear()).toThrow(/not a regular file/);
    expect(() => ready.write(line)).toThrow(/not a regular file/);
    expect(existsSync(path)).toBe(true);
  });

  it.skipIf(root.missing)(`rejects a file that belongs to another user${root.note}`, () => {
    const path = join(place(0o1777), 'ready.json');
    writeFileSync(path, 'planted', { mode: 0o666 });
    chownSync(path, stranger, stranger);
    const ready = readyFile(path);
    expect(() => ready.clear()).toThrow(/belongs to another user/);
    expect(() => ready.write(line)).toThrow(/belongs to another user/);
    expect(readFileSync(path, 'utf8')).toBe('planted');
  });

  it.skipIf(posix.missing)(
    `refuses a folder in which every user may replace files, and takes one with the sticky bit${posix.note}`,
    () => {
      const path = join(place(0o777), 'ready.json');
      expect(() => readyFile(path).write(line)).toThrow(/every user may replace files in .*chmod o-w/);
      expect(existsSync(path)).toBe(false);
      const shared = join(place(0o1777), 'ready.json');
      readyFile(shared).write(line);
      expect(existsSync(shared)).toBe(true);
    },
  );

  it('is left alone at the end when another process has put its own there meanwhile', () => {
    const path = join(place(), 'ready.json');
    const first = readyFile(path);
    first.write(line);
    const second = readyFile(path);
    second.write('{"event":"ready","pid":2}');
    first.remove();
    expect(readFileSync(path, 'utf8')).toBe('{"event":"ready","pid":2}\n');
    second.remove();
    expect(existsSync(path)).toBe(false);
  });

  it('removes nothing at the end when it was never written', () => {
    const path = join(place(), 'ready.json');
    writeFileSync(path, 'of another');
    readyFile(path).remove();
    expect(readFileSync(path, 'utf8')).toBe('of another');
  });

  it.skipIf(posix.missing)(`does not write into a file that has another name as well${posix.note}`, () => {
    const folder = place();
    const path = join(folder, 'ready.json');
    writeFileSync(join(folder, 'other'), 'precious');
    linkSync(join(folder, 'other'), path);
    readyFile(path).write(line);
    expect(readFileSync(join(folder, 'other'), 'utf8')).toBe('precious');
  });

  it.skipIf(posix.missing)(
    `that is a link which leads nowhere is not only missing when it is read${posix.note}`,
    () => {
      const path = join(place(), 'ready.json');
      symlinkSync('/nowhere/ready.json', path);
      expect(() => readReadyFile(path)).toThrow(
        `The ready file ${path} cannot be read: ${path} is a symbolic link to /nowhere/ready.json, which does not exist`,
      );
      expect(() => readyFile(join(path, 'ready.json')).clear()).toThrow(
        `cannot be written: ${path} is a symbolic link to /nowhere/ready.json, which does not exist`,
      );
    },
  );
});
