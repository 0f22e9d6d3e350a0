import type { LobbyId, LobbyMessageSnapshot, LobbySnapshot } from '@rallypoint/sdk';
import type { WindowClient } from '@rallypoint/sdk/electron/renderer';
import type { Bridge } from '../shared/bridge.ts';
import { isAccidental, nameOf, titleOf } from '../shared/names.ts';
import { GameError, outcomeOf, problemOf } from '../shared/problem.ts';
import type {
  AppState,
  GameState,
  LobbyEntry,
  LobbyOutcome,
  LobbySummary,
  LobbyView,
  MemberView,
  Outcome,
} from '../shared/state.ts';

/** What the parts of a window can ask for: what the game's main process does, and what the client does. */
export interface Actions extends Omit<Bridge, 'readState' | 'onState'> {
  leaveLobby(payload: { readonly lobbyId: string }): Promise<Outcome>;
  /** Shows a lobby; null: none. */
  showLobby(payload: { readonly lobbyId: string | null }): Promise<Outcome>;
  say(payload: { readonly lobbyId: string; readonly text: string }): Promise<Outcome>;
}

const historyMax = 100;
const entriesShownMax = 300;

/** What a window shows: the client of the main process, the state of the game, and which lobby is open. */
export class AppModel {
  readonly actions: Actions;
  readonly #client: WindowClient;
  readonly #onChange: () => void;
  readonly #known = new Set<string>();
  #game: GameState | undefined;
  #shownId: string | null = null;
  #status = '';
  #statusSinceMs = 0;
  #isTelling = false;

