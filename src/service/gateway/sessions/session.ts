import { type Dispatches, type DispatchName, intentsFor } from '../../../model/gateway.ts';
import type { Announced, Announcement, Topic } from '../../events/announcement.ts';
import type { Transaction } from '../../store/contract.ts';
import type { GatewaySessionRecord } from '../../store/records.ts';
import type { MaybePromise } from '../../support/maybe-promise.ts';
import type { Connection } from '../connection/connection.ts';
import { type DispatchFrame, dispatchFrame } from '../connection/frames.ts';
import type { Follower, Hub, SharedDispatch } from '../hub.ts';
import { type LateFrame, ReplayBuffer } from './replay-buffer.ts';
import { homeOf } from './session-record.ts';
import { servesGuild } from './shard.ts';

// What may gather while a session reads its state; more than this means that it will never catch up.
const heldMax = 10_000;

interface Heard {
  readonly announced: Announced;
  readonly dispatch: SharedDispatch | undefined;
}

/** Where the sessions of a node belong. */
export interface SessionOwner {
  readonly hub: Hub;
  /** The session holds nothing back any more: from here on it is what it heard. */
  onSettled(session: Session): void;
  /** What it was opened with may hold no longer. */
  onRecheck(session: Session): void;
  /** The session cannot go on. */
  onFail(session: Session, error: unknown): void;
}

/** How a session can go on for a client that has its events up to some number. */
export type Replay = readonly DispatchFrame[] | 'ahead' | 'gone';

/**
 * One client's view of the events: numbers them, and outlives the connections they leave by.
 *
 * It begins holding: what it hears waits until {@link Session.release}. So whoever starts it can first follow the
 * topics, then read the state, send it, and say with {@link Session.saw} how new it was: nothing is missed, and what
 * the state already told is not told again. Once it is released, what it sends follows from what is announced alone,
 * in the order of announcing: so it can be made anew from where it once stood and what was announced since.
 */
export class Session implements Follower {
  /** What is kept of it, but for how far it has come. */
  record: GatewaySessionRecord;
  readonly home: Topic;
  /** Where its events leave now; without one they are numbered and kept. */
  connection: Connection | undefined;
  /** Tells the client what it begins to follow, from its present state; for topics joined late. */
  introduce: ((session: Session, announced: Announced) => Promise<void>) | undefined;
  readonly #owner: SessionOwner;
  readonly #following = new Set<Topic>();
  /** Scope → revision up to which the client knows it. Gone once something newer came. */
  #seen: Map<string, number> | undefined;
  readonly #replay: ReplayBuffer;
  #held: Heard[] | undefined = [];
  /** Of a session made anew: what was announced up to there had been heard. */
  readonly #heardBefore: number;
  /** It was made anew and has not relived all yet. */
  #isReviving: boolean;
  #heardUpTo: number;
  #ended = false;

  constructor(record: GatewaySessionRecord, owner: SessionOwner) {
    this.record = record;
    this.home = homeOf(record);
    this.#owner = owner;
    this.#replay = new ReplayBuffer(record.base?.sequence);
    this.#heardBefore = record.base?.position ?? -1;
    this.#heardUpTo = this.#heardBefore;
    this.#isReviving = record.base !== null;
  }

  get id(): string {
    return this.record.id;
  }

  /** Number of its last event. */
  get sequence(): number {
    return this.#replay.last;
  }

  /** Revision of the last commit that concerned it. */
  get heardUpTo(): number {
    return this.#heardUpTo;
  }

  /** It follows nothing and cannot follow any more. */
  get hasEnded(): boolean {
    return this.#ended;
  }

  /** It waits for its state to be read. */
  get isHolding(): boolean {
    return this.#held !== undefined;
  }

  get following(): ReadonlySet<Topic> {
    return this.#following;
  }

