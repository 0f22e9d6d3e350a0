import type { Announced, Announcement, Topic } from './announcement.ts';
import type { GatewayEventRecord } from './store/records.ts';

type Hears = (announcement: Announcement) => boolean;

/**
 * Stands where announcements come by: picks those that must outlive the process, before their commit, and knows up to
 * which commit all have been handed on. What no session hears is not kept, and costs one look-up.
 *
 * It needs a bus that hands on within `publish` and in order of the commits, as that of a single process does.
 */
export class EventLog {
  #hears: Hears = () => false;
  #position = 0;
  #kept = 0;

  /** From here on keeps what `hears` says is heard. */
  listen(hears: Hears): void {
    this.#hears = hears;
  }

  /** Revision of the last commit whose announcements were handed on. */
  get position(): number {
    return this.#position;
  }

  /** How many announcements were kept so far. */
  get kept(): number {
    return this.#kept;
  }

  /** For the store: what is to be kept of the announcements it is about to commit. */
  keep(announced: readonly Announced[]): readonly GatewayEventRecord[] {
    const records: GatewayEventRecord[] = [];
    // Who hears of a topic to follow hears also what the same commit announces there.
    const joined = new Set<Topic>();
    let previous: GatewayEventRecord | undefined;
    for (const one of announced) {
      if (!joined.has(one.to) && !this.#hears(one)) continue;
      if (one.follow !== undefined) joined.add(one.follow);
      const number: number = previous?.revision === one.revision ? previous.number + 1 : 0;
      previous = { revision: one.revision, number, announced: settled(one) };
      records.push(previous);
    }
    this.#kept += records.length;
    return records;
  }

  /** They have been handed on, or were before this process began. */
  passed(revision: number): void {
    if (revision > this.#position) this.#position = revision;
  }
}

/** Its data may be encoded only when somebody asks; here somebody does. */
function settled(announced: Announced): Announced {
  const { event } = announced;
  return event ? { ...announced, event: { name: event.name, data: event.data } } : announced;
}
