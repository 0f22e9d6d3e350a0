import { EventReader } from '../../../src/service/cluster/event-reader.ts';
import { type Service, type ServiceOptions, startService as start } from '../../../src/service/index.ts';
import { eventReaders } from './delivery.ts';
import { freshEngines } from './fresh-engines.ts';

/**
 * Stands in for the service's entry point in a run with RALLYPOINT_TEST_ENGINES=shared (vitest.config.ts): what tests start without
 * a data folder is a node on a PostgreSQL database and a Redis number of its own.
 */
export * from '../../../src/service/index.ts';

export async function startService(options: ServiceOptions = {}): Promise<Service> {
  if (options.data !== undefined || options.store !== undefined) return start(options);
  return start({ ...options, ...(await freshEngines()) });
}

// Tests ask for what was committed (delivery.ts), and a service shows nobody its reader.
const begin = EventReader.prototype.start;
EventReader.prototype.start = function () {
  eventReaders.add(this);
  return begin.call(this);
};