  constructor(bridge: Bridge, client: WindowClient, onChange: () => void) {
    this.#client = client;
    this.#onChange = onChange;
    this.actions = {
      ...bridge,
      createLobby: async payload => this.#entered(await bridge.createLobby(payload)),
      joinLobby: async payload => this.#entered(await bridge.joinLobby(payload)),
      leaveLobby: ({ lobbyId }) => outcomeOf(async () => client.lobbies.get(lobbyId)?.leave()),
      showLobby: ({ lobbyId }) => outcomeOf(async () => this.#show(lobbyId)),
      say: ({ lobbyId, text }) =>
        outcomeOf(async () => {
          const lobby = client.lobbies.get(lobbyId);
          if (!lobby) throw new GameError('not_a_lobby_member');
          await lobby.send(text);
        }),
    };
    client.status$.subscribe(({ status }) => {
      if (status !== this.#status) this.#statusSinceMs = Date.now();
      this.#status = status;
      this.#changed();
    });
    client.lobbies$.subscribe(lobbies => this.#take(lobbies));
    // Messages come with an event each; the lobbies themselves have them then.
    client.events$.subscribe(() => this.#changed());
    bridge.onState(game => this.#takeGame(game));
  }

  /** Resolves when there is something to show. */
  async start(readGame: Bridge['readState']): Promise<void> {
    await this.#client.opened;
    if (!this.#game) this.#takeGame(await readGame());
  }

  /** To be read once {@link start} has resolved. */
  get state(): AppState {
    if (!this.#game) throw new Error('Nothing is known yet.');
    const { session, codes } = this.#game;
    const { status, error, retryAtMs } = this.#client.status;
    // The client may let go of lobbies a moment after the player has signed out. One that a join has just created is not
    // shown before the player wants it; then its code is known.
    const lobbies = this.#client.lobbies.snapshot.filter(
      lobby => session.step === 'signed-in' && (!isAccidental(lobby) || codes[lobby.id] !== undefined),
    );
    const shown = lobbies.find(({ id }) => id === this.#shownId);
    return {
      ...this.#game,
      connection: {
        status,
        sinceMs: this.#statusSinceMs,
        ...(retryAtMs !== undefined && { retryAtMs }),
        ...(error !== undefined && { problem: problemOf(error) }),
      },
      lobbies: lobbies.map(lobby => this.#summary(lobby)),
      ...(shown && { openLobby: this.#view(shown, this.#game) }),
    };
  }

  #takeGame(game: GameState): void {
    this.#game = game;
    if (game.session.step !== 'signed-in') this.#shownId = null;
    this.#changed();
  }

  #take(lobbies: readonly LobbySnapshot[]): void {
    for (const { id } of lobbies) {
      if (this.#known.has(id)) continue;
      // A lobby may be known before the session is ready. What cannot be read is not shown; the lobby works without.
      const loaded = this.#client.lobbies.get(id)?.loadOlder(historyMax, { whenOffline: 'queue' });
      loaded?.then(() => this.#changed()).catch(() => {});
    }
    this.#known.clear();
    for (const { id } of lobbies) this.#known.add(id);
    this.#changed();
  }

  #entered(outcome: LobbyOutcome): LobbyOutcome {
    if (outcome.ok) this.#show(outcome.lobbyId);
    return outcome;
  }

  #show(lobbyId: string | null): void {
    this.#shownId = lobbyId;
    this.#changed();
  }

  #summary(lobby: LobbySnapshot): LobbySummary {
    const { id, members } = lobby;
    const onlineCount = members.filter(({ connected }) => connected).length;
    const unread = id === this.#shownId ? 0 : (this.#client.lobbies.get(id)?.unreadCount ?? 0);
    return { id, title: titleOf(lobby), memberCount: members.length, onlineCount, unread };
  }

  #view(lobby: LobbySnapshot, { codes, log, session }: GameState): LobbyView {
    const ownId = (session.step === 'signed-in' ? session.player?.id : undefined) ?? this.#client.status.userId;
    const code = codes[lobby.id];
    const news = log.flatMap(({ id, atMs, news }) => (news?.lobbyId === lobby.id ? [{ ...news, id, atMs }] : []));
    const joinedAtMs = new Map(news.flatMap(({ isJoin, memberId, atMs }) => (isJoin ? [[memberId, atMs]] : [])));
    const members = lobby.members.map((member): MemberView => {
      const since = joinedAtMs.get(member.id);
      const { id, connected } = member;
      const view = { id, name: nameOf(member), isYou: id === ownId, connected };
      return since === undefined ? view : { ...view, joinedAtMs: since };
    });
    const messages = this.#client.lobbies.get(lobby.id)?.messages ?? [];
    const said = messages.flatMap(one => (one.status === 'sent' ? [messageEntry(one, ownId)] : []));
    const happened = news.map(({ id, atMs, text }) => ({ kind: 'event', id: `event-${id}`, text, atMs }) as const);
    return {
      ...this.#summary(lobby),
      members: members.sort(byPresence),
      entries: [...said, ...happened].sort((a, b) => a.atMs - b.atMs).slice(-entriesShownMax),
      ...(code !== undefined && { code }),
    };
  }

  /** Changes of one turn are told of together. */
  #changed(): void {
    if (this.#isTelling) return;
    this.#isTelling = true;
    queueMicrotask(() => {
      this.#isTelling = false;
      // What is said while it is shown has been read.
      const shown = this.#client.lobbies.get(this.#shownId as LobbyId);
      if (shown && shown.unreadCount > 0) shown.markRead();
      if (this.#game) this.#onChange();
    });
  }
}

function messageEntry(message: LobbyMessageSnapshot, ownId: string | undefined): LobbyEntry {
  const { id, author, content, sentAtMs, editedAtMs } = message;
  return {
    kind: 'message',
    id,
    authorId: author?.id ?? '0',
    author: author?.displayName ?? 'Somebody',
    isYou: author !== undefined && author.id === ownId,
    content,
    atMs: sentAtMs,
    isEdited: editedAtMs !== undefined,
  };
}

function byPresence(a: MemberView, b: MemberView): number {
  return Number(b.connected) - Number(a.connected) || a.name.localeCompare(b.name);
}
