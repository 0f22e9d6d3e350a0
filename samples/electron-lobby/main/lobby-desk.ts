import type {
  Client,
  LobbyMemberSnapshot,
  LobbyMessageSnapshot,
  LobbyMessages,
  LobbySnapshot,
  LobbyState,
} from '@rallypoint/sdk';
import type { LobbyEntry, LobbySummary, LobbyView, MemberView } from '../shared/state.ts';
import type { Journal } from './journal.ts';
import { makeSecret } from './lobby-secret.ts';
import type { StateStore } from './state-store.ts';

/** What a {@link LobbyDesk} stands on. */
export interface LobbyDeskParts {
  readonly client: Client;
  readonly store: StateStore;
  readonly journal: Journal;
  readonly now: () => number;
}

/** What is known of one lobby beside what the client tells: what this run of the game saw happen. */
interface Watch {
  latest: LobbySnapshot;
  live: LobbyMessages;
  /** What was said before the client knew the lobby. */
  history: LobbyMessages;
  events: LobbyEntry[];
  readonly joinedAtMs: Map<string, number>;
  /** Of who said something: messages name their authors. */
  readonly authors: Map<string, string>;
  unread: number;
  end(): void;
}

const eventsMax = 200;
const entriesShownMax = 300;

/** The player's lobbies as windows show them. */
export class LobbyDesk {
  readonly #parts: LobbyDeskParts;
  readonly #watches = new Map<string, Watch>();
  /** Of lobbies that were made or joined in this run. Not written down: they let anybody in. */
  readonly #secrets = new Map<string, string>();
  readonly #leaving = new Set<string>();
  #shownId: string | null = null;
  #eventsCount = 0;

  constructor(parts: LobbyDeskParts) {
    this.#parts = parts;
    parts.client.lobbies$.subscribe(lobbies => this.#take(lobbies));
  }

  /** Makes a lobby with a fresh secret. */
  async make(title: string): Promise<void> {
    await this.#enter(makeSecret(), title);
    this.#parts.journal.note(`You made a lobby. Share its secret to fill it.`, 'good');
  }

  async join(secret: string): Promise<void> {
    await this.#enter(secret.trim(), undefined);
    this.#parts.journal.note('You came into a lobby by its secret.', 'good');
  }

  async leave(lobbyId: string): Promise<void> {
    const title = this.#titleOf(lobbyId);
    this.#leaving.add(lobbyId);
    try {
      await this.#parts.client.leaveLobby(lobbyId);
    } finally {
      this.#leaving.delete(lobbyId);
    }
    this.#secrets.delete(lobbyId);
    this.#parts.journal.note(`You left ${title}.`);
  }

  show(lobbyId: string | null): void {
    this.#shownId = lobbyId;
    const watch = this.#watches.get(lobbyId ?? '');
    if (watch) watch.unread = 0;
    this.#publish();
  }

  async say(lobbyId: string, text: string): Promise<void> {
    await this.#parts.client.sendLobbyMessage(lobbyId, text);
  }

  secretOf(lobbyId: string): string | undefined {
    return this.#secrets.get(lobbyId);
  }

  /** Forgets what is not another player's to see. To be called once nobody is signed in. */
  forget(): void {
    this.#secrets.clear();
    this.#take([]);
  }

  async #enter(secret: string, title: string | undefined): Promise<void> {
    const { client, store } = this.#parts;
    const { session } = store.state;
    const name = session.step === 'signed-in' ? session.player?.displayName : undefined;
    const lobbyId = await client.createOrJoinLobby(secret, {
      ...(title?.trim() && { lobbyMetadata: { title: title.trim() } }),
      // Members come with their ids alone; a game that wants names among them says its own.
      ...(name !== undefined && { memberMetadata: { name } }),
    });
    this.#secrets.set(lobbyId, secret);
    this.show(lobbyId);
  }

  #take(known: LobbyState): void {
    // The client may let go of them a moment after the player has left.
    const lobbies = this.#parts.store.state.session.step === 'signed-in' ? known : [];
    const present = new Set<string>(lobbies.map(({ id }) => id));
    for (const id of [...this.#watches.keys()]) if (!present.has(id)) this.#lost(id);
    for (const lobby of lobbies) {
      const watch = this.#watches.get(lobby.id);
      if (!watch) this.#found(lobby);
      else if (watch.latest !== lobby) this.#changed(watch, lobby);
    }
    this.#publish();
  }

  #found(lobby: LobbySnapshot): void {
    const watch: Watch = {
      latest: lobby,
      live: [],
      history: [],
      events: [],
      joinedAtMs: new Map(),
      authors: new Map(),
      unread: 0,
      end: () => {},
    };
    this.#watches.set(lobby.id, watch);
    const hearing = this.#parts.client.messages$(lobby.id).subscribe(messages => this.#heard(watch, messages));
    watch.end = () => hearing.unsubscribe();
    void this.#readHistory(watch);
  }