  /** Sends an event of this session alone, while it is holding. */
  emit<Name extends DispatchName>(name: Name, data: Dispatches[Name]): void {
    if (this.#wants(name, true)) this.emitText(name, JSON.stringify(data));
  }

  /** As {@link emit}. @param data encoded as JSON */
  emitText(name: DispatchName, data: string): void {
    if (!this.#wants(name, true)) return;
    const frame = dispatchFrame(name, data);
    // Its number can only be known to a client that has it.
    if (name === 'READY') this.#replay.skip();
    else this.#replay.push(frame);
    this.connection?.owe(frame, this.#replay.last);
  }

  /** The session hears everything announced on the topic once this returns or, for a promise, resolves. */
  follow(topic: Topic): MaybePromise<void> {
    if (this.#ended) return;
    this.#following.add(topic);
    return this.#owner.hub.follow(topic, this);
  }

  unfollow(topic: Topic): void {
    if (this.#following.delete(topic)) this.#owner.hub.unfollow(topic, this);
  }

  /** The client has been told the state of `scope` as of `revision`. */
  saw(scope: string, revision: number): void {
    this.#seen ??= new Map();
    this.#seen.set(scope, revision);
  }

  hear(announced: Announced, dispatch: SharedDispatch | undefined): void {
    if (announced.revision <= this.#heardBefore) return;
    if (!this.#held) this.#deliver({ announced, dispatch }, { isLate: false });
    else if (this.#held.push({ announced, dispatch }) > heldMax) this.#fail(new Error('The session cannot catch up.'));
  }

  heeds({ only, event, guild, follow, unfollow, recheck }: Announcement): boolean {
    if (only !== undefined && only !== this.id) return false;
    if (event && this.#wants(event.name, guild !== undefined)) return true;
    return follow !== undefined || unfollow !== undefined || recheck === true;
  }

  relive(announced: Announced, dispatch: SharedDispatch | undefined): void {
    if (this.#isReviving && announced.revision > this.#heardBefore) {
      this.#deliver({ announced, dispatch }, { isLate: false });
    }
  }

  /** The session was made anew and has relived all there was: it goes on as it was. */
  goOn(): void {
    this.#isReviving = false;
    this.#deliverHeld();
  }

  /** Delivers what was held, and from now on everything immediately. */
  release(): void {
    if (this.#deliverHeld() && !this.#ended) this.#owner.onSettled(this);
  }

  /** The client has everything up to this number. */
  acknowledge(sequence: number): void {
    this.#replay.forget(sequence);
  }

  /** What a client that has everything up to `sequence` has missed; `ahead`: it cannot have had that. */
  missedAfter(sequence: number): Replay {
    if (sequence > this.sequence) return 'ahead';
    return this.#replay.after(sequence) ?? 'gone';
  }

  /** Hears nothing any more. Idempotent. */
  end(): void {
    this.#ended = true;
    this.connection = undefined;
    for (const topic of this.#following) this.#owner.hub.unfollow(topic, this);
    this.#following.clear();
    this.#held = undefined;
  }

  /** @returns whether the session holds nothing any more */
  #deliverHeld(): boolean {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const [index, heard] of held.entries()) {
      this.#deliver(heard, { isLate: true });
      if (this.#held) {
        this.#held = held.slice(index + 1); // this one made the session hold again
        return false;
      }
    }
    return true;
  }

  #deliver({ announced, dispatch }: Heard, { isLate }: { isLate: boolean }): void {
    if (!this.#concerns(announced)) return;
    this.#heardUpTo = announced.revision;
    const { follow, unfollow, recheck } = announced;
    const joined = follow === undefined ? undefined : this.follow(follow);
    const mayHaveMissed = follow !== undefined && (isLate || joined !== undefined);
    if (mayHaveMissed && this.introduce) this.#hold(this.#introduceAfter(joined, announced));
    else if (dispatch && this.#wants(dispatch.name, announced.guild !== undefined)) this.#dispatch(dispatch);
    if (unfollow !== undefined) this.unfollow(unfollow);
    if (recheck) this.#owner.onRecheck(this);
  }

  #concerns({ to, guild, everyShard, except, only, follow, unfollow, recheck, scope, revision }: Announced): boolean {
    if (!this.#following.has(to) || except === this.record.user_id) return false;
    if (only !== undefined && only !== this.id) return false;
    if (follow !== undefined && this.#following.has(follow)) return false; // it knows already what comes
    if (unfollow !== undefined && !this.#following.has(unfollow)) return false; // it never knew what goes
    if (!this.#isNews(scope, revision)) return false;
    // What is about the session itself happens neither in a guild nor outside: it is no matter of shards.
    return only !== undefined || recheck === true || everyShard === true || servesGuild(this.record.shard, guild);
  }

  // Revisions of a scope rise, so once one is news every later one is.
  #isNews(scope: string, revision: number): boolean {
    const seen = this.#seen?.get(scope);
    if (seen === undefined) return true;
    if (revision <= seen) return false;
    this.#seen?.delete(scope);
    if (this.#seen?.size === 0) this.#seen = undefined;
    return true;
  }

  // A topic joined later than it was announced has had events that nobody heard: what it is about is told from its
  // state, read after joining, and all that follows waits until then.
  async #introduceAfter(joined: MaybePromise<void>, announced: Announced): Promise<void> {
    await joined;
    await this.introduce?.(this, announced);
  }

  #hold(introduced: Promise<void>): void {
    this.#held = [];
    introduced.then(
      () => this.release(),
      error => this.#fail(error),
    );
  }

  #wants(name: DispatchName, inGuild: boolean): boolean {
    const needed = intentsFor(name, inGuild);
    const { intents } = this.record;
    return needed === undefined || intents === null || (needed & intents) !== 0;
  }

  #dispatch(event: SharedDispatch): void {
    // Of what is relived most is not asked for: it is encoded when it is.
    if (this.#isReviving && event.size !== undefined) {
      this.#replay.push(event as LateFrame);
      return;
    }
    const { frame } = event;
    this.#replay.push(frame);
    this.connection?.dispatch(frame, this.#replay.last);
  }

  #fail(error: unknown): void {
    if (!this.#ended) this.#owner.onFail(this, error);
  }
}

/**
 * Sends an event to one session that runs. It is announced like all others, so that it has its place among them and is
 * not lost with the process.
 */
export function notifySession<Name extends DispatchName>(
  transaction: Transaction,
  { home, id }: Session,
  name: Name,
  data: Dispatches[Name],
): void {
  transaction.announce({ to: home, only: id, event: { name, data: JSON.stringify(data) } });
}
