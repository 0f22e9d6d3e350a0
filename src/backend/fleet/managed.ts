import type { Observable } from 'rxjs/internal/Observable';
import { ReplaySubject } from 'rxjs/internal/ReplaySubject';
import { ArgumentError, ValidationError } from '../../model/errors/errors.ts';
import type { Lobby } from '../../model/lobby.ts';
import { type ApplicationId, type LobbyId, parseSnowflake, type UserId } from '../../model/snowflake.ts';
import { type Clock, type Entropy, type Logger, randomToken } from '../../wire/clock/ports.ts';
import { rejectIssues } from '../../wire/http/check.ts';
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
import { type LeftLobby, type LeftLobbyFate, type SweepReport, sweep } from './sweep.ts';
import { Turns } from './turns.ts';
import { Watched } from './watched.ts';

/** How a game server keeps lobbies together with others of its kind. */
export interface LobbyServerOptions {
  /**
   * This server's name, 1 to {@link nameLengthMax} characters: its own among all that share the directory, and the same
   * after a restart, so that it finds its lobbies again. Default: a new one each time.
   */
  readonly name?: string | undefined;
  /** Default: one in memory, which ends with the process. */
  readonly directory?: LobbyDirectory | undefined;
  /** After how long without a sign of life others may take this server's lobbies. Default {@link leaseMsDefault}. */
  readonly leaseMs?: number | undefined;
}

/** Our choice: a crashed match is found within half a minute; a pause of 10 s (a deploy, a slow disk) loses nothing. */
export const leaseMsDefault = 30_000;

/** Our choice, of the game's own keys and of servers' names. */
export const nameLengthMax = 200;

const leaseMsMin = 1_000;

// Our choice: the time that a thousand lobbies take under the global limit, opened one and all.
const wholeDeadlineMsDefault = 60_000;

/** What {@link ManagedLobbies.ensure} found or made. */
export interface EnsuredLobby {
  readonly key: string;
  readonly lobby: Lobby;
  readonly isNew: boolean;
  /** False: another server owns it, and it was left as it is. */
  readonly isOwner: boolean;
  readonly owner: string;
  /** Rises with every change of hands. */
  readonly epoch: number;
  /** Users who were to be members and were not let in. */
  readonly dropped: readonly UserId[];
}

export interface ReconcileOptions extends RequestOptions {
  /** Leaves this server's lobbies alone that are not in the set. Default false: they are deleted. */
  readonly keepOthers?: boolean | undefined;
}

export interface SweepOptions extends RequestOptions {
  /** What is to become of the lobbies that were left behind. Default: all are deleted. */
  readonly fate?: (LeftLobbyFate | ((lobby: LeftLobby) => LeftLobbyFate)) | undefined;
}

/** One of this server's lobbies. */
export interface HeldLobby {
  readonly key: string;
  /** Null while it is being opened. */
  readonly lobbyId: LobbyId | null;
  readonly status: EntryStatus;
  readonly epoch: number;
}

/** Frozen all the way down. */
export interface LobbyServerState {
  readonly server: string;
  readonly lease: LeaseStatus;
  /** In no particular order. */
  readonly lobbies: readonly HeldLobby[];
}

/**
 * Lobbies by the game's own keys, kept by several servers that share a directory.
 *
 * The interface can neither list nor search lobbies, and knows no condition on a write. So a lobby is found by what the
 * directory says; it belongs to one server, under a lease; and that server stops writing by its own clock before its
 * lease ends for the others. Clocks of servers may differ by a sixth of the lease.
 *
 * A process that starts under the name of another takes over immediately. The other looks into the directory each time before a
 * write is sent, a repeated one included, and before it says that a lobby is its own; so it is refused with `superseded` from
 * then on. A single request that was sent just before, or before a lease ran out, and arrives after the new owner's cannot be
 * told from a good one.
 *
 * Beside what each names, all of these throw OwnershipError `lease_lost`, `superseded`, `directory_failed`, and what
 * the calls they make throw; they end by their deadline.
 */
