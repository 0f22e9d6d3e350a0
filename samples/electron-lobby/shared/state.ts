import type { ConnectionStatus, RedirectWay } from '@rallypoint/sdk';
import type { EntryPointView } from '../../game-backend/contract.ts';

/**
 * What is the game's own, as the main process sends it to windows; nothing in it opens anything: no token, no
 * authorization code, no verifier, no address that carries one.
 */
export interface GameState {
  readonly app: AppInfo;
  readonly session: SessionView;
  readonly credential: CredentialView;
  readonly redirect: RedirectView;
  /** What lets others join, by id of the lobby: those that were created or joined in this run. Never stored. */
  readonly codes: Readonly<Record<string, string>>;
  readonly entryPoint: EntryPointPanel;
  /** What happened last, oldest first. */
  readonly log: readonly LogEntry[];
}

/** All that a window shows: the game's state, and what the window finds in the client. */
export interface AppState extends GameState {
  readonly connection: ConnectionView;
  readonly lobbies: readonly LobbySummary[];
  /** The one that is shown; absent when none is. */
  readonly openLobby?: LobbyView;
}

export interface AppInfo {
  readonly name: string;
  readonly applicationId: string;
  /** What the windows are in: Electron's, or the stand-in's of this sample. */
  readonly shell: 'electron' | 'stand-in';
}

/** Something that went wrong, in words a player can act on. */
export interface Problem {
  /** Of the SDK's error, or the backend's. */
  readonly code: string;
  readonly message: string;
  /** What to do about it. */
  readonly remedy?: string | undefined;
  /** Faults of single fields. */
  readonly issues?: readonly { readonly path: readonly string[]; readonly message: string }[];
}

/** What became of something a window asked for. */
export type Outcome = { readonly ok: true } | { readonly ok: false; readonly problem: Problem };

export type LobbyOutcome = { readonly ok: true; readonly lobbyId: string } | Exclude<Outcome, { readonly ok: true }>;

export type SessionView =
  /** What was kept is being looked for. */
  | { readonly step: 'starting' }
  | { readonly step: 'signed-out'; readonly problem?: Problem }
  /** The player is in the browser. */
  | { readonly step: 'signing-in'; readonly sinceMs: number }
  | { readonly step: 'signing-out' }
  /** Who it is comes a moment later, or with a problem when the service does not say. */
  | { readonly step: 'signed-in'; readonly player?: Player; readonly problem?: Problem };

export interface Player {
  readonly id: string;
  readonly username: string;
  readonly displayName: string;
}

export interface ConnectionView {
  readonly status: ConnectionStatus;
  /** Since when it stands so. */
  readonly sinceMs: number;
  /** When the next attempt begins. */
  readonly retryAtMs?: number;
  readonly problem?: Problem;
}

/** How well the player's tokens are kept. */
export interface CredentialView {
  readonly tier: 'system' | 'encrypted-file' | 'memory' | 'unknown';
  /** Which keychain it is. */
  readonly backend?: string;
  /** When the access token ends; it is renewed before that. */
  readonly expiresAtMs?: number;
  readonly scopes: readonly string[];
  /** Why nothing can be kept: no keychain of those that were allowed can be used. */
  readonly problem?: Problem;
  /** What keeps the tokens from being renewed at present; it is tried again by itself. */
  readonly trouble?: Problem;
}

/** How the browser hands the player back to the game. */
export interface RedirectView {
  /** `checking`: the doctor is still looking. */
  readonly way: RedirectWay | 'checking';
  readonly scheme: string;
  /** Why it is not the scheme, when it is not. */
  readonly reason?: string;
  readonly findings: readonly {
    readonly ok: boolean;
    readonly message: string;
    readonly remedy?: string | undefined;
  }[];
}

export interface LobbySummary {
  readonly id: string;
  readonly title: string;
  readonly memberCount: number;
  readonly onlineCount: number;
  /** Messages of others since the lobby was last shown. */
  readonly unread: number;
}

export interface LobbyView extends LobbySummary {
  /** What others need to join; absent when this run of the game does not know it. */
  readonly code?: string;
  /** Online ones first, then by name. */
  readonly members: readonly MemberView[];
  /** What was said and what happened, oldest first. */
  readonly entries: readonly LobbyEntry[];
}

export interface MemberView {
  readonly id: string;
  readonly name: string;
  readonly isYou: boolean;
  readonly connected: boolean;
  /** When this game saw them come in; absent for who was there before. */
  readonly joinedAtMs?: number;
}

export type LobbyEntry =
  | {
      readonly kind: 'message';
      readonly id: string;
      readonly authorId: string;
      readonly author: string;
      readonly isYou: boolean;
      readonly content: string;
      readonly atMs: number;
      readonly isEdited: boolean;
    }
  | { readonly kind: 'event'; readonly id: string; readonly text: string; readonly atMs: number };

/** The entry-point command, as the game server knows it. */
export interface EntryPointPanel {
  readonly status: 'idle' | 'loading' | 'ready' | 'failed';
  /** Null: none is registered. */
  readonly entryPoint: EntryPointView | null;
  /** Who has the game open, the player included; as last heard. */
  readonly players: readonly { readonly id: string; readonly displayName: string }[];
  readonly mayEdit: boolean;
  readonly problem?: Problem;
}

export type Tone = 'plain' | 'good' | 'warning' | 'bad';

export interface LogEntry {
  readonly id: number;
  readonly atMs: number;
  readonly tone: Tone;
  readonly text: string;
  /** What it says of a lobby, for those who look at the lobby. */
  readonly news?: LobbyNews;
}

export interface LobbyNews {
  readonly lobbyId: string;
  readonly memberId: string;
  /** The member came in. */
  readonly isJoin: boolean;
  readonly text: string;
}
