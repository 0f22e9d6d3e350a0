import type { Store, Transaction } from '../store/contract.ts';
import type { MaybePromise } from '../support/maybe-promise.ts';
import { WrappedStore } from './wrapped-store.ts';

/** Attributes of a span, with the names of OpenTelemetry's conventions where they exist. */
export type Attributes = Readonly<Record<string, string | number | undefined>>;

/** Runs a function within a span. */
export type InSpan = <T>(name: string, attributes: Attributes, work: () => Promise<T>) => Promise<T>;

/** A store whose transactions have a span, from the queue to the disk. */
export class TracedStore extends WrappedStore {
  readonly #inSpan: InSpan;

  constructor(store: Store, inSpan: InSpan) {
    super(store);
    this.#inSpan = inSpan;
  }

  override transact<T>(
    scope: string,
    work: (transaction: Transaction) => MaybePromise<T>,
    guards?: readonly string[],
  ): Promise<T> {
    // An id follows the slash.
    const [kind = ''] = scope.split('/', 1);
    const attributes = { 'db.system.name': this.engine, 'rallypoint.store.scope': kind };
    return this.#inSpan('store.transact', attributes, () => this.store.transact(scope, work, guards));
  }
}
