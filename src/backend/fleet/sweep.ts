import type { LobbyId } from '../../model/snowflake.ts';
import { requireChoice } from '../../wire/arguments.ts';
import type { Operation } from '../operation.ts';
import type { Lease } from './lease.ts';
import type { ManagedParts } from './managed-parts.ts';
import type { Run } from './progress.ts';
import type { LobbyEntry, Registry, Stored } from './registry.ts';
import { sideBySide } from './side-by-side.ts';

/** An abandoned lobby. */
export interface LeftLobby {
  readonly key: string;
  readonly lobbyId: LobbyId;
  /** The server whose lease has expired, or this server's name for an earlier process of it. */
  readonly owner: string;
  readonly epoch: number;
}

/** What happens to an abandoned lobby. `leave`: nothing this time. */
export type LeftLobbyFate = 'delete' | 'take-over' | 'leave';

const fates: readonly LeftLobbyFate[] = ['delete', 'take-over', 'leave'];

/** Anything else, such as the promise of an async function, must not delete a lobby. @throws ArgumentError `invalid_argument` */
export function requireFate(name: string, fate: LeftLobbyFate): LeftLobbyFate {
  Promise.resolve(fate).catch(() => {}); // the error below is what the caller learns
  requireChoice(name, fate ?? 'nothing', fates);
  return fate;
}

/** The result of a sweep, by key. */
export interface SweepReport {
  readonly deleted: readonly string[];
  readonly takenOver: readonly string[];
  /** Handed over by another server and accepted. */
  readonly accepted: readonly string[];
  readonly left: readonly string[];
  readonly failed: ReadonlyMap<string, unknown>;
  /** Nothing failed. */
  readonly isComplete: boolean;
}

/** Goes once through the directory for lobbies that crashed servers and earlier processes of this one have left. */
export async function sweep(
  parts: ManagedParts,
  fateOf: (lobby: LeftLobby) => LeftLobbyFate,
  operation: Operation,
  run: Run,
): Promise<SweepReport> {
  const { registry, lease, ownership, settler, turns } = parts;
  const report = { deleted: [] as string[], takenOver: [] as string[], accepted: [] as string[], left: [] as string[] };
  const failed = new Map<string, unknown>();

  async function dealWith(key: string, entry: Stored<LobbyEntry>): Promise<void> {
    operation.check();
    const isOffer = entry.value.owner === parts.server && entry.value.status === 'offered';
    const fate = isOffer ? 'take-over' : fateOfEntry(key, entry.value, fateOf);
    if (fate === 'leave') return void report.left.push(key);
    await lease.hold();
    const holding = await ownership.seize(key, entry);
    if (!holding) return void report.left.push(key); // another server was faster
    if (fate === 'take-over') return void (isOffer ? report.accepted : report.takenOver).push(key);
    await settler.end(holding, operation);
    report.deleted.push(key);
  }

  await lease.hold();
  const live = await liveServers(registry, lease);
  const found = [...(await registry.lobbies.list())].filter(([key, { value }]) => isLeft(parts, live, key, value));
  run.expect(found.length);
  await sideBySide(found, async ([key, entry]) => {
    try {
      await operation.within(operation.inTurn(turns, key, () => dealWith(key, entry)));
    } catch (error) {
      failed.set(key, error);
    }
    run.did(!failed.has(key));
  });
  await forgetServers(registry, lease).catch(() => {}); // the next sweep does it
  run.end();
  return { ...report, failed, isComplete: run.isComplete };
}

async function liveServers({ servers }: Registry, lease: Lease): Promise<ReadonlySet<string>> {
  const records = [...(await servers.list())];
  return new Set(records.filter(([, { value }]) => lease.holdsStill(value)).map(([name]) => name));
}

/**
 * Of its own lobbies a server skips those it holds, except one whose deletion was interrupted. The others belonged to an
 * earlier process, or are offered to it.
 */
function isLeft(
  { server, ownership, lease }: ManagedParts,
  live: ReadonlySet<string>,
  key: string,
  entry: LobbyEntry,
): boolean {
  if (entry.owner !== server) return !live.has(entry.owner);
  return entry.status === 'ending' || (entry.term !== lease.term && !ownership.holds(key));
}

/** Lobbies that were never created or are already being deleted are deleted without asking. */
function fateOfEntry(
  key: string,
  { status, lobbyId, owner, epoch }: LobbyEntry,
  fateOf: (lobby: LeftLobby) => LeftLobbyFate,
): LeftLobbyFate {
  if (lobbyId === null || status === 'ending') return 'delete';
  return requireFate('The result of fate()', fateOf({ key, lobbyId, owner, epoch }));
}

/** Deletes the records of servers whose lease has expired and that no lobby names. */
async function forgetServers(registry: Registry, lease: Lease): Promise<void> {
  const servers = await registry.servers.list();
  const owners = new Set([...(await registry.lobbies.list()).values()].map(({ value }) => value.owner));
  for (const [name, record] of servers) {
    if (!owners.has(name) && !lease.holdsStill(record.value)) await registry.servers.delete(name, record);
  }
}
