import type { ServerResponse } from 'node:http';
import type { ControlArea, StreamEventName, StreamEvents } from '../../wire/control/stream.ts';
import type { TrafficEntry } from '../../wire/control/traffic.ts';
import type { Core } from '../core.ts';
import { consoleLimits } from '../support/service-limits.ts';
import type { Activity } from '../telemetry/activity.ts';
import type { KeptEntry } from '../telemetry/traffic/ring.ts';
import { lobbyDetails } from './lobbies.ts';
import type { Sampler } from './metrics.ts';
import { ControlRefusal, type ControlRequest, queryId, queryText, readPlace } from './request.ts';
import { fits, readFilter, type TrafficFilter } from './traffic/query.ts';

const eventNames = ['metrics', 'traffic', 'lobby', 'changed'] as const satisfies readonly StreamEventName[];

/** What a reader asked for, checked. */
interface Wanted {
  readonly events: ReadonlySet<string>;
  readonly filter: TrafficFilter;
  readonly after: number | undefined;
  readonly lobby: string | undefined;
}

const changedMs = 500;
const lobbyMs = 250;
const pingMs = 10_000;

/** The streams of server-sent events that are open. */
export class Streams {
  readonly #core: Core;
  readonly #sampler: Sampler;
  readonly #startedAtMs: number;
  readonly #open = new Set<Stream>();

  constructor(core: Core, sampler: Sampler, startedAtMs: number) {
    this.#core = core;
    this.#startedAtMs = startedAtMs;
    this.#sampler = sampler;
  }

  /** Checks what is asked for. @returns begins to answer @throws ControlRefusal */
  check(query: ControlRequest['query'], lastEventId: string | undefined): (response: ServerResponse) => void {
    const { activity } = this.#core;
    if (!activity) {
      throw new ControlRefusal(409, 'The stream needs the console, which is off; start the service with --console.');
    }
    activity.record({ isRead: true });
    if (this.#open.size >= consoleLimits.streamsMax) {
      throw new ControlRefusal(503, `${consoleLimits.streamsMax} streams are open; close one of them.`);
    }
    const events = new Set(queryText(query, 'events')?.split(',') ?? eventNames);
    const unknown = [...events].find(name => !eventNames.some(known => known === name));
    if (unknown !== undefined) {
      throw new ControlRefusal(
        400,
        `"events" must name events of the stream, separated by commas: ${eventNames.join(', ')}.`,
      );
    }
    const wanted: Wanted = {
      ...{ events, filter: readFilter(query, activity), lobby: queryId(query, 'lobby') },
      after: readPlace(query.after ?? lastEventId, 'after'),
    };
    return response => this.#begin(activity, wanted, response);
  }

  #begin(activity: Activity, wanted: Wanted, response: ServerResponse): void {
    const stream = new Stream(
      this.#core,
      activity,
      { sampler: this.#sampler, startedAtMs: this.#startedAtMs },
      wanted,
      response,
    );
    this.#open.add(stream);
    response.once('close', () => {
      stream.close();
      this.#open.delete(stream);
    });
  }

  /** Ends all streams: the service is stopping. */
  close(): void {
    for (const stream of this.#open) stream.end();
    this.#sampler.close();
  }
}

/**
 * One reader. What it does not read in time is bounded: of the traffic the oldest entries are left out, and it receives their number; of all
 * else only the newest state counts.
 */
class Stream {
  readonly #core: Core;
  readonly #activity: Activity;
  readonly #wanted: Wanted;
  readonly #response: ServerResponse;
  readonly #ends: (() => void)[] = [];
  readonly #areas = new Set<ControlArea>();
  // Without the details, which are bounded only where all entries are kept.
  #waiting: TrafficEntry[] = [];
  #omitted = 0;
  #last: number;
  #batch: NodeJS.Timeout | undefined;
  #changed: NodeJS.Timeout | undefined;
  #lobby: NodeJS.Timeout | undefined;
  #isReadingLobby = false;
  #isOpen = true;

