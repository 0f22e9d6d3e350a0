import type { Announcement } from '../events/announcement.ts';
import type { KeyPart, ListQuery, Store, StoreContent, Transaction } from '../store/contract.ts';
import type { CollectionName, CommandRecord, Records } from '../store/records.ts';
import type { MaybePromise } from '../support/maybe-promise.ts';
import type { Activity } from './activity.ts';
import type { Exchange } from './traffic/describe.ts';
import { WrappedStore } from './wrapped-store.ts';

/** A store that tells the activity what its transactions announce and change, and that notes in announcements what caused them. */
export class ActivityStore extends WrappedStore {
  readonly #activity: Activity;
  readonly #delivered: (() => Promise<void>) | undefined;

  /** @param delivered resolves when what was committed was delivered; absent where that is so before a transaction resolves */
  constructor(store: Store, activity: Activity, delivered?: () => Promise<void>) {
    super(store);
    this.#activity = activity;
    this.#delivered = delivered;
  }

  override transact<T>(
    scope: string,
    work: (transaction: Transaction) => MaybePromise<T>,
    guards?: readonly string[],
  ): Promise<T> {
    const { isRecording } = this.#activity;
    return isRecording ? this.#transact(scope, work, guards) : this.store.transact(scope, work, guards);
  }

  async #transact<T>(
    scope: string,
    work: (transaction: Transaction) => MaybePromise<T>,
    guards?: readonly string[],
  ): Promise<T> {
    const activity = this.#activity;
    const exchange = activity.current;
    let observed: ObservedTransaction | undefined;
    const result = await this.store.transact(
      scope,
      transaction => {
        // Of several attempts only the last one counts.
        observed = new ObservedTransaction(transaction, activity, exchange);
        return work(observed);
      },
      guards,
    );
    this.#recordUnfollowed(scope, observed?.announcements ?? []);
    for (const [id, command] of observed?.commands ?? []) activity.commandChanged(id, command);
    activity.committed(scope);
    return result;
  }

  /** Events with followers are recorded where they are delivered; until then, sessions may begin to follow. */
  #recordUnfollowed(scope: string, announcements: readonly Announcement[]): void {
    const activity = this.#activity;
    const unfollowed = announcements.filter(({ to }) => activity.followersOf(to) === 0);
    if (unfollowed.length === 0) return;
    const record = () => {
      for (const announcement of unfollowed) {
        if (activity.followersOf(announcement.to) === 0) activity.announced({ ...announcement, scope }, 0);
      }
    };
    if (this.#delivered) void this.#delivered().then(record, record);
    else record();
  }

  override async load(content: StoreContent): Promise<void> {
    await this.store.load(content);
    this.#activity.committed('*');
  }
}

class ObservedTransaction implements Transaction {
  readonly announcements: Announcement[] = [];
  commands: Map<string, CommandRecord | undefined> | undefined;
  readonly #transaction: Transaction;
  readonly #activity: Activity;
  readonly #exchange: Exchange | undefined;

  constructor(transaction: Transaction, activity: Activity, exchange: Exchange | undefined) {
    this.#transaction = transaction;
    this.#activity = activity;
    this.#exchange = exchange;
  }

  get revision(): number {
    return this.#transaction.revision;
  }

  get<Name extends CollectionName>(
    collection: Name,
    ...key: readonly KeyPart[]
  ): MaybePromise<Records[Name] | undefined> {
    return this.#transaction.get(collection, ...key);
  }

  list<Name extends CollectionName>(collection: Name, query?: ListQuery<Name>): MaybePromise<readonly Records[Name][]> {
    return this.#transaction.list(collection, query);
  }

  put<Name extends CollectionName>(collection: Name, record: Records[Name]): void {
    this.#transaction.put(collection, record);
    if (collection !== 'commands') return;
    const command = record as CommandRecord;
    this.commands ??= new Map();
    this.commands.set(command.id, command);
  }

  delete<Name extends CollectionName>(collection: Name, ...key: readonly KeyPart[]): void {
    this.#transaction.delete(collection, ...key);
    if (collection !== 'commands') return;
    this.commands ??= new Map();
    this.commands.set(String(key[0]), undefined);
  }

  announce(announcement: Announcement): void {
    const caused = this.#exchange ? { ...announcement, cause: this.#activity.causeOf(this.#exchange) } : announcement;
    if (caused.event) this.announcements.push(caused);
    this.#transaction.announce(caused);
  }
}
