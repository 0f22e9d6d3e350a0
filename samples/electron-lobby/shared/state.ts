import type { RedirectWay, UserSnapshot } from '@rallypoint/sdk';
import type { EntryPointView } from '../../game-backend/contract.ts';

/**
 * What is the game's own, as windows watch it beside the client; nothing in it opens anything: no token, no authorization
 * code, no verifier, no address that carries one.
 */
export interface GameState {
  readonly app: AppInfo;
  /** Who is signed in; comes a moment later. */
  readonly player?: UserSnapshot | undefined;
  /** The service does not say who is signed in, or the browser came back to a sign-in that has ended. */
  readonly problem?: Problem | undefined;
  readonly redirect: RedirectView;
  /** What lets others join, by id of the lobby: those that were created or joined in this run. Never stored. */
  readonly codes: Readonly<Record<string, string>>;
  readonly entryPoint: EntryPointPanel;
  /** What happened last, oldest first. */
  readonly log: readonly LogEntry[];
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

/** How the browser hands the player back to the game. */
export interface RedirectView {
  /** `checking`: the doctor is still looking. */
  readonly way: RedirectWay | 'checking';
  readonly scheme: string;
}

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
