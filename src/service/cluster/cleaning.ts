import { type Cancel, type Clock, type Logger, systemClock } from '../../wire/clock/ports.ts';
import type { Bus } from '../bus/contract.ts';
import { BusError } from '../bus/errors.ts';

const everyMs = 10_000;

/**
 * Deletes regularly what the cluster needs no more. One node does it for all: the first that finds the lease free. The lease is not
 * released, so that it also keeps the interval. While Redis is away every node does it, which does no harm.
 *
 * @param clean deletes a bounded part; it may run at several nodes at the same time
 * @param clock not that of the service: what is deleted is dated by the database
 * @returns ends it, after the deletion under way
 */
export function startCleaning(
  bus: Pick<Bus, 'lease'>,
  clean: () => Promise<unknown>,
  log: Logger,
  clock: Clock = systemClock,
): () => Promise<void> {
  let cancel: Cancel = () => {};
  let isClosed = false;
  let hasFailed = false;
  let cleaning: Promise<void> = Promise.resolve();

  async function run(): Promise<void> {
    try {
      if (await isOurs()) await clean();
      hasFailed = false;
    } catch (error) {
      if (!hasFailed) log.error({ error }, 'Old events and commits cannot be deleted; it is tried again.');
      hasFailed = true;
    }
    if (!isClosed) schedule();
  }

  async function isOurs(): Promise<boolean> {
    try {
      return (await bus.lease('cleaning', everyMs)) !== undefined;
    } catch (error) {
      if (error instanceof BusError) return true;
      throw error;
    }
  }

  function schedule(): void {
    // Spread, so that the nodes do not all ask at the same moment.
    cancel = clock.schedule(everyMs * (0.9 + Math.random() * 0.2), () => {
      cleaning = run();
      return cleaning;
    });
  }

  schedule();
  return async () => {
    isClosed = true;
    cancel();
    await cleaning;
  };
}
