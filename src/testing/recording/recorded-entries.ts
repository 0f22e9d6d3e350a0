import { asRecord } from '../../wire/http/codec.ts';
import { SecretMask } from '../../wire/secret-mask.ts';
import { Recording, type RecordingEntry, recordingVersion } from './recording.ts';

/** Entries in memory, bounded in size, and with their secrets until they are made a recording. */
export class RecordedEntries {
  readonly #entries: RecordingEntry[] = [];
  readonly #bytesMax: number;
  readonly #startMs: number | undefined;
  #bytes = 0;
  #isTruncated = false;

  /** @param startMs when the recording began; default: at its first entry */
  constructor(bytesMax: number, startMs?: number) {
    this.#bytesMax = bytesMax;
    this.#startMs = startMs;
  }

  add(entry: RecordingEntry): void {
    if (this.#isTruncated) return;
    this.#bytes += Buffer.byteLength(JSON.stringify(entry)) + 1;
    if (this.#bytes <= this.#bytesMax) this.#entries.push(entry);
    else this.#isTruncated = true;
  }

  /** @param last entries after all others, left out of a recording that is truncated */
  recording(last: readonly RecordingEntry[] = []): Recording {
    const truncated = this.#isTruncated;
    const atMs = this.#startMs ?? Math.min(...this.#entries.slice(0, 1).map(entry => entry.atMs), Date.now());
    // A request is known only once it is answered.
    const ordered = this.#entries.toSorted((one, other) => one.atMs - other.atMs);
    const entries = truncated ? ordered : [...ordered, ...last];
    const mask = new SecretMask();
    for (const entry of entries) {
      mapContents(entry, (value, name) => {
        mask.learn(value, name);
        return value;
      });
    }
    const masked = entries.map(entry => mapContents(entry, (value, name) => mask.mask(value, name)));
    return new Recording({ kind: 'recording', version: recordingVersion, atMs, truncated }, masked);
  }
}

/** The headers that a recording has. */
export function recordedHeaders(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => recordedHeader.test(name)));
}

const recordedHeader = /^(content-type|retry-after|x-ratelimit-.*)$/;
/** The fields of entries whose values come from outside; the others are this module's own. */
const contents: ReadonlySet<string> = new Set(['params', 'query', 'authorization', 'body', 'form', 'reason', 'state']);

function mapContents(entry: RecordingEntry, change: (value: unknown, name: string) => unknown): RecordingEntry {
  if ('frame' in entry) {
    const { d, ...frame } = asRecord(entry.frame) ?? {};
    return { ...entry, frame: { ...frame, d: change(d, 'd') } };
  }
  const fields = Object.entries(entry).map(([name, value]) => [name, contents.has(name) ? change(value, name) : value]);
  return Object.fromEntries(fields) as RecordingEntry;
}
