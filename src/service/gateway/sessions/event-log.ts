import { Buffer } from 'node:buffer';
import { type Announced, type Announcement, type Topic, topicsIn } from '../../events/announcement.ts';
import type { GatewayEventRecord } from '../../store/records.ts';
import { LruCache } from '../../support/lru-cache.ts';
import { runtimeLimits } from '../../support/service-limits.ts';
import { applyDelta, deltaOf, lengthOf } from '../../support/text-delta.ts';

/** The number of sessions that receive an announcement, or would; 0: none. */
type CountReceivers = (announcement: Announcement) => number;

/** Shorter events are always stored whole. */
const wholeLengthMax = 2048;
/** Characters of events kept in memory, from which later events are stored as differences. */
const modelsLengthMax = 16 * 1024 * 1024;
/** Approximate size of a record without its event's data. */
const recordLength = 250;

/** An event that was stored whole, from which later ones of its scope are stored as differences. */
interface Model {
  readonly revision: number;
  readonly number: number;
  readonly text: string;
}

/**
 * Selects the announcements that must outlive the process, before their commit, and knows up to which commit all have
 * been delivered. An announcement without receivers is not stored, and costs one look-up. A large event, which mostly
 * repeats an earlier one of its scope, is stored as its difference from that one.
 *
 * It needs a bus that delivers within `publish` and in the order of the commits, like that of a single process.
 */
export class EventLog {
  #countReceivers: CountReceivers = () => 0;
  #onFull: () => void = () => {};
  #position = 0;
  #lostUpTo = 0;
  /** What was stored since {@link EventLog.turn}: records, their size, and the number of deliveries. */
  #kept = 0;
  #bytes = 0;
  #deliveries = 0;
  /** All that is stored, and its size. */
  readonly #stored = { entries: 0, bytes: 0 };
  /** Scope → the event from which later ones are stored as differences. */
  readonly #models = new LruCache<Model>(modelsLengthMax);
  /** The same for the commit in progress, which may fail. */
  #begun: readonly string[] = [];
  #begunAt = 0;
  /** Name of a stored base event → revision of the last event that is a difference from it. */
  readonly #lastUses = new Map<string, number>();

  /**
   * From now on stores the announcements for which `countReceivers` returns receivers.
   *
   * @param onFull called when half of the bound was stored since the last {@link EventLog.turn}
   */
  listen(countReceivers: CountReceivers, onFull: () => void = () => {}): void {
    this.#countReceivers = countReceivers;
    this.#onFull = onFull;
  }

  /** Revision of the last commit whose announcements were delivered. */
  get position(): number {
    return this.#position;
  }

  /** The number of announcements stored since {@link EventLog.turn}. */
  get kept(): number {
    return this.#kept;
  }

  /** The number of stored events, and their approximate size in bytes. */
  get stored(): { readonly entries: number; readonly bytes: number } {
    return this.#stored;
  }

  /** For the store: which of the announcements that it is about to commit to store. */
  keep(announced: readonly Announced[]): readonly GatewayEventRecord[] {
    this.#dropFailed(announced[0]?.revision ?? 0);
    const records: GatewayEventRecord[] = [];
    // A session that receives a new topic to follow also receives what the same commit announces there.
    const joined = new Set<Topic>();
    let previous: GatewayEventRecord | undefined;
    for (const one of announced) {
      const receivers = this.#countReceivers(one);
      if (receivers === 0 && !joined.has(one.to)) continue;
      for (const topic of topicsIn(one.follow)) joined.add(topic);
      const number: number = previous?.revision === one.revision ? previous.number + 1 : 0;
      previous = this.#record(one, number);
      records.push(previous);
      this.count(previous, receivers);
    }
    return records;
  }

