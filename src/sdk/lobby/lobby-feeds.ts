import type { UserId } from '../../model/snowflake.ts';
import { Feed } from '../live/feed.ts';
import type { LobbyMemberSnapshot, LobbyMembers, LobbyMessages, LobbySnapshot, LobbyVoiceStates } from './snapshot.ts';

type AnyFeed = Pick<Feed<unknown>, 'isWatched' | 'tell' | 'complete'>;

/** How the parts of one lobby are read now. */
export interface LobbyReads {
  lobby(): LobbySnapshot | undefined;
  members(): LobbyMembers;
  member(id: UserId): LobbyMemberSnapshot | undefined;
  messages(): LobbyMessages;
  voiceStates(): LobbyVoiceStates | undefined;
}

/** Who watches what of one lobby. An event wakes those whom it may concern, found by what they watch. */
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

  get isWatched(): boolean {
    return this.#all().some(feed => feed.isWatched);
  }

  /** A member may have changed. */
  tellMember(id: UserId): void {
    this.#member.get(id)?.tell();
    this.members.tell();
    this.lobby.tell();
  }

  /** Somebody in the call may have changed. */
  tellVoice(): void {
    this.voiceStates.tell();
    this.lobby.tell();
  }

  /** Anything may have changed. */
  tell(): void {
    for (const feed of this.#all()) feed.tell();
  }

  complete(): void {
    for (const feed of this.#all()) feed.complete();
  }

  /** Lets go of what nobody watches any more. */
  prune(): void {
    for (const [id, feed] of this.#member) if (!feed.isWatched) this.#member.delete(id);
  }

  #all(): readonly AnyFeed[] {
    return [...this.#member.values(), this.members, this.messages, this.voiceStates, this.lobby];
  }
}
