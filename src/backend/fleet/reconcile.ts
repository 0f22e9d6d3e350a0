import type { Operation } from '../operation.ts';
import type { DesiredLobby } from './desired.ts';
import type { ManagedParts } from './managed-parts.ts';
import type { Run } from './progress.ts';
import type { Settled } from './settle.ts';
import { sideBySide } from './side-by-side.ts';

/** What became of one lobby of a set. `not-owned`: it was this server's and was to be deleted, but another has it now. */
export type LobbyOutcome =
  | Pick<Settled, 'outcome' | 'lobby' | 'dropped'>
  | { readonly outcome: 'deleted' | 'not-owned' }
  | { readonly outcome: 'failed'; readonly error: unknown };

/** What a reconcile came to. */
export interface ReconcileReport {
  /** By key: every lobby of the set, and those of this server's that were not in it. */
  readonly lobbies: ReadonlyMap<string, LobbyOutcome>;
  /** Nothing failed: all is as desired, but for the lobbies of other servers and for users who were dropped. */
  readonly isComplete: boolean;
}

/** Makes this server's lobbies the set: every one by itself, so that one that fails stops no other. */
export async function reconcile(
  parts: ManagedParts,
  desired: ReadonlyMap<string, DesiredLobby>,
  { deleteOthers }: { readonly deleteOthers: boolean },
  operation: Operation,
  run: Run,
): Promise<ReconcileReport> {
  const { ownership, settler, turns } = parts;
  const lobbies = new Map<string, LobbyOutcome>();

  async function doOne(key: string, work: () => Promise<LobbyOutcome>): Promise<void> {
    const outcome = await operation
      .within(operation.inTurn(turns, key, work))
      .catch((error: unknown): LobbyOutcome => ({ outcome: 'failed', error }));
    lobbies.set(key, outcome);
    run.did(outcome.outcome !== 'failed');
  }

  async function end(key: string): Promise<LobbyOutcome> {
    const taken = await ownership.take(key, operation);
    if ('foreign' in taken) return { outcome: 'not-owned' };
    await settler.end(taken, operation);
    return { outcome: 'deleted' };
  }

  run.expect(desired.size);
  const others = deleteOthers ? await ownKeys(parts, desired) : [];
  run.expect(others.length);
  await sideBySide(others, key => doOne(key, () => end(key)));
  await sideBySide(desired, ([key, lobby]) => doOne(key, () => settler.settle(key, lobby, operation)));
  run.end();
  return { lobbies, isComplete: run.isComplete };
}

/** What this server has in the directory beside the set. */
async function ownKeys({ registry, server }: ManagedParts, desired: ReadonlyMap<string, unknown>): Promise<string[]> {
  const entries = [...(await registry.lobbies.list())];
  return entries.filter(([key, { value }]) => value.owner === server && !desired.has(key)).map(([key]) => key);
}
