import type { Client } from '@rallypoint/sdk';
import type { GameWindowServer } from '@rallypoint/sdk/electron/main';
import { ArgumentError } from '@rallypoint/sdk/electron/renderer';
import type { EntryPointDraft } from '../../game-backend/contract.ts';
import { outcomeOf, problemOf } from '../shared/problem.ts';
import { EntryPointDesk } from './entry-point-desk.ts';
import { createGameBackend } from './game-backend.ts';
import type { Journal } from './journal.ts';
import { LobbyDesk } from './lobby-desk.ts';
import { noteNews } from './news.ts';
import { PresenceDesk } from './presence-desk.ts';
import type { StateStore } from './state-store.ts';

/** What a {@link Game} stands on. */
export interface GameParts {
  readonly client: Client;
  readonly backendBase: string;
  readonly store: StateStore;
  readonly journal: Journal;
  /** Opens the page of the sign-in under way once more. */
  readonly reopenPage: () => Promise<void>;
  readonly copy: (text: string) => void;
}

/** What windows call of the game, beside the client. */
export type GameCalls = Game['calls'];

/** The game without its windows: what a player has once signed in. */
export class Game {
  readonly #parts: GameParts;
  readonly #lobbies: LobbyDesk;
  readonly #entryPoint: EntryPointDesk;
  #windows: GameWindowServer | undefined;

  constructor(parts: GameParts) {
    const { client, store, journal, backendBase } = parts;
    this.#parts = parts;
    const backend = createGameBackend(backendBase, async () => (await this.#windows?.credentials?.accessToken()) ?? '');
    this.#lobbies = new LobbyDesk({ client, store, journal });
    this.#entryPoint = new EntryPointDesk({ backend, store, journal });
    new PresenceDesk({ client, store, journal });
  }

  /** Pages show what other players wrote, so whatever they send is checked: texts here, the rest where it is used. */
  readonly calls = {
    reopenPage: () => this.#parts.reopenPage(),
    createLobby: (title: string) => this.#lobbies.create(text(title)),
    joinLobby: (code: string, create: boolean) => this.#lobbies.join(text(code), create === true),
    joinFriend: (inviteId: string) => this.#lobbies.joinFriend(text(inviteId)),
    copyCode: (lobbyId: string) => this.#copyCode(text(lobbyId)),
    loadEntryPoint: () => this.#entryPoint.load(),
    // As a value, because a window shows the faults of single fields.
    saveEntryPoint: (draft: EntryPointDraft) => outcomeOf(() => this.#entryPoint.save(draft)),
  };

  /** Follows who is signed in. */
  start(windows: GameWindowServer): void {
    const { client, journal } = this.#parts;
    this.#windows = windows;
    noteNews({ client, windows, journal });
    let isSignedIn = false;
    windows.credentials$.subscribe(snapshot => {
      if (isSignedIn === (snapshot?.status === 'signed-in') || snapshot?.status === 'signing-out') return;
      isSignedIn = !isSignedIn;
      if (isSignedIn) this.#enter();
      else this.#leave();
    });
    client.status$.subscribe(({ status }) => {
      if (status === 'ready' && !this.#parts.store.value.player) void this.#learnWho();
    });
  }

  async close(): Promise<void> {
    this.#entryPoint.close();
    await this.#parts.client.close();
  }

  #copyCode(lobbyId: string): void {
    const { codes } = this.#parts.store.value;
    if (Object.hasOwn(codes, lobbyId)) this.#parts.copy(codes[lobbyId] ?? '');
  }

  /** None of it waits for the other, and what goes wrong shows where it belongs. */
  #enter(): void {
    this.#parts.store.set({ problem: undefined });
    void this.#learnWho();
    this.#windows?.credentials?.connect().catch(() => {});
    this.#entryPoint.load().catch(() => {});
  }

  #leave(): void {
    this.#parts.store.set({ player: undefined, problem: undefined, codes: {} });
    this.#entryPoint.forget();
  }

  async #learnWho(): Promise<void> {
    const { client, store } = this.#parts;
    const found = await client.fetchCurrentUser().then(
      player => ({ player, problem: undefined }),
      error => ({ problem: problemOf(error) }),
    );
    if (this.#windows?.credentials?.state.status === 'signed-in') store.set(found);
  }
}

function text(given: unknown): string {
  if (typeof given === 'string') return given;
  throw new ArgumentError('invalid_call_arguments', 'This must be a text.');
}
