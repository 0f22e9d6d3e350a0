import { type EncodedDispatch, encodeDispatch } from '../../wire/gateway.ts';
import type { Cancel } from '../../wire/ports.ts';
import type { Announced, Topic } from '../announcement.ts';
import type { Core } from '../core.ts';
import type { MaybePromise } from '../store/contract.ts';

/** Who hears what is announced on the topics it follows. */
export interface Follower {
  /** @param dispatch the announcement's event, encoded once for all followers; undefined when it has none */
  hear(announced: Announced, dispatch: EncodedDispatch | undefined): void;
}

interface Feed {
  readonly followers: Set<Follower>;
  readonly subscribed: MaybePromise<Cancel>;
}

/** Spreads announcements among the sessions of this node: one subscription to the bus for each topic they follow. */
export class Hub {
  readonly #core: Pick<Core, 'bus' | 'journal'>;
  readonly #feeds = new Map<Topic, Feed>();

  constructor(core: Pick<Core, 'bus' | 'journal'>) {
    this.#core = core;
  }

  /** The follower hears everything published on the topic after this returns or, for a promise, resolves. */
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
        () => {}, // whoever followed was told
      );
    } else feed.subscribed();
  }

  #subscribe(topic: Topic): Feed {
    const followers = new Set<Follower>();
    const feed = {
      followers,
      subscribed: this.#core.bus.subscribe(topic, announced => this.#spread(followers, announced)),
    };
    this.#feeds.set(topic, feed);
    return feed;
  }

  #spread(followers: ReadonlySet<Follower>, announced: Announced): void {
    const { event, to } = announced;
    if (event) this.#core.journal.write('dispatch', { event: event.name, topic: to, sessions: followers.size });
    const dispatch = event && encodeDispatch(event.name, event.data);
    for (const follower of followers) follower.hear(announced, dispatch);
  }
}
