/**
 * The entry point `@rallypoint/sdk/backend/fleet`: lobbies by the game's own keys, kept by several servers that share a
 * directory.
 */

export { isRallypointError } from '../../model/errors/errors.ts';
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
export { OwnershipError, type OwnershipErrorCode } from './ownership-error.ts';
export { type LobbyCall, planLobby, type Unseen } from './plan.ts';
export type { LobbyProgress } from './progress.ts';
export type { LobbyOutcome, ReconcileReport } from './reconcile.ts';
export type { LeftLobby, LeftLobbyFate, SweepReport } from './sweep.ts';
