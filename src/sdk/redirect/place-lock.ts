import type { Clock } from '../../wire/ports.ts';
import { openProcessLock } from '../credentials/process-lock.ts';
import type { Exclusively } from './instance.ts';
import type { Place } from './place.ts';

/**
 * A lock between the processes that want the place: of two that start at once one becomes the first. On Windows none is
 * needed, since a pipe's name is taken in one step.
 */
export function lockAt({ folder, path }: Place, clock: Clock): Exclusively {
  if (folder === undefined) return work => work();
  return async work => (await openProcessLock({ path: `${path}.lock`, clock })).hold(work);
}
