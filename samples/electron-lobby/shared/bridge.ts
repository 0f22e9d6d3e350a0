import type { EntryPointDraft } from '../../game-backend/contract.ts';
import type { GameState, LobbyOutcome, Outcome } from './state.ts';

/**
 * What a player can ask the game for in a window: what it takes, what it gives. What the SDK's client does, windows ask
 * of the client itself (`openClient()`).
 */
export interface BridgeCalls {
  readonly readState: { takes: undefined; gives: GameState };
  /** `keep`: false takes the tokens for this run only, where the keychain cannot be used and the player says so. */
  readonly signIn: { takes: { readonly keep: boolean }; gives: Outcome };
  /** Opens the page of the sign-in under way once more. */
  readonly reopenPage: { takes: undefined; gives: Outcome };
  readonly cancelSignIn: { takes: undefined; gives: Outcome };
  readonly signOut: { takes: undefined; gives: Outcome };
  readonly reconnect: { takes: undefined; gives: Outcome };
  /** Creates a lobby with a new join code. */
  readonly createLobby: { takes: { readonly title: string }; gives: LobbyOutcome };
  /**
   * Joins the lobby of that code.
   *
   * `create`: false where a code that no lobby has is a problem (`no_such_lobby`); true creates the lobby then.
   */
  readonly joinLobby: { takes: { readonly code: string; readonly create: boolean }; gives: LobbyOutcome };
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
  onState(listener: (state: GameState) => void): () => void;
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
  copyCode: true,
  loadEntryPoint: true,
  saveEntryPoint: true,
};
export const callNames: readonly CallName[] = Object.keys(listed) as CallName[];

/** Each call has a channel of its own. */
export const channelOf = (name: CallName): string => `starfall:${name}`;
export const stateChannel = 'starfall:state';