  async #readHistory(watch: Watch): Promise<void> {
    // What cannot be read is not shown; the lobby works without.
    const history = await this.#parts.client
      .getLobbyMessages(watch.latest.id, { limit: 100, whenOffline: 'queue' })
      .catch(() => []);
    watch.history = history;
    learnAuthors(watch, history);
    this.#publish();
  }

  #lost(id: string): void {
    const title = this.#titleOf(id);
    this.#watches.get(id)?.end();
    this.#watches.delete(id);
    if (this.#shownId === id) this.#shownId = null;
    // Without a session no lobby is known; that says nothing of the lobbies.
    const isNews = this.#parts.client.status.status === 'ready' && !this.#leaving.has(id);
    if (isNews) this.#parts.journal.note(`${title} is over for you.`);
  }

  #changed(watch: Watch, lobby: LobbySnapshot): void {
    const before = new Map<string, LobbyMemberSnapshot>(watch.latest.members.map(member => [member.id, member]));
    const after = new Map<string, LobbyMemberSnapshot>(lobby.members.map(member => [member.id, member]));
    watch.latest = lobby;
    for (const [id, member] of after) {
      const known = before.get(id);
      if (!known) watch.joinedAtMs.set(id, this.#parts.now());
      const told = known ? connectionNews(known, member) : 'came in';
      if (told !== undefined) this.#event(watch, `${nameOf(member, watch)} ${told}`);
    }
    for (const [id, member] of before) {
      if (after.has(id)) continue;
      watch.joinedAtMs.delete(id);
      this.#event(watch, `${nameOf(member, watch)} left`);
    }
  }

  #event(watch: Watch, text: string): void {
    const { now, journal } = this.#parts;
    const event: LobbyEntry = { kind: 'event', id: `event-${++this.#eventsCount}`, text, atMs: now() };
    watch.events = [...watch.events, event].slice(-eventsMax);
    journal.note(`${titleOf(watch.latest)}: ${text}.`);
  }

  #heard(watch: Watch, messages: LobbyMessages): void {
    const known = new Set(watch.live.map(({ id }) => id));
    const others = messages.filter(({ id, author }) => !known.has(id) && author?.id !== this.#ownId);
    watch.live = messages;
    learnAuthors(watch, messages);
    if (this.#shownId !== watch.latest.id) watch.unread += others.length;
    this.#publish();
  }

  #publish(): void {
    const { store } = this.#parts;
    const watches = [...this.#watches.values()];
    store.set({ lobbies: watches.map(summaryOf) });
    const shown = this.#watches.get(this.#shownId ?? '');
    if (shown) store.set({ openLobby: this.#view(shown) });
    else store.clearLobby();
  }

  #view(watch: Watch): LobbyView {
    const secret = this.#secrets.get(watch.latest.id);
    return {
      ...summaryOf(watch),
      members: watch.latest.members.map(member => this.#memberView(watch, member)).sort(byPresence),
      entries: this.#entries(watch),
      ...(secret !== undefined && { secret }),
    };
  }

  #memberView(watch: Watch, member: LobbyMemberSnapshot): MemberView {
    const joined = watch.joinedAtMs.get(member.id);
    return {
      id: member.id,
      name: nameOf(member, watch),
      isYou: member.id === this.#ownId,
      connected: member.connected,
      ...(joined !== undefined && { joinedAtMs: joined }),
    };
  }

  #entries({ history, live, events }: Watch): LobbyEntry[] {
    const messages = new Map([...history, ...live].map(message => [message.id, message]));
    const said = [...messages.values()].map(message => this.#messageView(message));
    return [...said, ...events].sort((a, b) => a.atMs - b.atMs).slice(-entriesShownMax);
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

  #titleOf(lobbyId: string): string {
    const watch = this.#watches.get(lobbyId);
    return watch ? titleOf(watch.latest) : 'The lobby';
  }

  get #ownId(): string | undefined {
    return this.#parts.client.status.userId;
  }
}

function summaryOf({ latest, unread }: Watch): LobbySummary {
  const { id, members } = latest;
  const onlineCount = members.filter(({ connected }) => connected).length;
  return { id, title: titleOf(latest), memberCount: members.length, onlineCount, unread };
}

/** A lobby that nobody named is told apart by the end of its id. */
function titleOf({ id, metadata }: LobbySnapshot): string {
  return metadata.title ?? `Lobby ${id.slice(-4)}`;
}

function learnAuthors({ authors }: Watch, messages: LobbyMessages): void {
  for (const { author } of messages) if (author) authors.set(author.id, author.displayName);
}

/** What the service says comes first; what a member says of itself may be anything. */
function nameOf({ id, user, additionalName, metadata }: LobbyMemberSnapshot, { authors }: Watch): string {
  return additionalName ?? user?.displayName ?? authors.get(id) ?? metadata.name ?? `Player ${id.slice(-4)}`;
}

function connectionNews(before: LobbyMemberSnapshot, after: LobbyMemberSnapshot): string | undefined {
  if (before.connected === after.connected) return undefined;
  return after.connected ? 'is back' : 'went offline';
}

function byPresence(a: MemberView, b: MemberView): number {
  return Number(b.connected) - Number(a.connected) || a.name.localeCompare(b.name);
}
