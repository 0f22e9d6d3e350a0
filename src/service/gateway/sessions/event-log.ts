import { Buffer } from 'node:buffer';
import type { Announced, Announcement, Topic } from '../../events/announcement.ts';
import type { GatewayEventRecord } from '../../store/records.ts';
import { LruCache } from '../../support/lru-cache.ts';
import { runtimeLimits } from '../../support/service-limits.ts';
import { applyDelta, deltaOf, lengthOf } from '../../support/text-delta.ts';

/** How many sessions hear an announcement, or would; 0: nobody does. */
type Hears = (announcement: Announcement) => number;

/** Shorter events are always kept whole. */
const wholeLengthMax = 2048;
/** Text kept at hand, for later events to be told by. */
const modelsLengthMax = 16 * 1024 * 1024;
/** What a record takes beside its event's data, roughly. */
const recordLength = 250;

/** An event that was kept whole, and by which later ones of its scope are told. */
interface Model {
  readonly revision: number;
  readonly number: number;
  readonly text: string;
}

/**
 * Stands where announcements come by: picks those that must outlive the process, before their commit, and knows up to
 * which commit all have been handed on. What no session hears is not kept, and costs one look-up. A large event, which
 * mostly repeats an earlier one of its scope, is kept as its difference from that.
 *
 * It needs a bus that hands on within `publish` and in order of the commits, as that of a single process does.
 */
export class EventLog {
  #hears: Hears = () => 0;
  #onFull: () => void = () => {};
  #position = 0;
  #lostUpTo = 0;
  /** What was kept since {@link EventLog.turn}: records, what they take, and to how many sessions they go. */
  #kept = 0;
  #bytes = 0;
  #deliveries = 0;
  /** All that is kept, and what it takes. */
  readonly #stored = { entries: 0, bytes: 0 };
  /** Scope → its model. */
  readonly #models = new LruCache<Model>(modelsLengthMax);
  /** Models of the commit under way, which may fail. */
  #begun: readonly string[] = [];
  #begunAt = 0;
  /** Name of a kept model → revision of the last event that is told by it. */
  readonly #lastUses = new Map<string, number>();

  /**
   * From here on keeps what `hears` says is heard.
   *
   * @param onFull called when half of what may be kept has been kept since the last {@link EventLog.turn}
   */
  listen(hears: Hears, onFull: () => void = () => {}): void {
    this.#hears = hears;
    this.#onFull = onFull;
  }

  /** Revision of the last commit whose announcements were handed on. */
  get position(): number {
    return this.#position;
  }

  /** How many announcements were kept since {@link EventLog.turn}. */
  get kept(): number {
    return this.#kept;
  }

  /** How many events are kept, and roughly how many bytes they take. */
  get stored(): { readonly entries: number; readonly bytes: number } {
    return this.#stored;
  }

  /** For the store: what is to be kept of the announcements it is about to commit. */
  keep(announced: readonly Announced[]): readonly GatewayEventRecord[] {
    this.#dropFailed(announced[0]?.revision ?? 0);
    const records: GatewayEventRecord[] = [];
    // Who hears of a topic to follow hears also what the same commit announces there.
    const joined = new Set<Topic>();
    let previous: GatewayEventRecord | undefined;
    for (const one of announced) {
      const hearers = this.#hears(one);
      if (hearers === 0 && !joined.has(one.to)) continue;
      if (one.follow !== undefined) joined.add(one.follow);
      const number: number = previous?.revision === one.revision ? previous.number + 1 : 0;
      previous = this.#record(one, number);
      records.push(previous);
      this.count(previous, hearers);
    }
    return records;
  }

