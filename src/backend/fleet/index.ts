/**
 * The entry point `@rallypoint/sdk/backend/fleet`: what several game servers that share a directory do with lobbies. They
 * keep lobbies by the game's own keys, and open lobbies that players search for.
 */

export { isRallypointError } from '../../model/errors/errors.ts';
export type { StandardIssue, StandardResult, StandardSchema } from '../../model/metadata-schema.ts';
export type { DesiredLobby, DesiredMember } from './desired.ts';
export { type LobbyDirectory, memoryLobbyDirectory } from './directory.ts';
export {
  type FileLobbyDirectory,
  type FileLobbyDirectoryOptions,
  fileLobbyDirectory,
} from './file-directory.ts';
export type { LeaseStatus } from './lease.ts';
export {
  type EnsuredLobby,
  type HeldLobby,
  type LobbyServerOptions,
  type LobbyServerState,
  leaseMsDefault,
  type ManagedLobbies,
  manageLobbies,
  type ReconcileOptions,
  type SweepOptions,
} from './managed.ts';
export {
  type LobbySearch,
  type OpenLobbies,
  type OpenLobbiesOptions,
  type OpenLobby,
  type OpenLobbyInput,
  openLobbies,
  type QuickMatch,
  type QuickMatchResult,
  searchLimitMax,
} from './open-lobbies.ts';
export { OwnershipError, type OwnershipErrorCode } from './ownership-error.ts';
export { type LobbyCall, planLobby, type Unseen } from './plan.ts';
export type { LobbyProgress } from './progress.ts';
export type { LobbyOutcome, ReconcileReport } from './reconcile.ts';
export type { LeftLobby, LeftLobbyFate, SweepReport } from './sweep.ts';
