import { lstatSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { isCredential } from '../wire/arguments.ts';
import { obstacleTo } from '../wire/files/obstacle.ts';
import { type FileIdentity, replaceFile } from '../wire/files/replace-file.ts';
import { asRecord } from '../wire/http/codec.ts';
import { systemCode } from '../wire/http/transport.ts';
import { readJsonFile } from '../wire/json-file.ts';
import { makeFolder } from '../wire/make-folder.ts';
import { CommandFailure } from './command-line.ts';
import { type ControlAddress, control } from './control/request.ts';
import { fileTrouble } from './failure.ts';
import { printable } from './paint.ts';
import { defaultReadyFile } from './serve-options.ts';

/** A file that is there, whole, exactly while the service accepts traffic. It holds the control token: only its owner reads it. */
export interface ReadyFile {
  /** Removes the one that a killed process has left. @throws CommandFailure */
  clear(): void;
  /** @throws CommandFailure */
  write(line: string): void;
  /** Removes what {@link write} has put there, unless something else is in its place by now. @throws CommandFailure */
  remove(): void;
}

export function readyFile(path: string): ReadyFile {
  let written: FileIdentity | undefined;

  function attempt<T>(what: string, work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw new CommandFailure(`The ready file ${path} cannot be ${what}: ${fileTrouble(path, error)}`);
    }
  }

  return {
    clear: () =>
      attempt('written', () => {
        rejectUnlessOurs(path);
        rmSync(path, { force: true });
      }),
    write: line => {
      written = attempt('written', () => {
        rejectUnlessOurs(path);
        return replaceFile(path, `${line}\n`, 0o600);
      });
    },
    remove: () =>
      attempt('removed', () => {
        if (written && isAt(path, written)) rmSync(path, { force: true });
      }),
  };
}

/**
 * In a folder that others can write to, the path may lead to what they have put there: to a file of theirs, which they go on
 * reading, or by a link to one of ours, which would be lost. Windows has neither such modes nor such owners.
 */
function rejectUnlessOurs(path: string): void {
  const uid = process.geteuid?.();
  if (uid !== undefined) rejectOpenFolder(dirname(resolve(path)));
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (found.isSymbolicLink()) throw new Error('it is a symbolic link. Remove it, or name another file.');
  if (!found.isFile()) throw new Error('it is not a regular file. Name another path.');
  if (uid !== undefined && found.uid !== uid) throw new Error('it belongs to another user. Name another file.');
}

function rejectOpenFolder(folder: string): void {
  const { mode } = statSync(folder);
  const isWritableByOthers = (mode & 0o002) !== 0;
  const isSticky = (mode & 0o1000) !== 0;
  if (isWritableByOthers && !isSticky) {
    throw new Error(
      `every user may replace files in ${folder}. Remove that permission (chmod o-w), or choose another folder.`,
    );
  }
}

function isAt(path: string, { dev, ino }: FileIdentity): boolean {
  const found = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return found?.dev === dev && found.ino === ino;
}

/** How long a service that has written the ready file may take to show that it is running. */
const answerMsMax = 2000;

/** The address of the running service that a ready file names; undefined if there is none. */
export async function runningService(path: string): Promise<string | undefined> {
  try {
    const address = readReadyFile(path);
    await control({ ...address, timeoutMs: answerMsMax }, 'GET /clock');
    return address.url;
  } catch {
    return undefined;
  }
}

/** Makes the folder of {@link defaultReadyFile}. @throws CommandFailure */
export async function makeReadyFolder(): Promise<void> {
  await makeFolder(dirname(defaultReadyFile), 0o700).catch(error => {
    throw new CommandFailure(
      `The ready file ${defaultReadyFile} cannot be written: ${fileTrouble(defaultReadyFile, error)}. Name another one by --ready-file FILE.`,
    );
  });
}

/** The service that has written a ready file, which may have stopped since. @throws CommandFailure */
export function readReadyFile(path: string): ControlAddress {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (systemCode(error) !== 'ENOENT' || obstacleTo(path)) {
      throw new CommandFailure(printable(`The ready file ${path} cannot be read: ${fileTrouble(path, error)}`));
    }
    const hint = 'Start a service by "rallypoint dev", or pass --ready-file FILE, or --control and --control-token.';
    throw new CommandFailure(printable(`There is no ready file ${path}. ${hint}`));
  }
  const content = readJsonFile(text);
  const { control_base, control_token } = ('value' in content ? asRecord(content.value) : undefined) ?? {};
  if (typeof control_base === 'string' && isCredential(control_token)) {
    return { url: control_base, token: control_token };
  }
  throw new CommandFailure(printable(`${path} is not a ready file: control_base or control_token is missing.`));
}
