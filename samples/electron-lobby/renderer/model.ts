import type {
  ConnectionSnapshot,
  DirectMessageSnapshot,
  FriendRequestsSnapshot,
  FriendsSnapshot,
  InviteSnapshot,
  LobbyMessageSnapshot,
  LobbySnapshot,
  SocialUserSnapshot,
  UserId,
} from '@rallypoint/sdk';
import type {
  SignInSnapshot,
  WindowCalls,
  WindowClient,
  WindowConversation,
  WindowLobby,
} from '@rallypoint/sdk/electron/renderer';
import type { Observable } from 'rxjs';
import type { EntryPointDraft } from '../../game-backend/contract.ts';
import type { GameCalls } from '../main/game.ts';
import { isAccidental } from '../shared/names.ts';
import { endingOf, GameError, outcomeOf, problemOf } from '../shared/problem.ts';
import type { GameState, LogEntry, Outcome, Problem } from '../shared/state.ts';

/** All that a window shows: what the client says, and the state of the game. */
export interface AppState extends GameState {
  readonly signIn: SignInSnapshot;
  readonly connection: ConnectionSnapshot;
  readonly lobbies: readonly LobbySnapshot[];
  /** The lobby that is shown, by its state and by its handle. */
  readonly openLobby?: { readonly lobby: LobbySnapshot; readonly handle: WindowLobby };
  /** Messages of others that were not shown yet. */
  unreadOf(lobbyId: string): number;
  readonly friends: FriendsSnapshot;
  readonly requests: FriendRequestsSnapshot;
  readonly blocked: readonly SocialUserSnapshot[];
  /** Invites and wishes to join that can still be answered, the oldest first. */
  readonly invites: readonly InviteSnapshot[];
  /** The friend whose conversation is shown. */
  readonly openFriend?: { readonly friend: SocialUserSnapshot; readonly conversation: WindowConversation };
  /** Messages of a friend that were not shown yet. */
  unreadFrom(userId: string): number;
  /** Why nobody is signed in any more, or why it did not succeed. */
  readonly signInProblem: Problem | undefined;
}

/** What is in a conversation: what was said, and what happened. */
export type Entry = LobbyMessageSnapshot | DirectMessageSnapshot | LogEntry;

const historyMax = 100;
const entriesShownMax = 300;

/** What a window shows: the client of the main process, the state of the game, and which lobby is open. */
export class AppModel {
  readonly #client: WindowClient;
  readonly #game: WindowCalls<GameCalls>;
  readonly #onChange: () => void;
  /** What follows the messages of each lobby. */
  readonly #following = new Map<string, { unsubscribe(): void }>();
  readonly #started = Promise.withResolvers<void>();
  #state: GameState | undefined;
  #shownId: string | null = null;
  #friendId: string | null = null;
  #talk: { unsubscribe(): void } | undefined;
  #hasSignedOut = false;
  #isTelling = false;

