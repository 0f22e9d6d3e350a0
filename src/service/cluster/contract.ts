import type { Cancel } from '../../wire/clock/ports.ts';
import type { Announced, Topic } from '../events/announcement.ts';

/** The place of an event among all events: by position, and within one position by number. */
export interface EventPlace {
  readonly position: number;
  readonly number: number;
}

/** An event that is read again. */
export interface PlacedEvent {
  readonly announced: Announced;
  /** Its number within its position. */
  readonly number: number;
}

export interface ReplayQuery {
  /** The events after this one. A number of `Infinity` means: after all events of the position. */
  readonly after: EventPlace;
  /** Up to this position, its events included; at most {@link Cluster.position}. */
  readonly upTo: number;
  readonly topics: readonly Topic[];
}

/** A node that is no longer alive: it has stopped, or has not renewed its row for a while. */
export interface DepartedNode {
  readonly id: string;
  /** How long ago it was last alive, by the clock of the database. */
  readonly goneForMs: number;
}

/**
 * What a node knows of the cluster that it belongs to.
 *
 * Events are delivered to the subscribers of the bus in the order (position, number). All events of one position are delivered
 * within one turn of the event loop, in which {@link position} rises, too: code that reads it has received either all or none of
 * them. `Bus.subscribe` is synchronous: a subscription made by a listener receives everything after the current event.
 */
export interface Cluster {
  /** The id of this node, new at each start. */
  readonly node: string;

  /** All events up to this position were delivered here; no event will ever be added up to it. */
  readonly position: number;

  /** Resolves when everything that was committed before the call has been delivered here. */
  caughtUp(): Promise<void>;

  /**
   * Reads delivered events of some topics again, in order, in pieces between which other work runs.
   *
   * @throws EventsLostError when events after `after` were deleted already
   */
  replay(query: ReplayQuery): AsyncIterable<readonly PlacedEvent[]>;

  /** Calls `listener` when this node has missed events, because they were deleted before it read them. */
  onLost(listener: () => void): Cancel;

  /**
   * Registers a session as present for `who`, or moves it from another node to this one. One after another for each `who`, over all
   * nodes. @returns how many sessions are present for `who`, including this one
   */
  enter(who: Topic, session: string): Promise<number>;

  /**
   * Reverses {@link enter}. @returns how many sessions are left; undefined when the session was not registered, or is registered at
   * another node: then nothing was changed
   */
  leave(who: Topic, session: string): Promise<number | undefined>;

  /**
   * The nodes that are no longer alive and were not forgotten. Sessions of theirs that are present stay so, until another node
   * moves and removes them.
   */
  departed(): Promise<readonly DepartedNode[]>;

  /** All nodes that were not forgotten, this one included. */
  nodes(): Promise<readonly KnownNode[]>;

  /** Nothing refers to this departed node any more. A node that is alive all the same registers again. */
  forget(node: string): Promise<void>;
}

export interface KnownNode {
  readonly id: string;
  /** By which the other nodes reach it; null: unknown. */
  readonly address: string | null;
  readonly state: 'alive' | 'departed';
}

/** Events that were to be read again were deleted already. */
export class EventsLostError extends Error {
  override readonly name = 'EventsLostError';

  constructor(after: number) {
    super(`The events after position ${after} were deleted already.`);
  }
}
