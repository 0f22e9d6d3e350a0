import type { LobbyId, MessageId, UserId } from '../../model/snowflake.ts';
import type { Logger } from '../../wire/clock/ports.ts';
import { asRecord } from '../../wire/http/codec.ts';
import { Feed } from '../live/feed.ts';
import { Observable } from '../live/rxjs.ts';
import { lobbyReader } from './dispatch-reader.ts';
import type { LobbyEvent, LobbyGoneReason, MemberChange, MemberGone, VoiceChange } from './event.ts';
import { emptyList, LiveList } from './live-list.ts';
import { LiveLobby } from './live-lobby.ts';
import type { LiveMessages } from './live-messages.ts';
import { LobbyFeeds } from './lobby-feeds.ts';
import { LobbyNews } from './lobby-news.ts';
import { shareItems } from './share.ts';
import type {
  LobbyMemberSnapshot,
  LobbyMembers,
  LobbyMessages,
  LobbySnapshot,
  LobbyState,
  LobbyVoiceStates,
} from './snapshot.ts';

/**
 * The lobbies a client knows of, live. Every stream replays the latest value, emits when something changed, and completes
 * on {@link close}. The cost of an event depends on what it changes and who subscribed to that, not on the number of
 * members or of other subscriptions.
 */
export class LobbyStore {
  readonly lobbies$: Observable<LobbyState>;
  readonly #logger: Logger;
  #lobbies = new LiveList<LiveLobby>();
  readonly #all = new Feed(() => this.lobbies);
  readonly #watched = new Map<LobbyId, LobbyFeeds>();
  #shown: LobbyState = emptyList;
  #isStale = false;
  readonly #known = (id: string) => this.lobby(id);
  readonly #news: LobbyNews;
  #isClosed = false;

  /** @param news receives the events that the changes amount to */
  constructor(logger: Logger, news: LobbyNews = new LobbyNews()) {
    this.#logger = logger;
    this.#news = news;
    this.lobbies$ = this.#all.value$();
  }

  /** By id; the same object until something changes. */
  get lobbies(): LobbyState {
    if (this.#isStale) {
      this.#isStale = false;
      const lobbies = this.#lobbies.shown.map(lobby => lobby.shown);
      this.#shown = shareItems(this.#shown, lobbies);
    }
    return this.#shown;
  }

  /** Undefined while the player is in no lobby of that id; so with the others below. */
  lobby(id: LobbyId): LobbySnapshot | undefined {
    return this.#lobbies.find(id)?.shown;
  }

  members(id: LobbyId): LobbyMembers {
    return this.#lobbies.find(id)?.members ?? emptyList;
  }

  member(id: LobbyId, userId: UserId): LobbyMemberSnapshot | undefined {
    return this.#lobbies.find(id)?.member(userId);
  }

  messages(id: LobbyId): LobbyMessages {
    return this.#lobbies.find(id)?.messages.shown ?? emptyList;
  }

  /** Who is in the lobby's call; undefined while the player is in no lobby of that id. */
  voiceStates(id: LobbyId): LobbyVoiceStates | undefined {
    return this.#lobbies.find(id)?.voiceStates;
  }

  /** How many lobbies have watchers of their own. */
  get observedCount(): number {
    return this.#watched.size;
  }

  lobby$(id: LobbyId): Observable<LobbySnapshot | undefined> {
    return this.#streamOf(id, feeds => feeds.lobby);
  }

  members$(id: LobbyId): Observable<LobbyMembers> {
    return this.#streamOf(id, feeds => feeds.members);
  }

  member$(id: LobbyId, userId: UserId): Observable<LobbyMemberSnapshot | undefined> {
    return this.#streamOf(id, feeds => feeds.member(userId));
  }

  messages$(id: LobbyId): Observable<LobbyMessages> {
    return this.#streamOf(id, feeds => feeds.messages);
  }

  voiceStates$(id: LobbyId): Observable<LobbyVoiceStates | undefined> {
    return this.#streamOf(id, feeds => feeds.voiceStates);
  }

