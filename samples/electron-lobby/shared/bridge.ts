import type { EntryPointDraft } from '../../game-backend/contract.ts';
import type { AppState, Outcome } from './state.ts';

/** What a player can ask for in a window: what it takes, what it gives. All that crosses the bridge stands here. */
export interface BridgeCalls {
  readonly readState: { takes: undefined; gives: AppState };
  /** `keep`: false takes the tokens for this run only, where the keychain cannot be used and the player says so. */
  readonly signIn: { takes: { readonly keep: boolean }; gives: Outcome };
  /** Opens the page of the sign-in under way once more. */
  readonly reopenPage: { takes: undefined; gives: Outcome };
  readonly cancelSignIn: { takes: undefined; gives: Outcome };
  readonly signOut: { takes: undefined; gives: Outcome };
  readonly reconnect: { takes: undefined; gives: Outcome };
  /** Creates a lobby with a new join code and shows it. */
  readonly createLobby: { takes: { readonly title: string }; gives: Outcome };
  /**
   * Joins the lobby of that code and shows it.
   *
   * `create`: false where a code that no lobby has is a problem (`no_such_lobby`); true creates the lobby then.
   */
  readonly joinLobby: { takes: { readonly code: string; readonly create: boolean }; gives: Outcome };
  readonly leaveLobby: { takes: { readonly lobbyId: string }; gives: Outcome };
  /** Shows a lobby; null: none. */
  readonly showLobby: { takes: { readonly lobbyId: string | null }; gives: Outcome };
  readonly say: { takes: { readonly lobbyId: string; readonly text: string }; gives: Outcome };
  readonly copyCode: { takes: { readonly lobbyId: string }; gives: Outcome };
  readonly loadEntryPoint: { takes: undefined; gives: Outcome };
  readonly saveEntryPoint: { takes: EntryPointDraft; gives: Outcome };
}

export type CallName = keyof BridgeCalls;
export type Takes<Name extends CallName> = BridgeCalls[Name]['takes'];
export type Gives<Name extends CallName> = BridgeCalls[Name]['gives'];

/** What a window finds as `window.starfall`. */
export type Bridge = {
  readonly [Name in CallName]: (...payload: Takes<Name> extends undefined ? [] : [Takes<Name>]) => Promise<Gives<Name>>;
} & {
  /** Hears every change of the state. @returns what ends that */
  onState(listener: (state: AppState) => void): () => void;
};

// A record, so that a call that is missing here does not compile.
const listed: Readonly<Record<CallName, true>> = {
  readState: true,
  signIn: true,
  reopenPage: true,
  cancelSignIn: true,
  signOut: true,
  reconnect: true,
  createLobby: true,
  joinLobby: true,
  leaveLobby: true,
  showLobby: true,
  say: true,
  copyCode: true,
  loadEntryPoint: true,
  saveEntryPoint: true,
};
export const callNames: readonly CallName[] = Object.keys(listed) as CallName[];

/** Each call has a channel of its own. */
export const channelOf = (name: CallName): string => `starfall:${name}`;
export const stateChannel = 'starfall:state';
