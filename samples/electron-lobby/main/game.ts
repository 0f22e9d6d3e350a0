import type { Client, Credentials, KeychainTier } from '@rallypoint/sdk';
import { lobbyOutcomeOf, outcomeOf, problemOf } from '../shared/problem.ts';
import { noteClientNews } from './client-news.ts';
import { EntryPointDesk } from './entry-point-desk.ts';
import { createGameBackend } from './game-backend.ts';
import type { Journal } from './journal.ts';
import { LobbyDesk } from './lobby-desk.ts';
import type { Redirects } from './redirects.ts';
import { SignIn } from './sign-in.ts';
import type { StateStore } from './state-store.ts';
import type { CallHandlers } from './window-calls.ts';

/** What a {@link Game} stands on. */
export interface GameParts {
  readonly client: Client;
  readonly openCredentials: (allow?: readonly KeychainTier[]) => Promise<Credentials>;
  readonly redirects: Redirects;
  readonly backendBase: string;
  readonly store: StateStore;
  readonly journal: Journal;
  readonly now: () => number;
  /** Opens the page of the sign-in under way once more. */
  readonly reopenPage: () => Promise<void>;
  readonly copy: (text: string) => void;
}

/** The game without its windows: what a player has once signed in, and what windows may ask for. */
export class Game {
  readonly #parts: GameParts;
  readonly #signIn: SignIn;
  readonly #lobbies: LobbyDesk;
  readonly #entryPoint: EntryPointDesk;

  constructor(parts: GameParts) {
    const { client, store, journal } = parts;
    this.#parts = parts;
    this.#signIn = new SignIn({ ...parts, onEntered: () => void this.#enter(), onLeft: () => this.#leave() });
    const backend = createGameBackend(parts.backendBase, () => this.#signIn.accessToken());
    this.#lobbies = new LobbyDesk({ client, store, journal });
    this.#entryPoint = new EntryPointDesk({ backend, store, journal });
    noteClientNews(client, journal);
  }

  start(): Promise<void> {
    return this.#signIn.start();
  }

  /** @see SignIn.takeUp */
  takeUp(answer: string): Promise<boolean> {
    return this.#signIn.takeUp(answer);
  }

  async close(): Promise<void> {
    this.#entryPoint.close();
    await this.#signIn.close();
    await this.#parts.client.close();
  }

  /** What windows may ask for. */
  readonly handlers: CallHandlers = {
    readState: () => this.#parts.store.value,
    signIn: ({ keep }) => this.#signIn.signIn(keep),
    reopenPage: () => outcomeOf(async () => this.#signIn.isUnderWay && this.#parts.reopenPage()),
    cancelSignIn: () => outcomeOf(async () => this.#signIn.cancel()),
    signOut: () => outcomeOf(() => this.#signIn.signOut()),
    reconnect: () => outcomeOf(() => this.#reconnect()),
    createLobby: ({ title }) => lobbyOutcomeOf(() => this.#lobbies.create(title)),
    joinLobby: ({ code, create }) => lobbyOutcomeOf(() => this.#lobbies.join(code, create)),
    copyCode: ({ lobbyId }) => outcomeOf(async () => this.#copyCode(lobbyId)),
    loadEntryPoint: () => outcomeOf(() => this.#entryPoint.load()),
    saveEntryPoint: draft => outcomeOf(() => this.#entryPoint.save(draft)),
  };

  /** None of it waits for the other, and what goes wrong shows where it belongs. */
  async #enter(): Promise<void> {
    const unimportant = () => {};
    await Promise.all([
      this.#learnWho(),
      this.#signIn.connect().catch(unimportant),
      this.#entryPoint.load().catch(unimportant),
    ]);
  }

  #leave(): void {
    this.#lobbies.forget();
    this.#entryPoint.forget();
  }

  async #learnWho(): Promise<void> {
    const { client, store } = this.#parts;
    const found = await client.fetchCurrentUser().then(
      ({ id, username, displayName }) => ({ player: { id, username, displayName } }),
      error => ({ problem: problemOf(error) }),
    );
    if (store.value.session.step === 'signed-in') store.set({ session: { step: 'signed-in', ...found } });
  }

  async #reconnect(): Promise<void> {
    const { client, store } = this.#parts;
    const { session } = store.value;
    if (session.step === 'signed-in' && session.player === undefined) void this.#learnWho();
    client.checkConnection();
    await this.#signIn.connect();
  }

  #copyCode(lobbyId: string): void {
    const code = this.#parts.store.value.codes[lobbyId];
    if (code !== undefined) this.#parts.copy(code);
  }
}
