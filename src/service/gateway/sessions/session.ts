import { type Dispatches, type DispatchName, intentsFor } from '../../../model/gateway.ts';
import type { GuildId } from '../../../model/snowflake.ts';
import { type Announced, type Announcement, type Topic, type Topics, topicsIn } from '../../events/announcement.ts';
import type { Transaction } from '../../store/contract.ts';
import type { GatewaySessionRecord } from '../../store/records.ts';
import type { MaybePromise } from '../../support/maybe-promise.ts';
import { serviceLimits } from '../../support/service-limits.ts';
import type { Connection } from '../connection/connection.ts';
import { type DispatchFrame, dispatchFrame } from '../connection/frames.ts';
import { type Follower, type Hub, passesIntents, type SharedDispatch } from '../hub.ts';
import { homeOf } from './session-record.ts';
import { servesGuild } from './shard.ts';

// How many events may be held while a session reads its state; with more it will never catch up.
const heldMax = 10_000;

interface ReceivedEvent {
  readonly announced: Announced;
  readonly dispatch: SharedDispatch | undefined;
}

/** What the sessions of a node report to. */
export interface SessionOwner {
  readonly hub: Hub;
  /** The session has stopped holding events: from here on it consists of what it has received. */
  onSettled(session: Session): void;
  /** Its credential may no longer be valid. */
  onRecheck(session: Session): void;
  /** The session cannot continue. */
  onFail(session: Session, error: unknown): void;
  /** Another node has taken the session over, or has ended it. */
  onTaken(session: Session): void;
  /** The session alone received an event. @param data JSON. Absent: nobody observes that */
  onEmit?: ((session: Session, name: DispatchName, data: string) => void) | undefined;
}

/** How a session can continue for a client that has its events up to some number. */
export type Replay = readonly DispatchFrame[] | 'ahead' | 'gone';

/**
 * One client's view of the events: it numbers them, and outlives the connections that they are sent over.
 *
 * A session begins in the state "holding": received events wait until {@link Session.release}. The code that starts
 * it can therefore follow the topics first, then read the state, send it, and pass its revision to {@link
 * Session.saw}: no event is missed, and none that the state already contains is sent again. After the release, what
 * the session sends follows only from the announcements, in their order, so it can be restored from an earlier state
 * and the announcements since then.
 */
export class Session implements Follower {
  /** The stored part of the session, except how far it has come. */
  record: GatewaySessionRecord;
  readonly home: Topic;
  /** The connection over which its events are sent; without one they are numbered and kept. */
  connection: Connection | undefined;
  /** Sends the client the present state of a topic that it joined late. */
  introduce: ((session: Session, announced: Announced) => Promise<void>) | undefined;
  readonly #owner: SessionOwner;
  readonly #following = new Set<Topic>();
  /** Scope → revision up to which the client knows it; deleted once something newer arrived. */
  #seen: Map<string, number> | undefined;
  readonly #replay: ReplayBuffer;
  #held: ReceivedEvent[] | undefined = [];
  /** Topics that a held event lets it follow, for the events behind it. */
  readonly #followingEarly = new Set<Topic>();
  /** For a restored session: the position up to which announcements had been received. */
  readonly #receivedBefore: number;
  /** It was restored and has not received all events again yet. */
  #isReviving: boolean;
  #receivedUpTo: number;
  #acknowledged = 0;
  #ended = false;

  constructor(record: GatewaySessionRecord, owner: SessionOwner) {
    this.record = record;
    this.home = homeOf(record);
    this.#owner = owner;
    this.#replay = new ReplayBuffer(record.base?.sequence);
    this.#receivedBefore = record.base?.position ?? -1;
    this.#receivedUpTo = this.#receivedBefore;
    this.#isReviving = record.base !== null;
  }

  get id(): string {
    return this.record.id;
  }

  /** Number of its last event. */
  get sequence(): number {
    return this.#replay.last;
  }

  /** Its client has everything up to this number. */
  get acknowledged(): number {
    return this.#acknowledged;
  }

  /** Position of the last commit that concerned it. */
  get receivedUpTo(): number {
    return this.#receivedUpTo;
  }

  /** It follows nothing and cannot follow any more. */
  get hasEnded(): boolean {
    return this.#ended;
  }

  /** It holds events until its state was read. */
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
    // Only a client that has the event can know its number.
    if (name === 'READY') this.#replay.skip();
    else this.#replay.push(frame);
    this.connection?.owe(frame, this.#replay.last);
    this.#owner.onEmit?.(this, name, data);
  }

  /** What is kept so that its client can continue: how many events, and their bytes. */
  get replaySize(): { readonly events: number; readonly bytes: number } {
    return this.#replay.kept;
  }

