import type { Observable } from 'rxjs/internal/Observable';
import { ReplaySubject } from 'rxjs/internal/ReplaySubject';
import { ArgumentError, ValidationError } from '../../model/errors/errors.ts';
import type { Lobby } from '../../model/lobby.ts';
import { type ApplicationId, type LobbyId, parseSnowflake, type UserId } from '../../model/snowflake.ts';
import { parseOptions } from '../../wire/arguments.ts';
import { type Clock, type Entropy, type Logger, randomToken } from '../../wire/clock/ports.ts';
import { rejectIssues } from '../../wire/http/check.ts';
import { Turns } from '../../wire/turns.ts';
import type { RequestOptions } from '../calls.ts';
import type { Backend } from '../client.ts';
import type { Lobbies } from '../lobbies.ts';
import { type Operation, Operations } from '../operation.ts';
import { partsOf } from '../parts.ts';
import { checkDesired, type DesiredLobby } from './desired.ts';
import { type LobbyDirectory, memoryLobbyDirectory } from './directory.ts';
import { guardedCalls, type LobbyGuard } from './guarded-calls.ts';
import { Lease, type LeaseStatus } from './lease.ts';
import type { ManagedParts } from './managed-parts.ts';
import { Ownership } from './ownership.ts';
import { OwnershipError } from './ownership-error.ts';
import { type LobbyProgress, Run } from './progress.ts';
import { type ReconcileReport, reconcile } from './reconcile.ts';
import { type EntryStatus, Registry } from './registry.ts';
import { createSettler } from './settle.ts';
import { type LeftLobby, type LeftLobbyFate, requireFate, type SweepReport, sweep } from './sweep.ts';
import { Watched } from './watched.ts';

/** How a game server shares the management of lobbies with others. */
export interface LobbyServerOptions {
  /**
   * This server's name, 1 to {@link nameLengthMax} characters. It must be unique among the servers that share the directory,
   * and the same after a restart, so that the server finds its lobbies again. Default: a random one.
   */
  readonly name?: string | undefined;
  /** Default: {@link memoryLobbyDirectory}, which ends with the process. */
  readonly directory?: LobbyDirectory | undefined;
  /**
   * How long a lease lasts: at least a second, not Infinity. When it expires without a renewal, others may take this server's
   * lobbies. Default {@link leaseMsDefault}.
   */
  readonly leaseMs?: number | undefined;
}

/** With 30 s a crashed match is found within half a minute, and a pause of 10 s (a deploy, a slow disk) loses nothing. */
export const leaseMsDefault = 30_000;

/** Bound of the game's keys and of servers' names. */
export const nameLengthMax = 200;

const leaseMsMin = 1_000;

// A longer queue means that a caller is out of control.
const waitingMax = 10_000;

// The time that creating a thousand lobbies takes under the global rate limit.
const wholeDeadlineMsDefault = 60_000;

/** What {@link ManagedLobbies.ensure} found or created. */
export interface EnsuredLobby {
  readonly key: string;
  readonly lobby: Lobby;
  readonly isNew: boolean;
  /** False: another server owns the lobby, so that nothing was changed. */
  readonly isOwner: boolean;
  readonly owner: string;
  /** Increases whenever the owner changes. */
  readonly epoch: number;
  /** Users whom the service did not add as members. */
  readonly dropped: readonly UserId[];
}

export interface ReconcileOptions extends RequestOptions {
  /** Keeps this server's lobbies that are not in the set. Default false: they are deleted. */
  readonly keepOthers?: boolean | undefined;
}

export interface SweepOptions extends RequestOptions {
  /** What happens to abandoned lobbies. Default: all are deleted. */
  readonly fate?: (LeftLobbyFate | ((lobby: LeftLobby) => LeftLobbyFate)) | undefined;
}

/** One of this server's lobbies. */
export interface HeldLobby {
  readonly key: string;
  /** Null while the lobby is being created. */
  readonly lobbyId: LobbyId | null;
  readonly status: EntryStatus;
  readonly epoch: number;
}

/** Deeply frozen. */
export interface LobbyServerState {
  readonly server: string;
  readonly lease: LeaseStatus;
  /** In no particular order. */
  readonly lobbies: readonly HeldLobby[];
}

