import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A freedesktop world of its own: private folders, one per variable. */
export interface Desktop {
  readonly env: Readonly<Record<string, string>>;
  /** Writes a file below the folder of a variable; a list of lines. */
  write(variable: DesktopFolder, name: string, lines: readonly string[]): void;
  read(variable: DesktopFolder, name: string): string;
  /** An entry that can be opened: its program exists. */
  install(variable: 'XDG_DATA_HOME' | 'XDG_DATA_DIRS', id: string, more?: readonly string[]): void;
}

export const desktopFolders = ['XDG_CONFIG_HOME', 'XDG_CONFIG_DIRS', 'XDG_DATA_HOME', 'XDG_DATA_DIRS'] as const;
export type DesktopFolder = (typeof desktopFolders)[number];

/** @param current names of the desktop that runs, as in XDG_CURRENT_DESKTOP */
export function desktopIn(folder: string, current = ''): Desktop {
  const env = Object.fromEntries(desktopFolders.map(name => [name, join(folder, name.toLowerCase())]));
  const desktop: Desktop = {
    env: { ...env, HOME: folder, XDG_CURRENT_DESKTOP: current, LC_ALL: 'C.UTF-8' },
    write(variable, name, lines) {
      const path = join(env[variable] ?? '', name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, lines.map(line => `${line}\n`).join(''));
    },
    read: (variable, name) => readFileSync(join(env[variable] ?? '', name), 'utf8'),
    install(variable, id, more = []) {
      const entry = ['[Desktop Entry]', 'Type=Application', `Name=${id}`, 'Exec=/bin/true %u', ...more];
      desktop.write(variable, join('applications', id), entry);
    },
  };
  return desktop;
}

/** Runs `work` with the variables set in this process, and puts them back. */
export async function withEnv<T>(env: Readonly<Record<string, string>>, work: () => Promise<T> | T): Promise<T> {
  const before = Object.keys(env).map(name => [name, process.env[name]] as const);
  Object.assign(process.env, env);
  try {
    return await work();
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
}

/** A program, of a shell's lines. */
export function writeProgram(path: string, lines: readonly string[]): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, ['#!/bin/sh', ...lines, ''].join('\n'));
  chmodSync(path, 0o755);
}