  /** The session receives everything announced on the topic once this returns or, for a promise, resolves. */
  follow(topic: Topic): MaybePromise<void> {
    if (this.#ended) return;
    this.#following.add(topic);
    return this.#owner.hub.follow(topic, this);
  }

  unfollow(topic: Topic): void {
    if (this.#following.delete(topic)) this.#owner.hub.unfollow(topic, this);
  }

  /** The client has received the state of `scope` as of `revision`. @param guild it concerns only this guild */
  saw(scope: string, revision: number, guild?: GuildId): void {
    this.#seen ??= new Map();
    this.#seen.set(seenName(scope, guild), revision);
  }

  /** Whatever its client knows was received by now, so everything from here on is news. */
  forgetSeen(): void {
    this.#seen = undefined;
  }

  receive(announced: Announced, dispatch: SharedDispatch | undefined): void {
    if (announced.position <= this.#receivedBefore) return;
    if (!this.#held) {
      this.#deliver(announced, dispatch);
      if (announced.isAlone) this.connection?.flush();
    } else if (this.#held.push({ announced, dispatch }) > heldMax)
      this.#fail(new Error('The session cannot catch up.'));
    else if (this.#isReviving) this.#followEarly(announced);
  }

  heeds(announcement: Announcement): boolean {
    const { only, event, guild, follow, unfollow, recheck } = announcement;
    if ((only !== undefined && only !== this.id) || !this.#isOfFamily(announcement)) return false;
    if (event && this.#wants(event.name, guild !== undefined)) return true;
    return follow !== undefined || unfollow !== undefined || recheck === true;
  }

  receiveAgain(announced: Announced, dispatch: SharedDispatch | undefined): void {
    if (this.#isReviving && announced.position > this.#receivedBefore) {
      this.#deliver(announced, dispatch);
    }
  }

  /** The restored session drops the events that it holds: they will be received again. */
  holdAnew(): void {
    this.#held = [];
  }

  /** The restored session has received all earlier events: it continues as before. */
  goOn(): void {
    this.#isReviving = false;
    this.#deliverHeld({ isLate: false });
    for (const topic of this.#followingEarly) if (!this.#following.has(topic)) this.#owner.hub.unfollow(topic, this);
    this.#followingEarly.clear();
  }

  /** Delivers the held events, and from now on every event immediately. */
  release(): void {
    if (this.#deliverHeld({ isLate: true }) && !this.#ended) this.#owner.onSettled(this);
  }

  /** The client has everything up to this number. */
  acknowledge(sequence: number): void {
    if (sequence <= this.sequence) this.#acknowledged = Math.max(this.#acknowledged, sequence);
    this.#replay.forget(sequence);
  }

  /** The events that a client with everything up to `sequence` has missed; `ahead`: it cannot have that number. */
  missedAfter(sequence: number): Replay {
    if (sequence > this.sequence) return 'ahead';
    return this.#replay.after(sequence) ?? 'gone';
  }

  /** Stops receiving. Idempotent. */
  end(): void {
    this.#ended = true;
    this.connection = undefined;
    for (const topic of this.#following) this.#owner.hub.unfollow(topic, this);
    this.#following.clear();
    for (const topic of this.#followingEarly) this.#owner.hub.unfollow(topic, this);
    this.#followingEarly.clear();
    this.#held = undefined;
  }

  /** @returns whether the session holds no more events */
  #deliverHeld({ isLate }: { isLate: boolean }): boolean {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const [index, { announced, dispatch }] of held.entries()) {
      this.#deliver(announced, dispatch, isLate);
      if (this.#held) {
        this.#held = held.slice(index + 1); // This event made the session hold again.
        return false;
      }
    }
    return true;
  }

  #deliver(announced: Announced, dispatch: SharedDispatch | undefined, isLate = false): void {
    if (!this.#concerns(announced)) return;
    this.#receivedUpTo = announced.position;
    const { claim, follow, unfollow, recheck } = announced;
    if (claim !== undefined) {
      // A lower claim is a former one; its own is the session's present one.
      if (claim > this.record.claim) this.#owner.onTaken(this);
      return;
    }
    const joined = follow === undefined ? undefined : this.#followAll(follow);
    const mayHaveMissed = follow !== undefined && (isLate || joined !== undefined);
    if (mayHaveMissed && this.introduce) this.#hold(this.#introduceAfter(joined, announced));
    else if (dispatch?.passes(this.record.intents)) this.#dispatch(dispatch);
    if (unfollow !== undefined) for (const topic of topicsIn(unfollow)) this.unfollow(topic);
    if (recheck) this.#owner.onRecheck(this);
  }

  #concerns(announced: Announced): boolean {
    const { to, guild, everyShard, except, only, follow, unfollow, recheck } = announced;
    if (!this.#following.has(to) || except === this.record.user_id) return false;
    if ((only !== undefined && only !== this.id) || !this.#isOfFamily(announced)) return false;
    // The client has the first already, and never had the second.
    if ((follow !== undefined || unfollow !== undefined) && !this.#changes(follow, unfollow)) return false;
    // Events about the session itself, like the answer to a request, are in no state that it has read, and belong to no guild.
    if (only !== undefined) return true;
    if (this.#seen && !this.#isNewsFor(announced)) return false;
    return recheck === true || everyShard === true || servesGuild(this.record.shard, guild);
  }

  #isOfFamily({ families, exceptFamilies }: Announcement): boolean {
    const { family_id } = this.record;
    return families?.includes(family_id) !== false && exceptFamilies?.includes(family_id) !== true;
  }

  /** Whether it would follow other topics afterwards. */
  #changes(follow: Topics | undefined, unfollow: Topics | undefined): boolean {
    const isFollowing = (topic: Topic) => this.#following.has(topic);
    return !topicsIn(follow).every(isFollowing) || topicsIn(unfollow).some(isFollowing);
  }

  #followAll(follow: Topics): MaybePromise<void> {
    if (typeof follow === 'string') return this.follow(follow);
    const joined = follow.map(topic => this.follow(topic)).filter(one => one !== undefined);
    return joined.length === 0 ? undefined : Promise.all(joined).then(() => {});
  }

  #isNewsFor({ version, scope, revision, guild }: Announced): boolean {
    const { of, revision: number } = version ?? { of: scope, revision };
    return this.#isNews(of, number) && this.#isNews(seenName(of, guild), number);
  }

  // Revisions of a scope rise, so once one is new every later one is.
  #isNews(name: string, revision: number): boolean {
    const seen = this.#seen?.get(name);
    if (seen === undefined) return true;
    if (revision <= seen) return false;
    this.#seen?.delete(name);
    if (this.#seen?.size === 0) this.#seen = undefined;
    return true;
  }

  #followEarly({ follow, only }: Announced): void {
    if (follow === undefined || (only !== undefined && only !== this.id)) return;
    for (const topic of topicsIn(follow)) {
      if (this.#following.has(topic)) continue;
      this.#followingEarly.add(topic);
      void this.#owner.hub.follow(topic, this);
    }
  }

  // A topic that is joined after its announcement has had events that nobody received: its state is read after
  // joining and sent, and everything that follows waits until then.
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
    return passesIntents(intentsFor(name, inGuild), this.record.intents);
  }

  #dispatch(event: SharedDispatch): void {
    // Most replayed events are never requested, so they are encoded on demand.
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

function seenName(scope: string, guild: GuildId | undefined): string {
  return guild === undefined ? scope : `${scope} ${guild}`;
}

/**
 * Sends an event to one running session. It is announced like all others, so that it has its place among them and is
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

/** An event that is encoded on demand. */
interface LateFrame {
  /** Approximate size in bytes. */
  readonly size: number;
  readonly frame: DispatchFrame;
}

/** Dropped events are cut off when there are this many of them, and more than are kept. */
const slackMax = 64;

/**
 * The events that a session's client may need again, bounded in number and bytes: the oldest are dropped. All
 * sessions that receive an event share its frame.
 */
export class ReplayBuffer {
  /** The first `#dropped` of them no longer count. */
  #frames: (DispatchFrame | LateFrame | undefined)[] = [];
  #dropped = 0;
  #bytes = 0;
  #last: number;

  /** @param last number of the event before the first one */
  constructor(last = 0) {
    this.#last = last;
  }

  /** Number of the last event. */
  get last(): number {
    return this.#last;
  }

  push(frame: DispatchFrame | LateFrame): void {
    this.#frames.push(frame);
    this.#bytes += sizeOf(frame);
    this.#last++;
    while (this.#bytes > serviceLimits.gatewayReplayBytesMax || this.#size > serviceLimits.gatewayReplayEventsMax)
      this.#drop();
  }

  /** Assigns a number to an event that cannot be replayed; nor can those before it. */
  skip(): void {
    this.forget(this.#last);
    this.#last++;
  }

  /** The client has everything up to this number; a number that was not assigned yet is ignored. */
  forget(number: number): void {
    if (number > this.#last) return;
    while (this.#size > this.#last - number) this.#drop();
  }

  /** The events after this number; undefined when some of them were dropped. */
  after(number: number): readonly DispatchFrame[] | undefined {
    const wanted = this.#last - number;
    if (wanted > this.#size) return undefined;
    const frames = this.#frames.slice(this.#frames.length - wanted).filter(frame => frame !== undefined);
    return frames.map(frame => ('bytes' in frame ? frame : frame.frame));
  }

  /** How many events are kept, and their bytes. */
  get kept(): { readonly events: number; readonly bytes: number } {
    return { events: this.#size, bytes: this.#bytes };
  }

  get #size(): number {
    return this.#frames.length - this.#dropped;
  }

  #drop(): void {
    const frame = this.#frames[this.#dropped];
    if (frame) this.#bytes -= sizeOf(frame);
    this.#frames[this.#dropped] = undefined;
    this.#dropped++;
    if (this.#dropped === this.#frames.length) this.#frames = [];
    else if (this.#dropped < slackMax || this.#dropped < this.#frames.length / 2) return;
    else this.#frames = this.#frames.slice(this.#dropped);
    this.#dropped = 0;
  }
}

function sizeOf(frame: DispatchFrame | LateFrame): number {
  return 'bytes' in frame ? frame.bytes.length : frame.size;
}
