import { execFile } from 'node:child_process';
import { openFirst } from './places.ts';
import { checkWholeFile } from './whole-file.ts';

/** Path of the forwarder, or where it was looked for and why each place failed, one line a place. */
export type ForwarderFound = { readonly path: string } | { readonly missing: readonly string[] };

/**
 * Finds the first forwarder that runs on this machine: each is asked for its version, so that one for another system, or
 * in a folder from which nothing may be started, is passed over. Never rejects.
 */
export function findForwarder(): Promise<ForwarderFound> {
  return openFirst(forwarderFile, async path => {
    await checkWholeFile(path);
    await askVersion(path);
    return { path };
  });
}

const forwarderFile = process.platform === 'win32' ? 'rallypoint-forwarder.exe' : 'rallypoint-forwarder';
const versionMsMax = 2000;

function askVersion(path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    execFile(path, ['--version'], { timeout: versionMsMax, windowsHide: true }, (error, stdout) => {
      if (error) reject(new Error(`cannot be started: ${error.message}`));
      else if (!stdout.startsWith('rallypoint-forwarder ')) reject(new Error('is another program'));
      else resolve();
    });
  });
}