  /**
   * Applies a dispatch; one that cannot be read is logged and changes nothing.
   *
   * @returns whether it is about lobbies
   */
  apply(name: string, data: unknown): boolean {
    const read = lobbyReader(name);
    if (!read) return false;
    const fields = asRecord(data);
    const event = fields && read(fields, this.#known);
    if (!event || (event.kind === 'reset' && event.unreadable > 0)) {
      this.#logger.error({ name }, 'a lobby dispatch could not be read');
    }
    if (event) this.#change(event);
    this.#news.flush();
    return true;
  }

  /** Changes what is known of a lobby's messages; does nothing when the lobby is not known. */
  changeMessages(id: LobbyId, change: (messages: LiveMessages) => void): void {
    const lobby = this.#lobbies.find(id);
    if (!lobby) return;
    change(lobby.messages);
    this.#watched.get(id)?.messages.notify();
    this.#news.flush();
  }

  /** From which message on the lobby's messages arrived since the client follows it; undefined when none did. */
  firstNews(id: LobbyId): MessageId | undefined {
    return this.#lobbies.find(id)?.messages.firstNews;
  }

  /** Forgets every lobby; that is no event, and the player is still in them. */
  clear(): void {
    this.#reset([], false);
    this.#news.discard();
  }

  /** Completes every stream. */
  close(): void {
    this.#isClosed = true;
    this.#news.close();
    this.#all.complete();
    for (const feeds of [...this.#watched.values()]) feeds.complete();
  }

  #change(event: LobbyEvent): void {
    switch (event.kind) {
      case 'reset':
        this.#reset(event.lobbies, true);
        break;
      case 'lobby':
        this.#putLobby(event.lobby);
        break;
      case 'lobby-gone':
        this.#removeLobby(event.lobbyId, event.reason);
        break;
      case 'member':
      case 'member-gone':
        this.#changeMember(event);
        break;
      case 'message':
        this.changeMessages(event.lobbyId, messages => messages.put(event.message));
        break;
      case 'message-edit':
        this.changeMessages(event.lobbyId, messages => messages.edit(event.messageId, event.change));
        break;
      case 'message-gone':
        this.changeMessages(event.lobbyId, messages => messages.remove(event.messageId));
        break;
      case 'voice':
        this.#changeVoice(event);
    }
  }

  /** One consistent change: subscribers that read other state while they are notified see all of it. */
  #reset(lobbies: LobbyState, isNews: boolean): void {
    const before = this.lobbies;
    this.#lobbies = new LiveList(lobbies.map(lobby => this.#live(lobby)));
    this.#isStale = true;
    if (isNews) this.#news.lobbiesChanged(before, this.lobbies);
    for (const feeds of [...this.#watched.values()]) feeds.notify();
    this.#all.notify();
  }

  #putLobby(lobby: LobbySnapshot): void {
    const before = this.#lobbies.find(lobby.id)?.shown;
    const live = this.#live(lobby);
    this.#lobbies.put(live);
    this.#news.lobbyChanged(before, live.shown);
    this.#notify(lobby.id);
  }

  #removeLobby(id: LobbyId, reason: LobbyGoneReason): void {
    const before = this.#lobbies.find(id)?.shown;
    if (!before) return;
    this.#lobbies.remove(id);
    this.#news.lobbyGone(before, reason);
    this.#notify(id);
  }

  #changeMember(event: MemberChange | MemberGone): void {
    const lobby = this.#lobbies.find(event.lobbyId);
    if (!lobby) return;
    const before = this.#news.isObserved ? lobby.member(event.memberId) : undefined;
    if (event.kind === 'member') lobby.changeMember(event);
    else lobby.removeMember(event.memberId);
    if (this.#news.isObserved) this.#news.memberChanged(lobby.id, before, lobby.member(event.memberId));
    this.#isStale = true;
    this.#watched.get(lobby.id)?.notifyMember(event.memberId);
    this.#all.notify();
  }

  #changeVoice({ lobbyId, memberId, state }: VoiceChange): void {
    const lobby = this.#lobbies.find(lobbyId);
    if (!lobby) return;
    lobby.changeVoice(memberId, state);
    this.#isStale = true;
    this.#watched.get(lobby.id)?.notifyVoice();
    this.#all.notify();
  }

  /** The lobby as it is now, on what is known of it. */
  #live(lobby: LobbySnapshot): LiveLobby {
    const known = this.#lobbies.find(lobby.id);
    known?.replace(lobby);
    return known ?? new LiveLobby(lobby, (...change) => this.#news.messageChanged(lobby.id, ...change));
  }

  #notify(id: LobbyId): void {
    this.#isStale = true;
    this.#watched.get(id)?.notify();
    this.#all.notify();
  }

  #streamOf<Value>(id: LobbyId, pick: (feeds: LobbyFeeds) => Feed<Value>): Observable<Value> {
    return new Observable(subscriber => {
      if (this.#isClosed) return subscriber.complete();
      const feeds = this.#watched.get(id) ?? this.#feedsOf(id);
      this.#watched.set(id, feeds);
      const onEnd = () => {
        feeds.prune();
        if (!feeds.isObserved && this.#watched.get(id) === feeds) this.#watched.delete(id);
      };
      return pick(feeds).value$(onEnd).subscribe(subscriber);
    });
  }

  #feedsOf(id: LobbyId): LobbyFeeds {
    return new LobbyFeeds({
      lobby: () => this.lobby(id),
      members: () => this.members(id),
      member: userId => this.member(id, userId),
      messages: () => this.messages(id),
      voiceStates: () => this.voiceStates(id),
    });
  }
}
