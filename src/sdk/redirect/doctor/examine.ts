import type { Clock } from '../../../wire/clock/ports.ts';
import type { Machine } from '../machine.ts';
import { type Finding, findingCodes } from './finding.ts';
import { checkAddon, checkForwarder, checkKeychain, checkLoopback, checkRights } from './machine-checks.ts';
import { checkFolder, checkListener } from './place-checks.ts';
import { checkScheme } from './scheme-checks.ts';

/** What the doctor was asked about, and where. */
export interface Examination {
  readonly scheme: string | undefined;
  readonly folder: string | undefined;
  readonly handler: string | undefined;
  readonly clock: Clock;
  readonly machine: Machine;
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
