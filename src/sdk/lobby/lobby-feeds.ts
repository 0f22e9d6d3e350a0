import type { UserId } from '../../model/snowflake.ts';
import { Feed } from '../live/feed.ts';
import type { LobbyMemberSnapshot, LobbyMembers, LobbyMessages, LobbySnapshot, LobbyVoiceStates } from './snapshot.ts';

type AnyFeed = Pick<Feed<unknown>, 'isObserved' | 'notify' | 'complete'>;

/** How the parts of one lobby are read. */
export interface LobbyReads {
  lobby(): LobbySnapshot | undefined;
  members(): LobbyMembers;
  member(id: UserId): LobbyMemberSnapshot | undefined;
  messages(): LobbyMessages;
  voiceStates(): LobbyVoiceStates | undefined;
}

/** The feeds of one lobby. An event notifies only those that it may concern, which are found by member id. */
export class LobbyFeeds {
  readonly lobby: Feed<LobbySnapshot | undefined>;
  readonly members: Feed<LobbyMembers>;
  readonly messages: Feed<LobbyMessages>;
  readonly voiceStates: Feed<LobbyVoiceStates | undefined>;
  readonly #member = new Map<UserId, Feed<LobbyMemberSnapshot | undefined>>();
  readonly #reads: LobbyReads;

  constructor(reads: LobbyReads) {
    this.#reads = reads;
    this.lobby = new Feed(reads.lobby);
    this.members = new Feed(reads.members);
    this.messages = new Feed(reads.messages);
    this.voiceStates = new Feed(reads.voiceStates);
  }

  member(id: UserId): Feed<LobbyMemberSnapshot | undefined> {
    let feed = this.#member.get(id);
    if (!feed) {
      feed = new Feed(() => this.#reads.member(id));
      this.#member.set(id, feed);
    }
    return feed;
  }

  get isObserved(): boolean {
    return this.#all().some(feed => feed.isObserved);
  }

  /** A member may have changed. */
  notifyMember(id: UserId): void {
    this.#member.get(id)?.notify();
    this.members.notify();
    this.lobby.notify();
  }

  /** A participant of the call may have changed. */
  notifyVoice(): void {
    this.voiceStates.notify();
    this.lobby.notify();
  }

  /** Anything may have changed. */
  notify(): void {
    for (const feed of this.#all()) feed.notify();
  }

  complete(): void {
    for (const feed of this.#all()) feed.complete();
  }

  /** Drops feeds without subscribers. */
  prune(): void {
    for (const [id, feed] of this.#member) if (!feed.isObserved) this.#member.delete(id);
  }

  #all(): readonly AnyFeed[] {
    return [...this.#member.values(), this.members, this.messages, this.voiceStates, this.lobby];
  }
}
