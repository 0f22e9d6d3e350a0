import type { Bus } from '../bus/contract.ts';
import type { Store } from '../store/contract.ts';
import type { PendingWork } from '../support/pending-work.ts';
import type { Cluster } from './contract.ts';

/*
 * For a virtual clock: what goes to PostgreSQL and Redis takes real time and certainly ends, so virtual time waits for it. A system
 * clock needs none of this.
 */

/** The same store, with all that it does counted as work under way. */
export function countedStore(store: Store, pendingWork: PendingWork): Store {
  return counted(store, pendingWork, ['get', 'list', 'count', 'revision', 'transact', 'read', 'dump', 'load']);
}

export function countedBus(bus: Bus, pendingWork: PendingWork): Bus {
  return counted(bus, pendingWork, ['count', 'enter', 'present', 'lease']);
}

export function countedCluster(cluster: Cluster, pendingWork: PendingWork): Cluster {
  return counted(cluster, pendingWork, ['caughtUp', 'enter', 'leave', 'departed', 'nodes', 'forget']);
}

type Method = (...given: readonly unknown[]) => unknown;

/** The same object, with some methods whose promises are counted. */
function counted<T extends object>(target: T, pendingWork: PendingWork, names: readonly (keyof T & string)[]): T {
  const methods = new Map<unknown, Method>();
  for (const name of names) {
    const method = (target[name] as Method).bind(target);
    methods.set(name, (...given) => {
      const result = method(...given);
      return result instanceof Promise ? pendingWork.runAside(() => result) : result;
    });
  }
  return new Proxy(target, {
    get(object, name) {
      const known = methods.get(name);
      if (known) return known;
      const value: unknown = Reflect.get(object, name, object);
      return typeof value === 'function' ? value.bind(object) : value;
    },
  });
}
