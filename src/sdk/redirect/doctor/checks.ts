import { RedirectError } from '../../../model/errors/errors.ts';
import type { Clock } from '../../../wire/clock/ports.ts';
import { openLoopbackReceiver } from '../../auth/loopback-receiver.ts';
import { openKeychain } from '../../keychain/open-keychain.ts';
import { loadNative } from '../../native/addon.ts';
import { findForwarder } from '../../native/find-forwarder.ts';
import { forwarderAgreement } from '../../native/forwarder.ts';
import { elevationOf, isElevatedOnWindows, type Machine } from '../machine.ts';
import { privacyProblem, type SocketLocation, socketLocationOf } from '../socket-location.ts';
import { deliver } from '../socket-protocol.ts';
import { bad, type Finding, type FindingCode, findingCodes, good } from './finding.ts';
import { checkScheme } from './scheme-checks.ts';

/** What to examine. */
export interface Examination {
  readonly scheme: string | undefined;
  readonly folder: string | undefined;
  readonly handler: string | undefined;
  readonly clock: Clock;
  readonly machine: Machine;
}

const runAsPlayer = 'Start the game as the user of the desktop, or use loopback redirects.';

async function checkRights({ machine }: Examination): Promise<Finding[]> {
  const elevated = await elevationOf(machine);
  if (elevated) return [bad('rights', `${elevated} Redirects of the player's browser cannot reach it.`, runAsPlayer)];
  if (machine.platform === 'win32' && (await isElevatedOnWindows())) {
    const message =
      "This process runs elevated. The player's browser does not, so redirects cannot be written to its pipe.";
    return [bad('rights', message, runAsPlayer)];
  }
  return [good('rights', "This process seems to run with the same rights as the player's browser.")];
}

async function checkAddon({ machine }: Examination): Promise<Finding[]> {
  const found = await loadNative();
  if ('addon' in found) return [good('addon', 'The native addon is loaded.')];
  const searched = sentences(found.missing);
  if (machine.platform === 'win32' || machine.platform === 'darwin') {
    const remedy =
      'Put it into one of these folders. Without it Electron can register schemes, and loopback redirects need no scheme.';
    return [bad('addon', `The native addon is missing. ${searched}`, remedy)];
  }
  return [
    good('addon', `The native addon was not found, and is not needed: xdg-mime registers schemes here. ${searched}`),
  ];
}

async function checkForwarder(): Promise<Finding[]> {
  const found = await findForwarder();
  if ('path' in found) return [good('forwarder', `The forwarder is ${found.path}.`)];
  const message = `The forwarder is missing: each redirect starts a second copy of the game. ${sentences(found.missing)}`;
  return [
    bad(
      'forwarder',
      message,
      'Put it into one of these folders, and start the game, which registers its scheme again.',
    ),
  ];
}

async function checkLoopback(): Promise<Finding[]> {
  const validator = { validate: () => ({ kind: 'foreign' }) as const, settle: () => {} };
  try {
    const receiver = await openLoopbackReceiver(validator);
    await receiver.close();
    return [good('loopback', 'A loopback port can be opened for redirects.')];
  } catch (error) {
    return [bad('loopback', messageOf(error), 'Allow the game to listen on 127.0.0.1, or use a custom scheme.')];
  }
}

const keychainRemedy =
  "Do what the message says, or allow another tier in the game: openKeychain({ allow: ['encrypted-file'] }).";

async function checkKeychain(): Promise<Finding[]> {
  try {
    const { backend } = await openKeychain({ service: 'rallypoint-doctor', allow: ['system'] });
    return [good('keychain', `The system's keychain works (backend ${backend}).`)];
  } catch (error) {
    return [bad('keychain', messageOf(error), keychainRemedy)];
  }
}

function sentences(lines: readonly string[]): string {
  return lines.map(line => (/[.!?]$/.test(line) ? line : `${line}.`)).join(' ');
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function checkFolder(asked: Examination): Promise<Finding[]> {
  return checkLocation('folder', asked, async ({ folder }) => {
    if (folder === undefined) return good('folder', 'On Windows the game listens on a pipe, which has no folder.');
    try {
      const problem = await privacyProblem(folder, asked.machine.uid);
      if (problem === undefined) return good('folder', `Only this user can access ${folder}.`);
      return bad(
        'folder',
        `The game does not listen: ${problem}`,
        'Delete the folder, or pass another one to the game.',
      );
    } catch {
      return good('folder', `${folder} does not exist yet; the game creates it.`);
    }
  });
}

// Not an address, so the game rejects it; any answer shows that the game responds.
const probe = 'doctor';

async function checkListener(asked: Examination): Promise<Finding[]> {
  if (asked.scheme === undefined) return [];
  return checkLocation('listener', asked, async ({ path }) => {
    const answer = await deliver(path, probe, asked.clock, forwarderAgreement.answerMsMax);
    if (answer === 'absent') return good('listener', `No game listens at ${path} at present.`);
    if (answer !== 'silent') return good('listener', `A game listens at ${path} and answers.`);
    return bad(
      'listener',
      `A game listens at ${path} and does not answer.`,
      'End the copy of the game that does not respond.',
    );
  });
}

async function checkLocation(
  code: FindingCode,
  { scheme = 'any', folder, machine }: Examination,
  check: (location: SocketLocation) => Promise<Finding>,
): Promise<Finding[]> {
  try {
    return [await check(socketLocationOf(scheme, folder, machine))];
  } catch (error) {
    if (!(error instanceof RedirectError)) throw error;
    const remedy =
      error.code === 'listener_not_ours'
        ? 'Quit that copy of the game, and start it as this user.'
        : 'Pass another folder.';
    return [bad(code, error.message, remedy)];
  }
}

const checks: readonly ((examination: Examination) => Promise<readonly Finding[]>)[] = [
  checkRights,
  checkAddon,
  checkForwarder,
  checkScheme,
  checkFolder,
  checkListener,
  checkLoopback,
  checkKeychain,
];

/** Every finding, in the order of {@link findingCodes}. */
export async function examine(examination: Examination): Promise<readonly Finding[]> {
  const found = await Promise.all(checks.map(check => check(examination)));
  return found.flat().sort((a, b) => findingCodes.indexOf(a.code) - findingCodes.indexOf(b.code));
}