  constructor(client: WindowClient, onChange: () => void) {
    this.#client = client;
    this.#game = client.gameCalls<GameCalls>();
    this.#onChange = onChange;
    client.gameState$<GameState>('game').subscribe(state => {
      this.#state = state;
      this.#started.resolve();
      this.#changed();
    });
    client.credentials$.subscribe(snapshot => {
      if (snapshot?.status !== 'signed-in') {
        this.#shownId = null;
        this.#showFriend(null);
      } else this.#hasSignedOut = false;
      this.#changed();
    });
    client.status$.subscribe(() => this.#changed());
    client.lobbies$.subscribe(lobbies => this.#take(lobbies));
    const { friends, invites, messages } = client;
    for (const watched of [
      friends.friends$,
      friends.requests$,
      friends.blocked$,
      invites.invites$,
      messages.conversations$,
    ]) {
      (watched as Observable<unknown>).subscribe(() => this.#changed());
    }
  }

  /** @param lobbyId the lobby that the window showed before it was reloaded. Resolves when there is something to show. */
  async start(lobbyId?: string): Promise<void> {
    await Promise.all([this.#client.opened, this.#started.promise]);
    if (lobbyId !== undefined) this.#show(lobbyId);
  }

  /** To be read once {@link start} has resolved. */
  get state(): AppState {
    if (!this.#state) throw new Error('Nothing is known yet.');
    const { status, credentials: signIn = { status: 'opening' } } = this.#client;
    const { codes, problem } = this.#state;
    // The client may let go of lobbies a moment after the player has signed out. One that a join has just created is not
    // shown before the player wants it; then its code is known.
    const lobbies = this.#client.lobbies.snapshot.filter(
      lobby => signIn.status === 'signed-in' && (!isAccidental(lobby) || codes[lobby.id] !== undefined),
    );
    const lobby = lobbies.find(({ id }) => id === this.#shownId);
    const handle = lobby && this.#client.lobbies.get(lobby.id);
    const { friends, requests, blocked } = this.#client.friends;
    const { invites, messages } = this.#client;
    const friend = this.#friendId === null ? undefined : this.#client.users.user(this.#friendId as UserId);
    const ending = this.#hasSignedOut ? undefined : endingOf(signIn);
    return {
      ...this.#state,
      signIn,
      connection: status,
      lobbies,
      ...(lobby && handle && { openLobby: { lobby, handle } }),
      friends,
      requests,
      blocked,
      invites: invites.invites.filter(({ isValid }) => isValid),
      ...(friend && { openFriend: { friend, conversation: messages.get(friend.id) } }),
      unreadFrom: id =>
        id === this.#friendId ? 0 : (messages.conversations.find(one => one.id === id)?.unreadCount ?? 0),
      unreadOf: id => (id === this.#shownId ? 0 : (this.#handle(id)?.unreadCount ?? 0)),
      signInProblem: (signIn.error && problemOf(signIn.error)) ?? ending ?? problem,
    };
  }

  /** What the parts of a window can ask for. Where something can go wrong, they get it in words. */
  readonly actions = {
    /** @param forThisRun where the keychain cannot be used, and the player says so */
    signIn: (forThisRun: boolean) => outcomeOf(() => this.#client.signIn({ forThisRun })),
    cancelSignIn: () => outcomeOf(() => this.#client.cancelSignIn()),
    reopenPage: () => outcomeOf(() => this.#game.reopenPage()),
    signOut: () =>
      outcomeOf(async () => {
        this.#hasSignedOut = true;
        await this.#client.signOut();
      }),
    reconnect: () =>
      outcomeOf(async () => {
        await this.#client.checkConnection();
        await this.#client.connect();
      }),
    createLobby: (title: string) => outcomeOf(async () => this.#show(await this.#game.createLobby(title))),
    /** @param create whether to create the lobby if no lobby has this code: else `no_such_lobby` */
    joinLobby: (code: string, create: boolean) =>
      outcomeOf(async () => this.#show(await this.#game.joinLobby(code, create))),
    leaveLobby: (lobbyId: string) => outcomeOf(async () => this.#handle(lobbyId)?.leave()),
    /** Null: none. */
    showLobby: (lobbyId: string | null) => this.#show(lobbyId),
    say: (lobbyId: string, text: string) =>
      outcomeOf(async () => {
        const lobby = this.#handle(lobbyId);
        if (!lobby) throw new GameError('not_a_lobby_member');
        await lobby.send(text);
      }),
    addFriend: (username: string) => outcomeOf(() => this.#client.friends.addByUsername(username.trim())),
    acceptFriend: (userId: UserId) =>
      outcomeOf(() => this.#client.friends.accept(userId, this.#kindOf(userId, 'incoming'))),
    declineFriend: (userId: UserId) =>
      outcomeOf(() => this.#client.friends.decline(userId, this.#kindOf(userId, 'incoming'))),
    cancelFriend: (userId: UserId) =>
      outcomeOf(() => this.#client.friends.cancel(userId, this.#kindOf(userId, 'outgoing'))),
    removeFriend: (userId: UserId) => outcomeOf(() => this.#client.friends.remove(userId)),
    block: (userId: UserId) => outcomeOf(() => this.#client.friends.block(userId)),
    unblock: (userId: UserId) => outcomeOf(() => this.#client.friends.unblock(userId)),
    /** Null: none. */
    showFriend: (userId: UserId | null) => this.#showFriend(userId),
    sayTo: (userId: UserId, text: string) => outcomeOf(() => this.#client.messages.get(userId).send(text)),
    invite: (userId: UserId) => outcomeOf(() => this.#client.invites.send(userId)),
    askToJoin: (userId: UserId) => outcomeOf(() => this.#client.invites.requestJoin(userId)),
    /** Joins the friend who sent the invite, or lets the friend join who asked. */
    answerInvite: ({ id, type }: InviteSnapshot) =>
      outcomeOf(async () => {
        if (type === 'join') return this.#show(await this.#game.joinFriend(id));
        await this.#client.invites.reply(id);
        await this.#client.invites.dismiss(id);
      }),
    dismissInvite: ({ id }: InviteSnapshot) => outcomeOf(async () => this.#client.invites.dismiss(id)),
    copyCode: (lobbyId: string) => outcomeOf(() => this.#game.copyCode(lobbyId)),
    loadEntryPoint: () => outcomeOf(() => this.#game.loadEntryPoint()),
    saveEntryPoint: (draft: EntryPointDraft): Promise<Outcome> => this.#game.saveEntryPoint(draft),
  };

  /** A request may be one for friends everywhere, or for friends in this game alone. */
  #kindOf(userId: UserId, kind: 'incoming' | 'outgoing') {
    return { game: this.#client.friends.relationship(userId).type !== kind };
  }

  #handle(lobbyId: string): WindowLobby | undefined {
    return this.#client.lobbies.get(lobbyId as LobbySnapshot['id']);
  }

  #take(lobbies: readonly LobbySnapshot[]): void {
    for (const [id, following] of this.#following) {
      if (lobbies.some(lobby => lobby.id === id)) continue;
      following.unsubscribe();
      this.#following.delete(id);
    }
    for (const { id } of lobbies) {
      const handle = this.#handle(id);
      if (!handle || this.#following.has(id)) continue;
      const following = handle.messages$.subscribe(() => this.#changed());
      following.add(handle.unreadCount$.subscribe(() => this.#changed()));
      this.#following.set(id, following);
      // A lobby may be known before the session is ready. What cannot be read is not shown; the lobby works without.
      handle.loadOlder(historyMax, { whenOffline: 'queue' }).catch(() => {});
    }
    this.#changed();
  }

  #showFriend(userId: string | null): void {
    this.#friendId = userId;
    this.#talk?.unsubscribe();
    this.#talk = undefined;
    if (userId !== null) {
      const conversation = this.#client.messages.get(userId as UserId);
      this.#talk = conversation.messages$.subscribe(() => this.#changed());
      // What cannot be read is not shown; the conversation works without.
      conversation.loadOlder(historyMax, { whenOffline: 'queue' }).catch(() => {});
    }
    this.#changed();
  }

  #show(lobbyId: string | null): void {
    this.#shownId = lobbyId;
    this.#changed();
  }

  /** Changes of one turn are told of together. */
  #changed(): void {
    if (this.#isTelling) return;
    this.#isTelling = true;
    queueMicrotask(() => {
      this.#isTelling = false;
      // What is said while it is shown has been read.
      const shown = this.#shownId === null ? undefined : this.#handle(this.#shownId);
      if (shown && shown.unreadCount > 0) shown.markRead();
      const talk = this.#friendId === null ? undefined : this.#client.messages.get(this.#friendId as UserId);
      if (talk && talk.unreadCount > 0) talk.markRead();
      if (this.#state) this.#onChange();
    });
  }
}

export type Actions = AppModel['actions'];

/** What was said and what happened in the lobby that is shown, oldest first. */
export function entriesOf({ openLobby, log }: AppState): readonly Entry[] {
  if (!openLobby) return [];
  const { lobby, handle } = openLobby;
  const said = handle.messages.filter(message => message.status === 'sent');
  const happened = log.filter(({ news }) => news?.lobbyId === lobby.id);
  return [...said, ...happened].sort((a, b) => timeOf(a) - timeOf(b)).slice(-entriesShownMax);
}

/** What the player and a friend said, oldest first. */
export function messagesWith({ openFriend }: AppState): readonly DirectMessageSnapshot[] {
  return openFriend?.conversation.messages.filter(message => message.status === 'sent') ?? [];
}

export function timeOf(entry: Entry): number {
  return 'atMs' in entry ? entry.atMs : entry.sentAtMs;
}
