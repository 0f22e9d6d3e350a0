import { RallypointError, TransportError } from '../../model/errors/errors.ts';
import type { Cancel, Clock } from '../../wire/clock/ports.ts';
import { Feed } from '../live/feed.ts';
import { Observable, type Subscriber } from '../live/rxjs.ts';
import { shareItems } from '../lobby/share.ts';
import type { CommandPlace, CommandSnapshot, CommandsSnapshot } from './snapshot.ts';

/** Asks the service which commands the player may use in some place. */
export type LoadCommands = (signal: AbortSignal) => Promise<readonly CommandSnapshot[]>;

/**
 * How long a player may see outdated commands where no event announces the change. Unspecified: this package's service sends
 * one (APPLICATION_COMMAND_INDEX_UPDATE); the interface has none, so that commands are requested again regularly.
 */
export const commandsRefreshMs = 30_000;

/** The commands of the places that have subscribers, kept up to date while the client is ready. */
export class LiveCommands {
  readonly #clock: Clock;
  readonly #watched = new Map<string, WatchedPlace>();
  #isReady = false;
  #isClosed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @param load asks for the place's commands */
  commands$(place: CommandPlace, load: LoadCommands): Observable<CommandsSnapshot> {
    return new Observable(subscriber => {
      if (!this.#isClosed) return this.#watch(JSON.stringify(place), load, subscriber);
      subscriber.complete();
      return undefined;
    });
  }

  /** `loading` without a subscriber. */
  commands(place: CommandPlace): CommandsSnapshot {
    return this.#watched.get(JSON.stringify(place))?.shown ?? nothingYet;
  }

  setReady(isReady: boolean): void {
    this.#isReady = isReady;
    for (const watched of this.#watched.values()) {
      if (isReady) watched.refresh();
      else watched.rest();
    }
  }

  /** Something may have changed. */
  refresh(): void {
    if (this.#isReady) for (const watched of this.#watched.values()) watched.refresh();
  }

  /** The player disconnected: drops what is known. */
  forget(): void {
    for (const watched of this.#watched.values()) watched.forget();
  }

  close(): void {
    this.#isClosed = true;
    for (const watched of [...this.#watched.values()]) watched.feed.complete();
  }

  #watch(name: string, load: LoadCommands, subscriber: Subscriber<CommandsSnapshot>): () => void {
    const watched = this.#watched.get(name) ?? this.#begin(name, load);
    const end = watched.feed.subscribe(subscriber);
    return () => {
      end();
      if (watched.feed.isObserved || this.#watched.get(name) !== watched) return;
      this.#watched.delete(name);
      watched.rest();
    };
  }

  #begin(name: string, load: LoadCommands): WatchedPlace {
    const watched = new WatchedPlace(this.#clock, load);
    this.#watched.set(name, watched);
    if (this.#isReady) watched.refresh();
    return watched;
  }
}

const nothingYet: CommandsSnapshot = Object.freeze({ status: 'loading', commands: Object.freeze([]) });

class WatchedPlace {
  readonly feed = new Feed(() => this.#shown);
  readonly #clock: Clock;
  readonly #load: LoadCommands;
  #shown = nothingYet;
  #asking: AbortController | undefined;
  #cancelTimer: Cancel = () => {};

  constructor(clock: Clock, load: LoadCommands) {
    this.#clock = clock;
    this.#load = load;
  }

  get shown(): CommandsSnapshot {
    return this.#shown;
  }

  /** Asks now, in place of whatever was asked before. */
  refresh(): void {
    this.#stop();
    const asking = new AbortController();
    this.#asking = asking;
    void this.#ask(asking.signal);
  }

  /** Asks no more until the next {@link refresh}; what is shown is not current any longer. */
  rest(): void {
    this.#stop();
    if (this.#shown.status === 'current') this.#show({ status: 'stale', commands: this.#shown.commands });
  }

  forget(): void {
    this.#stop();
    this.#show(nothingYet);
  }

  async #ask(signal: AbortSignal): Promise<void> {
    const answer = await this.#load(signal).catch(asRallypointError);
    if (signal.aborted) return;
    // Before subscribers are notified: the last one may leave, or disconnect the client.
    this.#cancelTimer = this.#clock.schedule(commandsRefreshMs, () => this.refresh());
    const { commands } = this.#shown;
    if (!(answer instanceof RallypointError)) this.#show({ status: 'current', commands: shared(commands, answer) });
    else this.#show({ status: this.#shown.status === 'loading' ? 'loading' : 'stale', commands, error: answer });
  }

  #stop(): void {
    this.#asking?.abort();
    this.#cancelTimer();
  }

  #show(next: CommandsSnapshot): void {
    const { status, commands, error } = this.#shown;
    if (next.status === status && next.commands === commands && next.error === error) return;
    this.#shown = Object.freeze(next);
    this.feed.notify();
  }
}

/** The answer, with what is known already in place of what is equal to it. */
function shared(known: readonly CommandSnapshot[], answer: readonly CommandSnapshot[]): readonly CommandSnapshot[] {
  const texts = new Map(known.map(command => [JSON.stringify(command), command]));
  const commands = answer.map(command => texts.get(JSON.stringify(command)) ?? command);
  return shareItems(known, commands);
}

// What a load throws is ours, but for a bug.
function asRallypointError(cause: unknown): RallypointError {
  return cause instanceof RallypointError
    ? cause
    : new TransportError('unreadable_answer', 'The commands could not be loaded; see the cause.', { cause });
}