  /** Takes account of a kept event, of this process or a former one. */
  count(record: GatewayEventRecord, hearers: number): void {
    const { revision, delta } = record;
    const bytes = bytesOf(record);
    this.#stored.entries++;
    this.#stored.bytes += bytes;
    if (delta) this.#lastUses.set(nameOf(delta), revision);
    const wasFull = this.#isFull;
    this.#kept++;
    this.#bytes += bytes;
    this.#deliveries += hearers;
    if (!wasFull && this.#isFull) this.#onFull();
  }

  /** What was kept until here is taken care of. */
  turn(): void {
    this.#kept = 0;
    this.#bytes = 0;
    this.#deliveries = 0;
  }

  /** Whether a kept event is still needed by another behind `position`; if not, it may be deleted. */
  isNeeded(record: GatewayEventRecord, position: number): boolean {
    const { revision, number, announced } = record;
    const name = nameOf({ revision, number });
    const lastUse = this.#lastUses.get(name) ?? -1;
    const model = this.#models.get(announced.scope);
    // Those that come are told by a newer one.
    if (model?.revision === revision && model.number === number) this.#models.delete(announced.scope);
    if (lastUse > position) return true;
    this.#lastUses.delete(name);
    // What a former process kept may not have been counted.
    const stored = this.#stored;
    stored.entries = Math.max(0, stored.entries - 1);
    stored.bytes = Math.max(0, stored.bytes - bytesOf(record));
    return false;
  }

  /** A kept event can no longer be read, and was set aside. */
  lost(revision: number): void {
    this.#lostUpTo = Math.max(this.#lostUpTo, revision);
  }

  /** Revision of the last event that was {@link lost}; 0: none was. */
  get lostUpTo(): number {
    return this.#lostUpTo;
  }

  /** All that was kept has been deleted. */
  clear(): void {
    this.#models.clear();
    this.#lastUses.clear();
    this.turn();
  }

  /** They have been handed on, or were before this process began. */
  passed(revision: number): void {
    if (revision > this.#position) this.#position = revision;
  }

  get #isFull(): boolean {
    const { eventLogBytesMax, eventLogDeliveriesMax } = runtimeLimits;
    return 2 * this.#bytes > eventLogBytesMax || 2 * this.#deliveries > eventLogDeliveriesMax;
  }

  #record(one: Announced, number: number): GatewayEventRecord {
    const { revision, scope, event } = one;
    if (!event) return { revision, number, announced: one };
    // Its data may be encoded only when somebody asks; here somebody does.
    const { name, data } = event;
    const model = data.length > wholeLengthMax ? this.#models.get(scope) : undefined;
    const parts = model && deltaOf(model.text, data);
    if (parts) {
      const delta = { revision: model.revision, number: model.number, size: Buffer.byteLength(data), parts };
      return { revision, number, announced: { ...one, event: { name, data: '' } }, delta };
    }
    if (data.length > wholeLengthMax) {
      this.#models.set(scope, { revision, number, text: data }, data.length);
      this.#begun = [...this.#begun, scope];
    }
    return { revision, number, announced: { ...one, event: { name, data } } };
  }

  /** By now the commit before has been handed on, or it failed and nothing is told by what it would have kept. */
  #dropFailed(revision: number): void {
    if (this.#position < this.#begunAt) for (const scope of this.#begun) this.#models.delete(scope);
    this.#begun = [];
    this.#begunAt = revision;
  }
}

/** Reads a kept event. @param find finds another one that is kept */
export async function readKept(
  { announced, delta }: GatewayEventRecord,
  find: (revision: number, number: number) => Promise<GatewayEventRecord | undefined>,
): Promise<Announced> {
  if (!delta || !announced.event) return announced;
  const model = await find(delta.revision, delta.number);
  const base = model?.announced.event?.data;
  if (base === undefined) throw new Error(`The event at ${delta.revision}, which others are told by, is not there.`);
  return { ...announced, event: new KeptEvent(announced.event.name, delta.size, () => applyDelta(base, delta.parts)) };
}

/** An event whose data is put together when somebody asks. */
export class KeptEvent implements NonNullable<Announcement['event']> {
  readonly name: NonNullable<Announcement['event']>['name'];
  /** Of its data, in bytes. */
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
