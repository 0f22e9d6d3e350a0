import { intentsFor } from '../../model/gateway.ts';
import type { Cancel } from '../../wire/clock/ports.ts';
import type { Core } from '../core.ts';
import type { Announced, Announcement, Topic } from '../events/announcement.ts';
import type { MaybePromise } from '../support/maybe-promise.ts';
import { type DispatchFrame, dispatchFrame } from './connection/frames.ts';
import { KeptEvent } from './sessions/event-log.ts';

/**
 * Whether an event passes the intents of a session.
 *
 * @param needed any one of these bits lets it through; undefined: it always passes
 * @param intents null: the session receives every event
 */
export function passesIntents(needed: number | undefined, intents: number | null): boolean {
  return needed === undefined || intents === null || (needed & intents) !== 0;
}

/** An announcement's event for all receivers, encoded once, when the first of them needs it. */
export class SharedDispatch {
  readonly #event: NonNullable<Announcement['event']>;
  readonly #intents: number | undefined;
  #frame: DispatchFrame | undefined;

  private constructor(event: NonNullable<Announcement['event']>, inGuild: boolean) {
    this.#event = event;
    this.#intents = intentsFor(event.name, inGuild);
  }

  /**
   * @param event another form of the announcement's event
   * @returns undefined when the announcement has no event
   */
  static of(announcement: Announcement, event = announcement.event): SharedDispatch | undefined {
    return event && new SharedDispatch(event, announcement.guild !== undefined);
  }

  /** @see passesIntents */
  passes(intents: number | null): boolean {
    return passesIntents(this.#intents, intents);
  }

  /** Approximate size of the frame in bytes, where it is known without encoding. */
  get size(): number | undefined {
    return this.#event instanceof KeptEvent ? this.#event.size : undefined;
  }

  get frame(): DispatchFrame {
    this.#frame ??= dispatchFrame(this.#event.name, this.#event.data);
    return this.#frame;
  }
}

/** Receives the announcements on the topics that it follows. */
export interface Follower {
  /** @param dispatch the announcement's event; undefined when it has none */
  receive(announced: Announced, dispatch: SharedDispatch | undefined): void;
  /** As {@link receive}, for an announcement from before the restart; sessions that were not restored ignore it. */
  receiveAgain(announced: Announced, dispatch: SharedDispatch | undefined): void;
  /** Whether it would act on this announcement. */
  heeds(announcement: Announcement): boolean;
}

interface Feed {
  readonly followers: Set<Follower>;
  readonly subscribed: MaybePromise<Cancel>;
}

type HubCore = Pick<Core, 'bus' | 'journal' | 'metrics' | 'activity'>;

/**
 * Distributes announcements to the sessions of this node, with one subscription to the bus for each topic that they
 * follow.
 */
export class Hub {
  readonly #core: HubCore;
  readonly #feeds = new Map<Topic, Feed>();

  constructor(core: HubCore) {
    this.#core = core;
    if (core.activity) core.activity.followersOf = topic => this.followersOf(topic);
  }

  /** The follower receives everything published on the topic after this returns or, for a promise, resolves. */
  follow(topic: Topic, follower: Follower): MaybePromise<void> {
    const feed = this.#feeds.get(topic) ?? this.#subscribe(topic);
    feed.followers.add(follower);
    if (feed.subscribed instanceof Promise) return feed.subscribed.then(() => {});
  }

  unfollow(topic: Topic, follower: Follower): void {
    const feed = this.#feeds.get(topic);
    if (!feed?.followers.delete(follower) || feed.followers.size > 0) return;
    this.#feeds.delete(topic);
    if (feed.subscribed instanceof Promise) {
      feed.subscribed.then(
        cancel => cancel(),
        () => {}, // Each follower receives the error.
      );
    } else feed.subscribed();
  }

  /** How many sessions of this node follow the topic. */
  followersOf(topic: Topic): number {
    return this.#feeds.get(topic)?.followers.size ?? 0;
  }

  /** The number of the topic's followers, if one of them would act on this announcement; otherwise 0. */
  receiversOf(announcement: Announcement): number {
    const followers = this.#feeds.get(announcement.to)?.followers;
    for (const follower of followers ?? []) if (follower.heeds(announcement)) return followers?.size ?? 0;
    return 0;
  }

  /**
   * Passes an announcement from before the restart to the restored followers. @returns the number of the topic's
   * followers
   */
  repeat(announced: Announced): number {
    const followers = this.#feeds.get(announced.to)?.followers;
    if (!followers) return 0;
    const dispatch = SharedDispatch.of(announced);
    for (const follower of followers) follower.receiveAgain(announced, dispatch);
    return followers.size;
  }

  #subscribe(topic: Topic): Feed {
    const feed = { followers: new Set<Follower>(), subscribed: this.#core.bus.subscribe(topic, this.#spread) };
    this.#feeds.set(topic, feed);
    return feed;
  }

  // One function for all topics, because there are as many topics as sessions.
  readonly #spread = (announced: Announced): void => {
    const { event, to } = announced;
    const followers = this.#feeds.get(to)?.followers;
    if (event) this.#core.journal.write('dispatch', { event: event.name, topic: to, sessions: followers?.size ?? 0 });
    if (!followers) return;
    if (event) this.#core.metrics.events.add(event.name);
    spread(followers, announced);
    this.#core.activity?.announced(announced, followers.size);
  };
}

function spread(followers: Set<Follower>, announced: Announced): void {
  const dispatch = SharedDispatch.of(announced);
  for (const follower of followers) follower.receive(announced, dispatch);
}
