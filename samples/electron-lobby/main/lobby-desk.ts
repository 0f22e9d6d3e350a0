import type { Client, LobbyHandle } from '@rallypoint/sdk';
import { isAccidental } from '../shared/names.ts';
import { GameError } from '../shared/problem.ts';
import { makeJoinCode, parseJoinCode } from './join-code.ts';
import type { Journal } from './journal.ts';
import type { StateStore } from './state-store.ts';

/** What a {@link LobbyDesk} stands on. */
export interface LobbyDeskParts {
  readonly client: Client;
  readonly store: StateStore;
  readonly journal: Journal;
}

/** The ways into a lobby, which are the game's own: by join codes. The rest windows do by themselves. */
export class LobbyDesk {
  readonly #parts: LobbyDeskParts;

  constructor(parts: LobbyDeskParts) {
    this.#parts = parts;
  }

  /** Creates a lobby with a new join code. @returns its id */
  async create(title: string): Promise<string> {
    const code = makeJoinCode();
    const { id } = await this.#enter(code, title.trim() || this.#defaultTitle);
    this.#keep(id, code);
    this.#parts.journal.note('You created a lobby. Share its code so that others can join.', 'good');
    return id;
  }

  /**
   * Joins the lobby of that code.
   *
   * The interface creates a lobby for a secret that no lobby has, and does not say that it did. So a mistyped code is found
   * before anything is sent, and a lobby that turns out to be new is left again unless the player wants it.
   *
   * @param create whether to create the lobby if no lobby has this code
   * @returns the lobby's id
   * @throws GameError `mistyped_code`, `no_such_lobby`
   */
  async join(typed: string, create: boolean): Promise<string> {
    const code = parseJoinCode(typed);
    if (code === undefined) throw new GameError('mistyped_code');
    const before = new Set<string>(this.#parts.client.lobbies.snapshot.map(({ id }) => id));
    const lobby = await this.#enter(code, create ? this.#defaultTitle : undefined);
    const { id, snapshot } = lobby;
    if (!create && !before.has(id) && snapshot && isAccidental(snapshot)) {
      await lobby.leave();
      throw new GameError('no_such_lobby');
    }
    this.#keep(id, code);
    if (!create) this.#parts.journal.note('You joined a lobby by its code.', 'good');
    return id;
  }

  /** Joins the lobby of a friend who invited the player. @returns the lobby's id */
  async joinFriend(inviteId: string): Promise<string> {
    const { invites } = this.#parts.client;
    const code = await invites.accept(inviteId);
    const { id } = await this.#enter(code, undefined);
    invites.dismiss(inviteId);
    this.#keep(id, code);
    this.#parts.journal.note('You joined a friend.', 'good');
    return id;
  }

  /** @param title of the lobby, should it be created */
  #enter(code: string, title: string | undefined): Promise<LobbyHandle> {
    const name = this.#playerName;
    return this.#parts.client.lobbies.join(code, {
      ...(title !== undefined && { lobbyMetadata: { title } }),
      // Members come with their ids alone; a game that wants names among them adds them.
      ...(name !== undefined && { memberMetadata: { name } }),
    });
  }

  #keep(id: string, code: string): void {
    const { store } = this.#parts;
    store.set({ codes: { ...store.value.codes, [id]: code } });
  }

  get #playerName(): string | undefined {
    return this.#parts.store.value.player?.displayName;
  }

  get #defaultTitle(): string {
    return `${this.#playerName ?? 'A player'}’s lobby`;
  }
}