/**
 * Lobbies by the game's own keys, managed by several servers that share a directory.
 *
 * The interface can neither list nor search lobbies, and has no conditional writes. The directory therefore records the
 * lobby of each key and the server that owns it under a lease. The owner stops writing, by its own clock, before its
 * lease expires for the others. Clocks of servers may differ by a sixth of the lease.
 *
 * A process that starts under the name of another takes over immediately. The older process checks the directory before
 * each write, including retries, and before it reports a lobby as its own, so from then on its calls reject with
 * `superseded`. The service cannot recognize a single request that was sent before the takeover, or before a lease
 * expired, and arrives after the new owner's.
 *
 * The calls by lobby id are those of {@link Lobbies}; writes to a lobby that belongs to another server reject with
 * `not_owner`. For one lobby use either them or ensure and reconcile, because the two undo each other's changes.
 *
 * Every method can throw OwnershipError `lease_lost`, `superseded` and `directory_failed`, and what the calls it makes
 * throw, and ends by its deadline.
 */
export interface ManagedLobbies extends Lobbies {
  /** Replays the latest state; changes of one turn are one emission. Never errors; completes with {@link close}. */
  readonly state$: Observable<LobbyServerState>;
  /** Every step of {@link reconcile} and {@link sweep}; replays the latest. Never errors; completes with {@link close}. */
  readonly progress$: Observable<LobbyProgress>;
  /**
   * Finds the lobby of a key or creates it. If this server owns the lobby, it changes what differs from `desired` by the
   * fewest calls; if nothing differs, it makes one read. A lobby that has ended is created again, under another id.
   *
   * Idempotent, also across restarts and with several servers at the same time: they agree in the directory which of them
   * creates the lobby, and the others wait for it. A server that creates a lobby but is too late to record it deletes it.
   * A lobby that a crash leaves between its creation and its record has no members and ends by its idle timeout.
   *
   * The key stays taken until the lobby is deleted by its id, even if the lobby has ended by itself.
   *
   * @param key the game's name for the lobby, 1 to {@link nameLengthMax} characters: a match, a party
   * @throws ValidationError, ArgumentError `invalid_lobby_key`; nothing was sent
   */
  ensure(key: string, desired?: DesiredLobby, options?: RequestOptions): Promise<EnsuredLobby>;
  /**
   * Makes the set this server's lobbies: creates those that are missing, changes what differs by the fewest calls, and
   * deletes those that are not in it. Each lobby succeeds or fails by itself, and the report has one outcome for each.
   * Lobbies of other servers stay as they are.
   *
   * After a crash, an abort or an exceeded deadline (default: 60 seconds) the same call continues where the first one
   * stopped; each lobby that was done costs one read. An abort or an exceeded deadline fails the lobbies that were not
   * done yet, not the call.
   *
   * @throws ValidationError with the key at the beginning of each path, ArgumentError `invalid_lobby_key`, `invalid_argument`;
   *   nothing was sent
   */
  reconcile(desired: ReadonlyMap<string, DesiredLobby>, options?: ReconcileOptions): Promise<ReconcileReport>;
  /**
   * Finds abandoned lobbies and deletes them or takes them over: those of servers whose lease has expired, and those that
   * an earlier process of this server owned and this one has not ensured. It also accepts what other servers have handed
   * over. Call it after a start, when the matches that continue have been ensured, and from time to time.
   *
   * Deadline and abort work as in {@link reconcile}.
   *
   * @throws ArgumentError `invalid_argument` for a fate that is none; a lobby for which the function returns none has failed
   */
  sweep(options?: SweepOptions): Promise<SweepReport>;
  /**
   * Gives a lobby to another server, which accepts it with its next ensure, reconcile or sweep. From the call on this server
   * starts no write to the lobby; the method waits for those that are under way.
   *
   * @param server its name; it must hold a lease, that is, have used its own managed lobbies
   * @throws OwnershipError `not_owner`, `server_not_live`; nothing has changed then
   */
  handOver(id: LobbyId, server: string, options?: RequestOptions): Promise<void>;
  /**
   * Aborts what is under way and stops renewing the lease. The directory keeps its entries, so that this server finds its
   * lobbies if it restarts in time. Idempotent.
   */
  close(): Promise<void>;
  /** The same as {@link close}: `await using lobbies = manageLobbies(backend)`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Keeps a backend's lobbies by the game's own keys, together with other servers. Nothing is sent or written before the
 * first call. Closing the backend closes them too.
 *
 * @throws ArgumentError `invalid_server_name`, `invalid_lease`; `foreign_backend` for an object that `createBackend()` did
 *   not return
 * @example
 * ```ts
 * import { createBackend } from '@rallypoint/sdk/backend';
 * import { fileLobbyDirectory, manageLobbies } from '@rallypoint/sdk/backend/fleet';
 *
 * const backend = createBackend({ baseUrl: 'http://127.0.0.1:8910', applicationId: '1', botToken });
 * const lobbies = manageLobbies(backend, { name: 'eu-1', directory: fileLobbyDirectory('lobbies.sqlite') });
 * const { lobby } = await lobbies.ensure('match 1', { metadata: { map: 'harbour' } });
 * ```
 */
export function manageLobbies(backend: Backend, options: LobbyServerOptions = {}): ManagedLobbies {
  const { clock, entropy, logger, deadlineMs, closing } = partsOf(backend);
  const { applicationId, lobbies: calls } = backend;
  parseOptions(options);
  const operations = new Operations(clock);
  const state = new Watched(() => readState(parts));
  const progress = new ReplaySubject<LobbyProgress>(1);
  const parts = createParts(calls, { applicationId, clock, entropy, logger, options }, () => state.changed());
  const { ownership, settler, turns, lease } = parts;
  let runs = 0;
  /** Operations that wait for their turn, or have it. */
  let waiting = 0;

  /** Runs an operation on many lobbies and reports its progress. */
  async function overall<T>(
    name: LobbyProgress['operation'],
    options: RequestOptions,
    work: (operation: Operation, run: Run) => Promise<T>,
  ): Promise<T> {
    return operations.run(wholeDeadlineMsDefault, options, async operation => {
      const run = new Run(name, ++runs, step => progress.next(step));
      try {
        return await work(operation, run);
      } catch (error) {
        run.abandon();
        throw error;
      }
    });
  }

  /**
   * Runs operations on one key one after another. One whose deadline passes stops waiting.
   *
   * @throws ArgumentError `too_many_waiting`
   */
  async function inTurn<T>(
    key: string,
    options: RequestOptions | undefined,
    work: (operation: Operation) => Promise<T>,
  ): Promise<T> {
    if (waiting >= waitingMax) {
      throw new ArgumentError(
        'too_many_waiting',
        `More than ${waitingMax} lobby operations are waiting. Wait for some of them before you start more.`,
      );
    }
    return operations.run(deadlineMs, options, operation => {
      waiting++;
      const done = operation.inTurn(turns, key, () => work(operation)).finally(() => waiting--);
      return operation.within(done);
    });
  }

  async function ensure(key: string, desired: DesiredLobby = {}, options?: RequestOptions): Promise<EnsuredLobby> {
    checkKey(key);
    rejectIssues(`The desired lobby ${key}`, checkDesired(desired));
    const settled = await inTurn(key, options, operation => settler.settle(key, desired, operation));
    const { outcome, lobby, dropped, entry } = settled;
    const { owner, epoch } = entry;
    return { key, lobby, isNew: outcome === 'created', isOwner: outcome !== 'foreign', owner, epoch, dropped };
  }

  const guard: LobbyGuard = {
    guard: (id, write) => ownership.guard(id, write),
    async deleteHeld(id, options) {
      const holding = ownership.ofLobby(id);
      if (!holding) return false;
      return inTurn(holding.key, options, async operation => {
        // The lobby may have ended while this waited for its turn, and the key have another one.
        if (ownership.ofLobby(id) !== holding) return false;
        await settler.end(holding, operation);
        return true;
      });
    },
  };

  async function close(): Promise<void> {
    closing.delete(close);
    lease.close();
    operations.close();
    state.close();
    progress.complete();
  }

  closing.add(close);
  return {
    ...guardedCalls(calls, guard, deadlineMs),
    state$: state.stream$,
    progress$: progress.asObservable(),
    ensure,
    async reconcile(desired, given) {
      const { keepOthers = false, ...options } = parseOptions(given);
      const set = copyOf(desired);
      checkSet(set);
      return overall('reconcile', options, (operation, run) =>
        reconcile(parts, set, { deleteOthers: !keepOthers }, operation, run),
      );
    },
    async sweep(given) {
      const { fate = 'delete', ...options } = parseOptions(given);
      const fateOf = typeof fate === 'function' ? fate : () => fate;
      if (typeof fate !== 'function') requireFate('fate', fate);
      return overall('sweep', options, (operation, run) => sweep(parts, fateOf, operation, run));
    },
    async handOver(id, server, options) {
      const notOwner = () => new OwnershipError('not_owner', `This server does not own the lobby ${id}.`);
      const lobbyId = parseSnowflake<'lobby'>(id, 'lobbyId');
      const holding = ownership.ofLobby(lobbyId);
      if (!holding) throw notOwner();
      if (server === parts.server) return;
      await inTurn(holding.key, options, async operation => {
        if (ownership.ofLobby(lobbyId) !== holding) throw notOwner();
        await ownership.give(holding, server, operation);
      });
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

interface ManagedPorts {
  readonly applicationId: ApplicationId;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly logger: Logger;
  readonly options: LobbyServerOptions;
}

function createParts(calls: Lobbies, ports: ManagedPorts, onChange: () => void): ManagedParts {
  const { clock, entropy, logger, options } = ports;
  const process = randomToken(entropy, 9);
  const { name: server = process, directory = memoryLobbyDirectory(), leaseMs = leaseMsDefault } = options;
  if (!isName(server)) throw new ArgumentError('invalid_server_name', `The server's name must have ${nameBounds}.`);
  // The directory holds JSON, which has no infinity.
  if (!(leaseMs >= leaseMsMin && Number.isFinite(leaseMs))) {
    throw new ArgumentError(
      'invalid_lease',
      `leaseMs must be at least ${leaseMsMin}, and not Infinity (got ${leaseMs}).`,
    );
  }
  const registry = new Registry(directory, ports.applicationId);
  const lease = new Lease({ server, process, leaseMs, servers: registry.servers, clock, logger, onChange });
  const ownership = new Ownership({ server, registry, lease, onChange });
  return { server, registry, lease, ownership, settler: createSettler(calls, ownership), turns: new Turns() };
}

function readState({ server, lease, ownership }: ManagedParts): LobbyServerState {
  const lobbies = ownership
    .all()
    .map(({ key, entry: { lobbyId, status, epoch } }): HeldLobby => Object.freeze({ key, lobbyId, status, epoch }));
  return Object.freeze({ server, lease: lease.status, lobbies: Object.freeze(lobbies) });
}

const nameBounds = `1 to ${nameLengthMax} characters, and no half of a surrogate pair`;

// A directory in UTF-8 cannot tell two lone surrogates apart: two keys would be one lobby.
function isName(value: unknown): value is string {
  return typeof value === 'string' && value.length >= 1 && value.length <= nameLengthMax && value.isWellFormed();
}

function checkKey(key: unknown): void {
  if (!isName(key)) throw new ArgumentError('invalid_lobby_key', `A lobby's key must have ${nameBounds}.`);
}

/** The set as it is now, since the game may go on changing its own. @throws ArgumentError `invalid_argument` */
function copyOf(desired: ReadonlyMap<string, DesiredLobby>): ReadonlyMap<string, DesiredLobby> {
  // Nothing, and an empty list, would make an empty set, which deletes every lobby.
  if (typeof (desired as typeof desired | null | undefined)?.get === 'function') return new Map(desired);
  throw new ArgumentError('invalid_argument', 'desired must be a Map: key → lobby.');
}

function checkSet(desired: ReadonlyMap<string, DesiredLobby>): void {
  const issues = [...desired].flatMap(([key, lobby]) => {
    checkKey(key);
    return checkDesired(lobby).map(issue => ({ ...issue, path: [key, ...issue.path] }));
  });
  if (issues.length > 0) throw new ValidationError('The set of lobbies', issues);
}
