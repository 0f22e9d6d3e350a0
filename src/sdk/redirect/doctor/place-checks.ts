import { RedirectError } from '../../../model/errors/errors.ts';
import type { Clock } from '../../../wire/clock/ports.ts';
import { forwarderAgreement } from '../../native/forwarder.ts';
import type { Machine } from '../machine.ts';
import { type Place, placeOf, privacyFault } from '../place.ts';
import { handOver } from '../reach.ts';
import { bad, type Finding, type FindingCode, good } from './finding.ts';

interface Asked {
  readonly scheme: string | undefined;
  readonly folder: string | undefined;
  readonly clock: Clock;
  readonly machine: Machine;
}

export async function checkFolder(asked: Asked): Promise<Finding[]> {
  return atPlace('folder', asked, async ({ folder }) => {
    if (folder === undefined) return good('folder', 'On Windows the game listens on a pipe, which is in no folder.');
    try {
      const fault = await privacyFault(folder, asked.machine.uid);
      if (fault === undefined) return good('folder', `${folder} is this user's alone.`);
      return bad('folder', `The game refuses to listen: ${fault}`, 'Remove it, or give the game another folder.');
    } catch {
      return good('folder', `${folder} is not there yet; the game makes it.`);
    }
  });
}

// No address, so no game takes it for one; any answer to it is a sign of life.
const question = 'doctor';

export async function checkListener(asked: Asked): Promise<Finding[]> {
  if (asked.scheme === undefined) return [];
  return atPlace('listener', asked, async ({ path }) => {
    const answer = await handOver(path, question, asked.clock, forwarderAgreement.answerMsMax);
    if (answer === 'absent') return good('listener', `No game listens at ${path} at present.`);
    if (answer !== 'silent') return good('listener', `A game listens at ${path} and answers.`);
    return bad('listener', `A game listens at ${path} and does not answer.`, 'Quit the copy of the game that hangs.');
  });
}

async function atPlace(
  code: FindingCode,
  { scheme = 'any', folder, machine }: Asked,
  check: (place: Place) => Promise<Finding>,
): Promise<Finding[]> {
  try {
    return [await check(placeOf(scheme, folder, machine))];
  } catch (error) {
    if (!(error instanceof RedirectError)) throw error;
    const remedy =
      error.code === 'listener_not_ours'
        ? 'Quit that copy of the game; start it as this user.'
        : 'Give another folder.';
    return [bad(code, error.message, remedy)];
  }
}