  constructor(
    core: Core,
    activity: Activity,
    { sampler, startedAtMs }: { readonly sampler: Sampler; readonly startedAtMs: number },
    wanted: Wanted,
    response: ServerResponse,
  ) {
    this.#core = core;
    this.#activity = activity;
    this.#wanted = wanted;
    this.#response = response;
    this.#last = wanted.after ?? activity.kept.last;
    response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      // A proxy must not wait for more.
      'x-accel-buffering': 'no',
    });
    this.#send('hello', {
      ...{ node: core.cluster?.node ?? null, next: this.#last },
      started_at_ms: startedAtMs,
      metrics: wanted.events.has('metrics') ? sampler.samples : [],
    });
    if (wanted.events.has('metrics')) this.#ends.push(sampler.listen(sample => this.#sendIfRead('metrics', sample)));
    if (wanted.events.has('traffic')) this.#followTraffic();
    if (wanted.events.has('changed')) {
      this.#ends.push(activity.onCommit(scope => this.#note(areasOf(scope))));
      this.#ends.push(activity.kept.listen(({ entry }) => this.#note(areasAround(entry))));
    }
    if (wanted.events.has('lobby') && wanted.lobby !== undefined) this.#followLobby(wanted.lobby);
    const ping = setInterval(() => {
      if (!this.#isBlocked) response.write(': still here\n\n');
    }, pingMs);
    ping.unref();
    this.#ends.push(() => clearInterval(ping));
  }

  end(): void {
    this.#response.end();
    this.close();
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    for (const end of this.#ends) end();
    clearTimeout(this.#batch);
    clearTimeout(this.#changed);
    clearTimeout(this.#lobby);
    this.#waiting = [];
  }

  get #isBlocked(): boolean {
    return this.#response.writableLength > consoleLimits.streamBytesMax;
  }

  #send<Name extends StreamEventName>(name: Name, data: StreamEvents[Name], id?: number): void {
    if (!this.#isOpen) return;
    const place = id === undefined ? '' : `id: ${id}\n`;
    this.#response.write(`event: ${name}\n${place}data: ${JSON.stringify(data)}\n\n`);
  }

  #sendIfRead<Name extends StreamEventName>(name: Name, data: StreamEvents[Name]): void {
    if (!this.#isBlocked) this.#send(name, data);
  }

  #followTraffic(): void {
    const { after } = this.#wanted;
    if (after !== undefined) {
      const { first, last } = this.#activity.kept;
      if (after > last) this.#last = last;
      else this.#omitted += Math.max(0, first - 1 - after);
      for (let number = Math.max(after + 1, first); number <= last; number++) {
        const kept = this.#activity.kept.at(number);
        if (kept) this.#add(kept);
      }
    }
    this.#ends.push(this.#activity.kept.listen(kept => this.#add(kept)));
  }

  #add(kept: KeptEntry): void {
    this.#last = kept.entry.number;
    if (!fits(kept, this.#wanted.filter)) return;
    this.#waiting.push(kept.entry);
    if (this.#waiting.length > consoleLimits.streamEntriesMax) {
      // Dropped in portions, because shifting a long list costs as much as the list is long.
      const dropped = this.#waiting.length - Math.floor(consoleLimits.streamEntriesMax * keptShare);
      this.#waiting.splice(0, dropped);
      this.#omitted += dropped;
    }
    this.#batch ??= setTimeout(() => this.#flush(), consoleLimits.streamBatchMs).unref();
  }

  #flush(): void {
    this.#batch = undefined;
    if (!this.#isOpen) return;
    if (this.#isBlocked) {
      this.#batch = setTimeout(() => this.#flush(), consoleLimits.streamBatchMs).unref();
      return;
    }
    if (this.#omitted > 0) this.#send('omitted', { entries: this.#omitted, next: this.#last });
    const entries = this.#waiting;
    this.#omitted = 0;
    this.#waiting = [];
    if (entries.length > 0) this.#send('traffic', { entries, next: this.#last }, this.#last);
  }

  #note(changed: readonly ControlArea[]): void {
    if (changed.length === 0) return;
    for (const area of changed) this.#areas.add(area);
    this.#changed ??= setTimeout(() => this.#sendChanged(), changedMs).unref();
  }

  #sendChanged(): void {
    this.#changed = undefined;
    if (this.#isBlocked) {
      this.#changed = setTimeout(() => this.#sendChanged(), changedMs).unref();
      return;
    }
    this.#send('changed', { areas: [...this.#areas] });
    this.#areas.clear();
  }

  #followLobby(id: string): void {
    const scope = `lobby/${id}`;
    this.#lobby = setTimeout(() => void this.#sendLobby(id), 0);
    const soon = () => {
      this.#lobby ??= setTimeout(() => void this.#sendLobby(id), lobbyMs).unref();
    };
    this.#ends.push(
      this.#activity.onCommit(committed => {
        if (committed === scope || committed === '*') soon();
      }),
    );
    // Other nodes change it without this one noticing, and members may connect at them.
    if (!this.#core.cluster) return;
    const look = setInterval(soon, 1000);
    look.unref();
    this.#ends.push(() => clearInterval(look));
  }

  async #sendLobby(id: string): Promise<void> {
    this.#lobby = undefined;
    if (this.#isReadingLobby || this.#isBlocked) {
      this.#lobby = setTimeout(() => void this.#sendLobby(id), lobbyMs).unref();
      return;
    }
    this.#isReadingLobby = true;
    try {
      const lobby = (await lobbyDetails(this.#core, id)) ?? null;
      this.#send('lobby', { lobby_id: id, lobby });
    } catch (error) {
      this.#core.log.warn({ lobby: id, error }, 'A lobby could not be read for the console.');
    }
    this.#isReadingLobby = false;
  }
}

const keptShare = 0.75;

const nothing: readonly ControlArea[] = [];

const areas: Readonly<Record<string, readonly ControlArea[]>> = {
  application: ['applications'],
  user: ['users'],
  guild: ['guilds'],
  lobby: ['lobbies'],
  commands: ['commands', 'permissions'],
  authorization: ['authorizations'],
  social: ['social'],
  presence: ['social'],
  messages: ['social'],
  interaction: ['interactions'],
  fixtures: ['everything'],
  '*': ['everything'],
};

/** What a transaction in this scope changed, as far as a view shows it. */
function areasOf(scope: string): readonly ControlArea[] {
  const [kind = ''] = scope.split('/', 1);
  return areas[kind] ?? nothing;
}

const controlAreas: readonly (readonly [pattern: RegExp, areas: readonly ControlArea[]])[] = [
  [/^\/control\/clock/, ['clock']],
  [/^\/control\/faults/, ['faults']],
  [/^\/control\/(?:reset|snapshot|fixtures)/, ['everything']],
];

/** What changed that is in no store: sessions, faults and time. */
function areasAround(entry: TrafficEntry): readonly ControlArea[] {
  if (entry.kind === 'fault') return ['faults'];
  if (entry.kind === 'connection') return entry.event === 'received' ? nothing : ['sessions'];
  if (entry.kind !== 'request' || entry.caller?.kind !== 'control') return nothing;
  return controlAreas.find(([pattern]) => pattern.test(entry.target))?.[1] ?? nothing;
}
