import { openLoopbackReceiver } from '../../auth/loopback-receiver.ts';
import { openKeychain } from '../../keychain/open-keychain.ts';
import { findForwarder } from '../../native/find-forwarder.ts';
import { loadNative } from '../../native/load.ts';
import { elevation, isElevatedOnWindows } from '../elevation.ts';
import type { Machine } from '../machine.ts';
import { bad, type Finding, good } from './finding.ts';

interface Here {
  readonly machine: Machine;
}

const runAsPlayer = 'Start the game as the person who is signed in to the desktop, or redirect to loopback.';

export async function checkRights({ machine }: Here): Promise<Finding[]> {
  const elevated = await elevation(machine);
  if (elevated) return [bad('rights', `${elevated} The player's browser cannot hand it redirects.`, runAsPlayer)];
  if (machine.platform === 'win32' && (await isElevatedOnWindows())) {
    const message = "This process runs elevated: the player's browser does not, and may not write to its pipe.";
    return [bad('rights', message, runAsPlayer)];
  }
  return [good('rights', "Nothing shows that this process has other rights than the player's browser.")];
}

export async function checkAddon({ machine }: Here): Promise<Finding[]> {
  const found = await loadNative();
  if ('addon' in found) return [good('addon', 'The native addon is loaded.')];
  const looked = sentences(found.missing);
  if (machine.platform === 'win32' || machine.platform === 'darwin') {
    const remedy = 'Put it there. Until then Electron can register schemes, and loopback redirects need none.';
    return [bad('addon', `The native addon is missing. ${looked}`, remedy)];
  }
  return [
    good('addon', `The native addon is not needed here: xdg-mime registers schemes. It was not found. ${looked}`),
  ];
}

export async function checkForwarder(): Promise<Finding[]> {
  const found = await findForwarder();
  if ('path' in found) return [good('forwarder', `The forwarder is ${found.path}.`)];
  const message = `The forwarder is missing: each redirect starts a second copy of the game. ${sentences(found.missing)}`;
  return [bad('forwarder', message, 'Put it there, and let the game register its scheme again.')];
}

export async function checkLoopback(): Promise<Finding[]> {
  const nobody = { judge: () => ({ kind: 'foreign' }) as const, settle: () => {} };
  try {
    const receiver = await openLoopbackReceiver(nobody);
    receiver.close();
    return [good('loopback', 'A loopback port can be opened for redirects.')];
  } catch (error) {
    return [bad('loopback', explain(error), 'Let the game listen on 127.0.0.1, or redirect to a custom scheme.')];
  }
}

// What the system lacks is in the message.
const keychainRemedy =
  "Do what the message says, or let the game allow another tier: openKeychain({ allow: ['encrypted-file'] }).";

export async function checkKeychain(): Promise<Finding[]> {
  try {
    const { backend } = await openKeychain({ service: 'rallypoint-doctor', allow: ['system'] });
    return [good('keychain', `The system's keychain keeps secrets (by ${backend}).`)];
  } catch (error) {
    return [bad('keychain', explain(error), keychainRemedy)];
  }
}

function sentences(lines: readonly string[]): string {
  return lines.map(line => (/[.!?]$/.test(line) ? line : `${line}.`)).join(' ');
}

function explain(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
