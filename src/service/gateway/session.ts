import { type Dispatches, type DispatchName, dispatchIntents } from '../../model/gateway.ts';
import type { UserId } from '../../model/snowflake.ts';
import { dispatchText, type EncodedDispatch, encodeDispatch } from '../../wire/gateway.ts';
import type { Announced, Topic } from '../announcement.ts';
import type { MaybePromise } from '../store/contract.ts';
import type { Connection } from './connection.ts';
import type { Follower, Hub } from './hub.ts';
import { type Shard, servesGuild } from './shard.ts';

// What may gather while a session reads its state; more than this means that it will never catch up.
const heldMax = 10_000;

interface Heard {
  readonly announced: Announced;
  readonly dispatch: EncodedDispatch | undefined;
}

export interface SessionOptions {
  readonly id: string;
  /** The topic that is this session's own, and of every other session of the same user (or bot). */
  readonly home: Topic;
  readonly userId: UserId;
  /** Undefined: hears everything. */
  readonly intents: number | undefined;
  readonly shard: Shard | undefined;
  readonly hub: Hub;
  /** The session cannot go on. */
  onFail(session: Session, error: unknown): void;
}

/**
 * One client's view of the events: numbers them, and outlives the connection they leave by.
 *
 * It begins holding: what it hears waits until {@link Session.release}. So whoever starts it can first follow the
 * topics, then read the state, send it, and say with {@link Session.saw} how new it was: nothing is missed, and what
 * the state already told is not told again.
 */
export class Session implements Follower {
  readonly id: string;
  readonly home: Topic;
  /** Where its events leave now; without one they are numbered and gone. */
  connection: Connection | undefined;
  /** Tells the client what it begins to follow, from its present state; for topics joined late. */
  introduce: ((announced: Announced) => Promise<void>) | undefined;
  readonly #options: SessionOptions;
  readonly #following = new Set<Topic>();
  /** Scope → revision up to which the client knows it. Gone once something newer came. */
  readonly #seen = new Map<string, number>();
  #held: Heard[] | undefined = [];
  #sequence = 0;
  #ended = false;

  constructor(options: SessionOptions, connection: Connection) {
    this.id = options.id;
    this.home = options.home;
    this.#options = options;
    this.connection = connection;
  }

  /** Sends an event of this session alone. */
  emit<Name extends DispatchName>(name: Name, data: Dispatches[Name]): void {
    if (this.#wants(name)) this.#dispatch(encodeDispatch(name, JSON.stringify(data)));
  }

  /** The session hears everything announced on the topic once this returns or, for a promise, resolves. */
  follow(topic: Topic): MaybePromise<void> {
    if (this.#ended) return;
    this.#following.add(topic);
    return this.#options.hub.follow(topic, this);
  }

  unfollow(topic: Topic): void {
    if (this.#following.delete(topic)) this.#options.hub.unfollow(topic, this);
  }

  /** It follows nothing and cannot follow any more. */
  get hasEnded(): boolean {
    return this.#ended;
  }

  get following(): ReadonlySet<Topic> {
    return this.#following;
  }

  /** The client has been told the state of `scope` as of `revision`. */
  saw(scope: string, revision: number): void {
    this.#seen.set(scope, revision);
  }

  hear(announced: Announced, dispatch: EncodedDispatch | undefined): void {
    if (!this.#held) this.#deliver({ announced, dispatch }, { isLate: false });
    else if (this.#held.push({ announced, dispatch }) > heldMax) this.#fail(new Error('The session cannot catch up.'));
  }

  /** Delivers what was held, and from now on everything at once. */
  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const [index, heard] of held.entries()) {
      this.#deliver(heard, { isLate: true });
      if (this.#held) {
        this.#held = held.slice(index + 1); // this one made the session hold again
        return;
      }
    }
  }

  /** Hears nothing any more. Idempotent. */
  end(): void {
    this.#ended = true;
    this.connection = undefined;
    for (const topic of this.#following) this.#options.hub.unfollow(topic, this);
    this.#following.clear();
    this.#held = undefined;
  }

  #deliver({ announced, dispatch }: Heard, { isLate }: { isLate: boolean }): void {
    if (!this.#concerns(announced)) return;
    const { follow, unfollow } = announced;
    const joined = follow === undefined ? undefined : this.follow(follow);
    const mayHaveMissed = follow !== undefined && (isLate || joined !== undefined);
    if (mayHaveMissed && this.introduce) this.#hold(this.#introduceAfter(joined, announced));
    else if (dispatch && this.#wants(dispatch.name)) this.#dispatch(dispatch);
    if (unfollow !== undefined) this.unfollow(unfollow);
  }

  #concerns(announced: Announced): boolean {
    const { to, guild, except, follow, unfollow } = announced;
    if (!this.#following.has(to) || except === this.#options.userId) return false;
    if (follow !== undefined && this.#following.has(follow)) return false; // it knows already what comes
    if (unfollow !== undefined && !this.#following.has(unfollow)) return false; // it never knew what goes
    return this.#isNews(announced) && servesGuild(this.#options.shard, guild);
  }

  // Revisions of a scope rise, so once one is news every later one is.
  #isNews({ scope, revision }: Announced): boolean {
    const seen = this.#seen.get(scope);
    if (seen === undefined) return true;
    if (revision <= seen) return false;
    this.#seen.delete(scope);
    return true;
  }

  // A topic joined later than it was announced has had events that nobody heard: what it is about is told from its
  // state, read after joining, and all that follows waits until then.
  async #introduceAfter(joined: MaybePromise<void>, announced: Announced): Promise<void> {
    await joined;
    await this.introduce?.(announced);
  }

  #hold(introduced: Promise<void>): void {
    this.#held = [];
    introduced.then(
      () => this.release(),
      error => this.#fail(error),
    );
  }

  #wants(name: DispatchName): boolean {
    const needed = dispatchIntents[name];
    const { intents } = this.#options;
    return needed === undefined || intents === undefined || (needed & intents) !== 0;
  }

  #dispatch(dispatch: EncodedDispatch): void {
    this.connection?.send(dispatchText(dispatch, ++this.#sequence));
  }

  #fail(error: unknown): void {
    if (!this.#ended) this.#options.onFail(this, error);
  }
}
