import type {
  Client,
  LobbyMemberSnapshot,
  LobbyMessageSnapshot,
  LobbyMessages,
  LobbySnapshot,
  UserId,
} from '@rallypoint/sdk';
import type { LobbyEntry, LobbySummary, LobbyView, MemberView } from '../shared/state.ts';

/** What a {@link LobbyWatch} stands on. */
export interface LobbyWatchParts {
  readonly client: Client;
  readonly now: () => number;
  /** There is something else to show. */
  readonly onChange: () => void;
  /** Something happened in the lobby, in words. */
  readonly onEvent: (title: string, text: string) => void;
}

const historyMax = 100;
const eventsMax = 200;
const entriesShownMax = 300;

/** One lobby: what the client tells of it, and what this run of the game saw happen in it. */
export class LobbyWatch {
  readonly #parts: LobbyWatchParts;
  readonly #joinedAtMs = new Map<UserId, number>();
  /** Of who said something: messages name their authors. */
  readonly #authors = new Map<UserId, string>();
  readonly #hearing: { unsubscribe(): void };
  #latest: LobbySnapshot;
  #live: LobbyMessages = [];
  /** What was said before the client knew the lobby. */
  #history: LobbyMessages = [];
  #events: LobbyEntry[] = [];
  #eventsCount = 0;
  #unread = 0;
  #isShown = false;

  constructor(lobby: LobbySnapshot, parts: LobbyWatchParts) {
    this.#latest = lobby;
    this.#parts = parts;
    this.#hearing = parts.client.messages$(lobby.id).subscribe(messages => this.#heard(messages));
    void this.#readHistory();
  }

  close(): void {
    this.#hearing.unsubscribe();
  }

  /** A lobby that nobody named is told apart by the end of its id. */
  get title(): string {
    const { id, metadata } = this.#latest;
    return metadata.title ?? `Lobby ${id.slice(-4)}`;
  }

  get summary(): LobbySummary {
    const { id, members } = this.#latest;
    const onlineCount = members.filter(({ connected }) => connected).length;
    return { id, title: this.title, memberCount: members.length, onlineCount, unread: this.#unread };
  }

  view(secret: string | undefined): LobbyView {
    return {
      ...this.summary,
      members: this.#latest.members.map(member => this.#memberView(member)).sort(byPresence),
      entries: this.#entries(),
      ...(secret !== undefined && { secret }),
    };
  }

  /** What is said while it is shown has been read. */
  setShown(isShown: boolean): void {
    this.#isShown = isShown;
    if (isShown) this.#unread = 0;
  }

  /** Finds out who came and went. */
  take(lobby: LobbySnapshot): void {
    if (lobby === this.#latest) return;
    const before = byId(this.#latest.members);
    const after = byId(lobby.members);
    this.#latest = lobby;
    for (const [id, member] of after) {
      const known = before.get(id);
      if (!known) this.#joinedAtMs.set(id, this.#parts.now());
      const told = known ? connectionNews(known, member) : 'came in';
      if (told !== undefined) this.#happened(`${this.#nameOf(member)} ${told}`);
    }
    for (const [id, member] of before) {
      if (after.has(id)) continue;
      this.#joinedAtMs.delete(id);
      this.#happened(`${this.#nameOf(member)} left`);
    }
  }

  #happened(text: string): void {
    const { now, onEvent } = this.#parts;
    const event: LobbyEntry = { kind: 'event', id: `event-${++this.#eventsCount}`, text, atMs: now() };
    this.#events = [...this.#events, event].slice(-eventsMax);
    onEvent(this.title, text);
  }

  async #readHistory(): Promise<void> {
    const { client, onChange } = this.#parts;
    try {
      // A lobby may be known before the session is ready.
      await client.lobbies.get(this.#latest.id)?.loadOlder(historyMax, { whenOffline: 'queue' });
      this.#history = client.messages(this.#latest.id);
      this.#learnAuthors(this.#history);
      onChange();
    } catch {
      // What cannot be read is not shown; the lobby works without.
    }
  }

  #heard(messages: LobbyMessages): void {
    const known = new Set(this.#live.map(({ id }) => id));
    const others = messages.filter(({ id, author }) => !known.has(id) && author?.id !== this.#ownId);
    this.#live = messages;
    this.#learnAuthors(messages);
    if (!this.#isShown) this.#unread += others.length;
    this.#parts.onChange();
  }

  #learnAuthors(messages: LobbyMessages): void {
    for (const { author } of messages) if (author) this.#authors.set(author.id, author.displayName);
  }

  #entries(): LobbyEntry[] {
    const messages = new Map([...this.#history, ...this.#live].map(message => [message.id, message]));
    const said = [...messages.values()].map(message => this.#messageView(message));
    return [...said, ...this.#events].sort((a, b) => a.atMs - b.atMs).slice(-entriesShownMax);
  }

  #messageView({ id, author, content, sentAtMs, editedAtMs }: LobbyMessageSnapshot): LobbyEntry {
    return {
      kind: 'message',
      id,
      authorId: author?.id ?? '0',
      author: author?.displayName ?? 'Somebody',
      isYou: author !== undefined && author.id === this.#ownId,
      content,
      atMs: sentAtMs,
      isEdited: editedAtMs !== undefined,
    };
  }

  #memberView(member: LobbyMemberSnapshot): MemberView {
    const { id, connected } = member;
    const joinedAtMs = this.#joinedAtMs.get(id);
    const isYou = id === this.#ownId;
    return { id, name: this.#nameOf(member), isYou, connected, ...(joinedAtMs !== undefined && { joinedAtMs }) };
  }

  /** What the service says comes first; what a member says of itself may be anything. */
  #nameOf({ id, user, additionalName, metadata }: LobbyMemberSnapshot): string {
    return additionalName ?? user?.displayName ?? this.#authors.get(id) ?? metadata.name ?? `Player ${id.slice(-4)}`;
  }

  get #ownId(): UserId | undefined {
    return this.#parts.client.status.userId;
  }
}

function byId(members: readonly LobbyMemberSnapshot[]): ReadonlyMap<UserId, LobbyMemberSnapshot> {
  return new Map(members.map(member => [member.id, member]));
}

function connectionNews(before: LobbyMemberSnapshot, after: LobbyMemberSnapshot): string | undefined {
  if (before.connected === after.connected) return undefined;
  return after.connected ? 'is back' : 'went offline';
}

function byPresence(a: MemberView, b: MemberView): number {
  return Number(b.connected) - Number(a.connected) || a.name.localeCompare(b.name);
}
