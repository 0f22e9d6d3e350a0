import type { EventReader } from '../../../src/service/cluster/event-reader.ts';

/** What reads events for the services of this process, in a run on PostgreSQL; empty otherwise. */
export const eventReaders = new Set<EventReader>();

/** Resolves when everything that was committed before the call was delivered to the sessions of this process. */
export async function delivered(): Promise<void> {
  // One that is closed meanwhile delivers no more.
  await Promise.all([...eventReaders].map(reader => reader.caughtUp().catch(() => eventReaders.delete(reader))));
}
