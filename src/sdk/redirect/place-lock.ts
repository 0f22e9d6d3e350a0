import { KeychainError, RedirectError } from '../../model/errors/errors.ts';
import type { Clock } from '../../wire/clock/ports.ts';
import { openProcessLock } from '../credentials/process-lock.ts';
import type { Exclusively } from './instance.ts';
import type { Place } from './place.ts';

/**
 * A lock between the processes that want the place: of two that start at once one becomes the first. On Windows none is
 * needed, since a pipe's name is taken in one step.
 *
 * @throws RedirectError `cannot_listen`, before the work began
 */
export function lockAt({ folder, path }: Place, clock: Clock): Exclusively {
  if (folder === undefined) return work => work();
  return async work => {
    try {
      const lock = await openProcessLock({ path: `${path}.lock`, clock });
      return await lock.hold(work);
    } catch (cause) {
      if (!(cause instanceof KeychainError)) throw cause;
      throw new RedirectError('cannot_listen', cause.message, { cause });
    }
  };
}
