import { execFile } from 'node:child_process';
import { checkWholeFile, openFirst } from './built-files.ts';

/** The path of the forwarder, or the places where it was searched for and why each failed, one line per place. */
export type ForwarderFound = { readonly path: string } | { readonly missing: readonly string[] };

/**
 * Finds the first forwarder that runs on this machine. Each is started to print its version, so that one for another system,
 * or in a folder without permission to execute, is skipped. Never rejects.
 */
export function findForwarder(): Promise<ForwarderFound> {
  return openFirst(forwarderFile, async path => {
    await checkWholeFile(path);
    await checkVersion(path);
    return { path };
  });
}

const forwarderFile = process.platform === 'win32' ? 'rallypoint-forwarder.exe' : 'rallypoint-forwarder';
const versionMsMax = 2000;

function checkVersion(path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    execFile(path, ['--version'], { timeout: versionMsMax, windowsHide: true }, (error, stdout) => {
      if (error) reject(new Error(`cannot be started: ${error.message}`));
      else if (!stdout.startsWith('rallypoint-forwarder ')) reject(new Error('is not the forwarder'));
      else resolve();
    });
  });
}