  /** Counts a stored event, of this process or a former one. */
  count(record: GatewayEventRecord, receivers: number): void {
    const { revision, delta } = record;
    const bytes = bytesOf(record);
    this.#stored.entries++;
    this.#stored.bytes += bytes;
    if (delta) this.#lastUses.set(nameOf(delta), revision);
    const wasFull = this.#isFull;
    this.#kept++;
    this.#bytes += bytes;
    this.#deliveries += receivers;
    if (!wasFull && this.#isFull) this.#onFull();
  }

  /** Starts a new count: the events stored so far have been taken care of. */
  turn(): void {
    this.#kept = 0;
    this.#bytes = 0;
    this.#deliveries = 0;
  }

  /** Whether another event after `position` needs a stored event; if not, it may be deleted. */
  isNeeded(record: GatewayEventRecord, position: number): boolean {
    const { revision, number, announced } = record;
    const name = nameOf({ revision, number });
    const lastUse = this.#lastUses.get(name) ?? -1;
    const model = this.#models.get(announced.scope);
    // Later events are differences from a newer one.
    if (model?.revision === revision && model.number === number) this.#models.delete(announced.scope);
    if (lastUse > position) return true;
    this.#lastUses.delete(name);
    // Events that a former process stored may not have been counted.
    const stored = this.#stored;
    stored.entries = Math.max(0, stored.entries - 1);
    stored.bytes = Math.max(0, stored.bytes - bytesOf(record));
    return false;
  }

  /** A stored event can no longer be read, and was moved away. */
  lost(revision: number): void {
    this.#lostUpTo = Math.max(this.#lostUpTo, revision);
  }

  /** Revision of the last event that was {@link lost}; 0: none. */
  get lostUpTo(): number {
    return this.#lostUpTo;
  }

  /** All stored events were deleted. */
  clear(): void {
    this.#models.clear();
    this.#lastUses.clear();
    this.turn();
  }

  /** They were delivered, or are from before this process. */
  passed(revision: number): void {
    if (revision > this.#position) this.#position = revision;
  }

  get #isFull(): boolean {
    const { eventLogBytesMax, eventLogDeliveriesMax } = runtimeLimits;
    return 2 * this.#bytes > eventLogBytesMax || 2 * this.#deliveries > eventLogDeliveriesMax;
  }

  #record(one: Announced, number: number): GatewayEventRecord {
    const { position, ...announced } = one;
    const { revision, scope, event } = announced;
    if (!event) return { revision, number, announced };
    // Its data may be encoded only on demand; here it is needed.
    const { name, data } = event;
    const model = data.length > wholeLengthMax ? this.#models.get(scope) : undefined;
    const parts = model && deltaOf(model.text, data);
    if (parts) {
      const delta = { revision: model.revision, number: model.number, size: Buffer.byteLength(data), parts };
      return { revision, number, announced: { ...announced, event: { name, data: '' } }, delta };
    }
    if (data.length > wholeLengthMax) {
      this.#models.set(scope, { revision, number, text: data }, data.length);
      this.#begun = [...this.#begun, scope];
    }
    return { revision, number, announced: { ...announced, event: { name, data } } };
  }

  /** By now the commit before was delivered, or it failed and no event is a difference from its own. */
  #dropFailed(revision: number): void {
    if (this.#position < this.#begunAt) for (const scope of this.#begun) this.#models.delete(scope);
    this.#begun = [];
    this.#begunAt = revision;
  }
}

/** Reads a stored event. @param find finds another stored event */
export async function readKept(
  { revision, announced: kept, delta }: GatewayEventRecord,
  find: (revision: number, number: number) => Promise<GatewayEventRecord | undefined>,
): Promise<Announced> {
  const announced = { ...kept, position: revision };
  if (!delta || !announced.event) return announced;
  const model = await find(delta.revision, delta.number);
  const base = model?.announced.event?.data;
  if (base === undefined)
    throw new Error(
      `The event at revision ${delta.revision}, from which others are stored as differences, is missing.`,
    );
  return { ...announced, event: new KeptEvent(announced.event.name, delta.size, () => applyDelta(base, delta.parts)) };
}

/** An event whose data is composed on demand. */
export class KeptEvent implements NonNullable<Announcement['event']> {
  readonly name: NonNullable<Announcement['event']>['name'];
  /** The size of its data in bytes. */
  readonly size: number;
  readonly #read: () => string;

  constructor(name: KeptEvent['name'], size: number, read: () => string) {
    this.name = name;
    this.size = size;
    this.#read = read;
  }

  get data(): string {
    return this.#read();
  }
}

function bytesOf({ announced: { event }, delta }: GatewayEventRecord): number {
  return recordLength + (delta ? lengthOf(delta.parts) : (event?.data.length ?? 0));
}

function nameOf({ revision, number }: { readonly revision: number; readonly number: number }): string {
  return `${revision}/${number}`;
}
