/**
 * What the game and its backend say to each other. Types and texts only: the game's client imports this file, and must
 * not get the backend's code, let alone its token, with it.
 */

/** Who the backend takes the caller for. Answer of `GET /me`. */
export interface PlayerView {
  readonly id: string;
  readonly username: string;
  readonly displayName: string;
  /** Only the owner of the application may change its commands. */
  readonly mayEditCommands: boolean;
}

/** What a player wants the entry point to be. Body of `PUT /entry-point`. */
export interface EntryPointDraft {
  /** 1 to 32 characters. */
  readonly name: string;
  /** 1 to 100 characters. */
  readonly description: string;
  /** Of `entryPointHandlers`: 1, the game answers; 2, the service launches the Activity by itself. */
  readonly handler: 1 | 2;
}

/** The entry point as it is registered. */
export interface EntryPointView extends EntryPointDraft {
  readonly id: string;
  /** Rises with every change. */
  readonly version: string;
}

/** Answer of `GET /entry-point`: null while none is registered. */
export interface EntryPointAnswer {
  readonly entryPoint: EntryPointView | null;
}

/** Each event of `GET /entry-point/news`. */
export interface EntryPointNews extends EntryPointAnswer {
  /** Who has the game open, the reader included. */
  readonly players: readonly { readonly id: string; readonly displayName: string }[];
}

/** Answer of `PUT /entry-point`. */
export interface SavedEntryPoint {
  readonly entryPoint: EntryPointView;
  readonly change: 'registered' | 'edited' | 'unchanged';
}

/**
 * Why the backend refused; compare these, the messages are for people.
 *
 * - `unauthorized`: no token, or one that the service does not accept (any more)
 * - `wrong_application`: a good token, but another game's
 * - `not_the_owner`: a player who may not change commands
 * - `invalid_command`: the rulebook's faults are in `issues`
 * - `try_later`: a limit of the service is used up
 * - `service_unavailable`: the service cannot be reached, or answered what cannot be read
 */
export type RefusalCode =
  | 'unauthorized'
  | 'wrong_application'
  | 'not_the_owner'
  | 'invalid_command'
  | 'invalid_body'
  | 'body_too_large'
  | 'not_found'
  | 'method_not_allowed'
  | 'try_later'
  | 'service_unavailable'
  | 'internal_error';

/** One fault of what was sent. */
export interface RefusalIssue {
  readonly path: readonly string[];
  readonly message: string;
}

/** Body of every answer that is not 2xx. */
export interface RefusalBody {
  readonly code: RefusalCode;
  readonly message: string;
  readonly issues?: readonly RefusalIssue[];
}