export interface ManagedLobbies extends Lobbies {
  /** Replays the latest; changes of one turn come as one. Never errors; completes with {@link close}. */
  readonly state$: Observable<LobbyServerState>;
  /** Every step of {@link reconcile} and {@link sweep}; replays the latest. Never errors; completes with {@link close}. */
  readonly progress$: Observable<LobbyProgress>;
  /**
   * Finds the key's lobby or makes it. One that is this server's own is made as desired, by the fewest calls: none but
   * one read when it is so already. One that has ended is made anew, under another id.
   *
   * Idempotent, across restarts and with several servers at once: they agree by the directory who makes it; the others
   * wait and get the same. Who comes too late to write down a lobby it has made deletes it. What a crash leaves behind
   * between making a lobby and writing it down is empty, and ends by its idle timeout.
   *
   * The key is taken until the lobby is deleted by its id, be it that the lobby has ended by itself.
   *
   * @param key the game's name for the lobby, 1 to {@link nameLengthMax} characters: a match, a party
   * @throws ValidationError, ArgumentError `invalid_lobby_key`; nothing was sent
   */
  ensure(key: string, desired?: DesiredLobby, options?: RequestOptions): Promise<EnsuredLobby>;
  /**
   * Makes this server's lobbies the set: opens what is missing, changes what differs by the fewest calls, deletes what is
   * not in it. Every lobby is a matter of its own, in the report as in failing; lobbies of other servers are left alone.
   *
   * What is done is done: after a crash, an abort or a passed deadline (60 seconds unless one is given) the same call
   * goes on where it was, and what was done before costs one read each. An abort or a passed deadline fails the lobbies
   * that were not done yet, not the call.
   *
   * @throws ValidationError with the key at the beginning of each path, ArgumentError `invalid_lobby_key`; nothing was
   *   sent. What keeps it from beginning
   */
  reconcile(desired: ReadonlyMap<string, DesiredLobby>, options?: ReconcileOptions): Promise<ReconcileReport>;
  /**
   * Looks for lobbies that nobody looks after any more, and deletes them or takes them over: those of servers whose lease
   * has run out, and those of an earlier life of this one that it has not asked for since. It also takes up what other
   * servers have handed to this one. To be called after a start, once the matches that go on have been ensured, and now
   * and then.
   *
   * Deadline and abort as with {@link reconcile}.
   */
  sweep(options?: SweepOptions): Promise<SweepReport>;
  /**
   * Gives a lobby to another server, which takes it up with its next ensure, reconcile or sweep. Waits for this server's
   * writes under way; from the first moment none begins any more, by this method or by lobby id.
   *
   * @param server its name; it must hold a lease, that is, have used its own managed lobbies
   * @throws OwnershipError `not_owner`, `server_not_live`; then nothing has changed
   */
  handOver(id: LobbyId, server: string, options?: RequestOptions): Promise<void>;
  /**
   * Ends what is under way and stops renewing the lease; the directory is left as it is, so that this server, when it
   * comes back in time, finds its lobbies. Idempotent.
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
  const { applicationId, lobbies: calls } = backend;
  const { clock, entropy, logger, deadlineMs, closing } = partsOf(backend);
  const operations = new Operations(clock);
  const state = new Watched(() => readState(parts));
  const progress = new ReplaySubject<LobbyProgress>(1);
  const parts = createParts(calls, { applicationId, clock, entropy, logger, options }, () => state.changed());
  const { ownership, settler, turns, lease } = parts;
  let runs = 0;

  /** Something about many lobbies, whose progress is told to its end. */
  async function overall<T>(
    name: LobbyProgress['operation'],
    options: RequestOptions,
    work: (operation: Operation, run: Run) => Promise<T>,
  ): Promise<T> {
    return operations.run(options.deadlineMs ?? wholeDeadlineMsDefault, options, async operation => {
      const run = new Run(name, ++runs, step => progress.next(step));
      try {
        return await work(operation, run);
      } catch (error) {
        run.abandon();
        throw error;
      }
    });
  }

  /** Works about one key take turns; who has no time left does not wait for its turn. */
  function inTurn<T>(key: string, options: RequestOptions, work: (operation: Operation) => Promise<T>): Promise<T> {
    return operations.run(options.deadlineMs ?? deadlineMs, options, operation =>
      operation.within(turns.take(key, () => work(operation))),
    );
  }

  async function ensure(key: string, desired: DesiredLobby = {}, options: RequestOptions = {}): Promise<EnsuredLobby> {
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
      await inTurn(holding.key, options, operation => settler.end(holding, operation));
      return true;
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
    async reconcile(desired, { keepOthers = false, ...options } = {}) {
      checkSet(desired);
      return overall('reconcile', options, (operation, run) =>
        reconcile(parts, desired, { deleteOthers: !keepOthers }, operation, run),
      );
    },
    async sweep({ fate = 'delete', ...options } = {}) {
      const fateOf = typeof fate === 'function' ? fate : () => fate;
      return overall('sweep', options, (operation, run) => sweep(parts, fateOf, operation, run));
    },
    async handOver(id, server, options = {}) {
      const holding = ownership.ofLobby(parseSnowflake<'lobby'>(id, 'lobbyId'));
      if (!holding) throw new OwnershipError('not_owner', `The lobby ${id} is not this server's.`);
      if (server === parts.server) return;
      await inTurn(holding.key, options, operation => ownership.give(holding, server, operation));
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
  if (!isName(server)) throw new ArgumentError('invalid_server_name', `A server's name has ${nameBounds}.`);
  if (!(leaseMs >= leaseMsMin)) throw new ArgumentError('invalid_lease', `A lease lasts ${leaseMsMin} ms or longer.`);
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

const nameBounds = `1 to ${nameLengthMax} characters`;

function isName(value: unknown): value is string {
  return typeof value === 'string' && value.length >= 1 && value.length <= nameLengthMax;
}

function checkKey(key: unknown): void {
  if (!isName(key)) throw new ArgumentError('invalid_lobby_key', `A lobby's key has ${nameBounds}.`);
}

function checkSet(desired: ReadonlyMap<string, DesiredLobby>): void {
  const issues = [...desired].flatMap(([key, lobby]) => {
    checkKey(key);
    return checkDesired(lobby).map(issue => ({ ...issue, path: [key, ...issue.path] }));
  });
  if (issues.length > 0) throw new ValidationError('The set of lobbies', issues);
}
