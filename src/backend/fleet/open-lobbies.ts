import { ArgumentError } from '../../model/errors/errors.ts';
import { limits } from '../../model/limits/limits.ts';
import type { LobbyInput, LobbyMemberInput, Metadata } from '../../model/lobby.ts';
import { MetadataReader, type StandardSchema } from '../../model/metadata-schema.ts';
import { checkLobbyMember } from '../../model/rules/lobbies/lobby.ts';
import { compareSnowflakes, type LobbyId, parseSnowflake, type UserId } from '../../model/snowflake.ts';
import { parseOptions, requireNumber, requireType } from '../../wire/arguments.ts';
import { rejectIssues } from '../../wire/http/check.ts';
import type { RequestOptions } from '../calls.ts';
import type { Backend } from '../client.ts';
import { type Operation, Operations } from '../operation.ts';
import { partsOf } from '../parts.ts';
import { saysYes } from '../says-yes.ts';
import { type LobbyDirectory, memoryLobbyDirectory } from './directory.ts';
import { RecordTable } from './registry.ts';
import { createSeats, freeSeatsOf, isEmpty, notWritten, type OpenEntry, readEntry } from './seats.ts';

export interface OpenLobbiesOptions<LobbyMetadata = Metadata> {
  /** Servers that share it offer each other's lobbies. Default: {@link memoryLobbyDirectory}, which ends with the process. */
  readonly directory?: LobbyDirectory | undefined;
  /** What the metadata of the lobbies looks like. Default: the map itself. */
  readonly schema?: StandardSchema<LobbyMetadata> | undefined;
}

/** A lobby that players can be placed in. Frozen. */
export interface OpenLobby<LobbyMetadata = Metadata> {
  readonly id: LobbyId;
  /** By the schema; undefined when it does not fit. */
  readonly metadata: LobbyMetadata | undefined;
  /** How many players it takes. */
  readonly capacity: number;
  /** Those who have a seat, in the order in which they got it. */
  readonly players: readonly UserId[];
  readonly freeSeats: number;
  /** Whether it is offered to players who look for one. */
  readonly isListed: boolean;
  /** In milliseconds since the Unix epoch. */
  readonly openedAtMs: number;
}

export interface LobbySearch<LobbyMetadata = Metadata> {
  /** Metadata that the lobby must have, key by key, or a function that decides, not an async one. Default: every lobby. */
  readonly where?: Metadata | ((lobby: OpenLobby<LobbyMetadata>) => boolean) | undefined;
  /** Default: 1. */
  readonly freeSeatsMin?: number | undefined;
  /** Default: the fullest lobby first, then the one that was opened first. */
  readonly sort?: ((a: OpenLobby<LobbyMetadata>, b: OpenLobby<LobbyMetadata>) => number) | undefined;
  /** How many at most, 1 to {@link searchLimitMax}. Default: 50. */
  readonly limit?: number | undefined;
}

export interface OpenLobbyInput extends Omit<LobbyInput, 'members'> {
  /** 1 to `limits.lobbyMembersMax`. */
  readonly capacity: number;
}

export interface QuickMatch<LobbyMetadata = Metadata> extends Pick<LobbySearch<LobbyMetadata>, 'where' | 'sort'> {
  /** The lobby to create when no lobby fits. It should satisfy `where`. */
  readonly otherwise: OpenLobbyInput;
  /** What the player is added with. */
  readonly member?: LobbyMemberInput | undefined;
}

export interface QuickMatchResult<LobbyMetadata = Metadata> {
  readonly lobby: OpenLobby<LobbyMetadata>;
  /** The lobby was created for the player. */
  readonly isNew: boolean;
}

/** Bound of {@link LobbySearch.limit}. */
export const searchLimitMax = 1000;

/**
 * Lobbies that players look for: by their metadata and free seats, or by a quick match. The interface can neither list nor
 * search lobbies, so the directory records those that were opened here, with the seats that were given. Seats are given by
 * compare-and-set: however many servers and players there are, a lobby never has more players than its capacity.
 *
 * Every method can throw OwnershipError `directory_failed`, and what the calls it makes throw, and ends by its deadline.
 */
export interface OpenLobbies<LobbyMetadata = Metadata> {
  /** Creates a lobby without members, and lists it. Not idempotent. @throws ArgumentError `invalid_capacity`, `invalid_argument`; ValidationError */
  open(input: OpenLobbyInput, options?: RequestOptions): Promise<OpenLobby<LobbyMetadata>>;
  /** Undefined when no lobby of this id was opened here. */
  get(id: LobbyId, options?: RequestOptions): Promise<OpenLobby<LobbyMetadata> | undefined>;
  /**
   * Listed lobbies, from the directory alone. One that has ended by itself is found until it is refreshed.
   *
   * @throws ArgumentError `invalid_limit`, `invalid_filter`, `invalid_argument`
   */
  search(search?: LobbySearch<LobbyMetadata>, options?: RequestOptions): Promise<readonly OpenLobby<LobbyMetadata>[]>;
  /**
   * Gives the player a seat in the first listed lobby that fits, and creates one if there is none. Lobbies that have ended
   * are removed on the way. A player who has a seat in a lobby that fits gets the same lobby.
   *
   * Players who come at the same moment, while there is no lobby, may each create one.
   * A new lobby is recorded before the player is added. One whose creation was not answered has no members, and ends by its idle timeout.
   *
   * @throws ApiError `unknown_user`; ArgumentError `invalid_filter`, `invalid_argument`, `invalid_capacity`
   */
  quickMatch(
    userId: UserId,
    match: QuickMatch<LobbyMetadata>,
    options?: RequestOptions,
  ): Promise<QuickMatchResult<LobbyMetadata>>;
  /** Gives the player a seat in this lobby. @returns undefined when it is full, is not listed, or has ended */
  join(
    id: LobbyId,
    userId: UserId,
    member?: LobbyMemberInput,
    options?: RequestOptions,
  ): Promise<OpenLobby<LobbyMetadata> | undefined>;
  /** Removes the player, and frees the seat. Repeatable; if it fails, the seat is taken until it is repeated. */
  leave(id: LobbyId, userId: UserId, options?: RequestOptions): Promise<void>;
  /** Lists the lobby, or no longer offers it: the match has begun. @returns undefined when no lobby of this id was opened here */
  setListed(id: LobbyId, isListed: boolean, options?: RequestOptions): Promise<OpenLobby<LobbyMetadata> | undefined>;
  /** Replaces the lobby's metadata. @returns undefined when the lobby has ended, or was not opened here */
  setMetadata(id: LobbyId, metadata: Metadata, options?: RequestOptions): Promise<OpenLobby<LobbyMetadata> | undefined>;
  /**
   * Reads the lobby from the service: its metadata and members replace what the directory has, as after a crash between two
   * steps. A player who is being added at that moment keeps the seat, unless it is given to another player first.
   * @returns undefined when the lobby has ended; it is no longer listed then
   */
  refresh(id: LobbyId, options?: RequestOptions): Promise<OpenLobby<LobbyMetadata> | undefined>;
  /** Deletes the lobby. Repeatable. */
  delete(id: LobbyId, options?: RequestOptions): Promise<void>;
  /** Aborts what is under way. The directory keeps its entries. Repeatable. */
  close(): Promise<void>;
  /** The same as {@link close}. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Opens lobbies for players who look for one. Closing the backend closes it too.
 *
 * @throws ArgumentError `foreign_backend` for an object that `createBackend()` did not return
 * @example
 * ```ts
 * import { createBackend } from '@rallypoint/sdk/backend';
 * import { openLobbies } from '@rallypoint/sdk/backend/fleet';
 *
 * const backend = createBackend({ baseUrl: 'http://127.0.0.1:8910', applicationId: '1', botToken });
 * const lobbies = openLobbies(backend);
 * const where = { mode: 'race' };
 * const { lobby } = await lobbies.quickMatch('9', { where, otherwise: { metadata: where, capacity: 8 } });
 * ```
 */
export function openLobbies<LobbyMetadata = Metadata>(
  backend: Backend,
  options?: OpenLobbiesOptions<LobbyMetadata>,
): OpenLobbies<LobbyMetadata> {
  const { clock, deadlineMs, closing } = partsOf(backend);
  const { applicationId, lobbies: calls } = backend;
  const { directory = memoryLobbyDirectory(), schema } = parseOptions(options);
  const operations = new Operations(clock);
  const entries = new RecordTable(directory, `${applicationId}/open/`, readEntry);
  const reader = new MetadataReader(schema);
  const seats = createSeats({ calls, entries, cleanUp });

  function run<T>(options: RequestOptions | undefined, work: (operation: Operation) => Promise<T>): Promise<T> {
    return operations.run(deadlineMs, options, operation => operation.within(work(operation)));
  }

  function shown(id: LobbyId, entry: OpenEntry): OpenLobby<LobbyMetadata> {
    const { metadata, capacity, players, isListed, openedAtMs } = entry;
    return Object.freeze({
      id,
      metadata: reader.read(metadata),
      capacity,
      players: Object.freeze([...players]),
      freeSeats: Math.max(0, freeSeatsOf(entry)),
      isListed,
      openedAtMs,
    });
  }

  const shownIf = (id: LobbyId, entry: OpenEntry | undefined) => entry && shown(id, entry);

  /** @see SeatsPorts.cleanUp */
  async function cleanUp(work: (operation: Operation) => Promise<unknown>): Promise<void> {
    await operations.run(deadlineMs, {}, work).catch(() => {});
  }

  /** Creates a lobby without members, so that it ends by its idle timeout if nobody learns of it. @param players who have a seat in it from the start */
  async function create(operation: Operation, asked: OpenLobbyInput, players: readonly UserId[] = []) {
    checkInput('input', asked);
    const { capacity, ...input } = asked;
    reader.check('metadata', input.metadata ?? {});
    const lobby = await calls.create({ ...input, members: [] }, operation.next());
    const entry = { metadata: lobby.metadata ?? {}, capacity, players, isListed: true, openedAtMs: clock.now() };
    try {
      if (!(await entries.write(lobby.id, undefined, entry))) throw notWritten(`the new lobby ${lobby.id}`);
    } catch (error) {
      await cleanUp(operation => calls.delete(lobby.id, operation.next()));
      throw error;
    }
    return shown(lobby.id, entry);
  }

  /** Creates a lobby for a player. @returns undefined when it has ended meanwhile, or the player has lost the seat */
  async function createFor(operation: Operation, asked: OpenLobbyInput, userId: UserId, member: LobbyMemberInput) {
    const { id } = await create(operation, asked, [userId]);
    try {
      return shownIf(id, await seats.add(operation, id, userId, member));
    } catch (error) {
      await cleanUp(async operation => {
        await seats.vacate(operation, id, userId, () => seats.remove(operation, id, userId).catch(() => {}));
        const left = await seats.update(operation, id, entry => (isEmpty(entry) ? null : undefined));
        if (!left) await calls.delete(id, operation.next());
      });
      throw error;
    }
  }

  async function find(search: LobbySearch<LobbyMetadata>) {
    requireType('search', search, 'object');
    const { where, freeSeatsMin = 1, sort = fullestFirst, limit = 50 } = search;
    if (where !== undefined && typeof where !== 'function') requireType('where', where, 'object');
    requireNumber('freeSeatsMin', freeSeatsMin);
    if (!(Number.isInteger(limit) && limit >= 1 && limit <= searchLimitMax)) {
      throw new ArgumentError(
        'invalid_limit',
        `limit must be a whole number from 1 to ${searchLimitMax} (got ${limit}).`,
      );
    }
    const found: OpenLobby<LobbyMetadata>[] = [];
    for (const [id, { value }] of await entries.list()) {
      if (!value.isListed || Math.max(0, freeSeatsOf(value)) < freeSeatsMin) continue;
      if (typeof where === 'object' && !hasMetadata(value.metadata, where)) continue;
      const lobby = shown(id as LobbyId, value);
      if (typeof where !== 'function' || saysYes('where', where, lobby)) found.push(lobby);
    }
    return found.sort(sort).slice(0, limit);
  }

  async function quickMatch(operation: Operation, userId: UserId, match: QuickMatch<LobbyMetadata>) {
    requireType('match', match, 'object');
    checkInput('match.otherwise', match.otherwise);
    const { where, sort, member = {}, otherwise } = match;
    rejectIssues('The lobby member', checkLobbyMember(member));
    for (;;) {
      const fitting = await find({ where, sort, freeSeatsMin: 0, limit: searchLimitMax });
      const own = fitting.filter(({ players }) => players.includes(userId));
      for (const { id, freeSeats } of [...own, ...fitting]) {
        if (freeSeats === 0 && !own.some(lobby => lobby.id === id)) continue;
        const lobby = shownIf(id, await seats.join(operation, id, userId, member));
        if (lobby) return { lobby, isNew: false };
      }
      const lobby = await createFor(operation, otherwise, userId, member);
      if (lobby) return { lobby, isNew: true };
    }
  }

  async function close(): Promise<void> {
    closing.delete(close);
    operations.close();
  }

  closing.add(close);
  const idOf = (id: LobbyId) => parseSnowflake<'lobby'>(id, 'lobbyId');
  const userOf = (id: UserId) => parseSnowflake<'user'>(id, 'userId');
  return {
    open: (input, options) => run(options, operation => create(operation, input)),
    get: (id, options) => run(options, async () => shownIf(id, (await entries.get(idOf(id)))?.value)),
    search: (search = {}, options) => run(options, () => find(search)),
    quickMatch: (userId, match, options) => run(options, operation => quickMatch(operation, userOf(userId), match)),
    join: (id, userId, member = {}, options) =>
      run(options, async operation => shownIf(id, await seats.join(operation, idOf(id), userOf(userId), member))),
    leave: (id, userId, options) =>
      run(options, async operation => {
        const [lobby, player] = [idOf(id), userOf(userId)];
        await seats.vacate(operation, lobby, player, () => seats.remove(operation, lobby, player));
      }),
    setListed: (id, isListed, options) =>
      run(options, async operation => {
        requireType('isListed', isListed, 'boolean');
        return shownIf(id, await seats.update(operation, idOf(id), entry => ({ ...entry, isListed })));
      }),
    setMetadata: (id, metadata, options) =>
      run(options, async operation => {
        reader.check('metadata', metadata);
        // Again when the entry has changed: of two servers that write, the last one is the last at the service, too.
        const write = () =>
          seats.update(operation, idOf(id), async entry => {
            const written = await calls.edit(id, { metadata }, operation.next());
            return { ...entry, metadata: written.metadata ?? {} };
          });
        return shownIf(id, await seats.unlessEnded(operation, idOf(id), write));
      }),
    refresh: (id, options) =>
      run(options, async operation => {
        const read = () =>
          seats.update(operation, idOf(id), async entry => {
            const { metadata, members } = await calls.get(id, operation.next());
            const present = new Set(members.map(member => member.id));
            const leaving = entry.leaving?.filter(player => present.has(player)) ?? [];
            const seated = entry.players.filter(player => present.has(player));
            const others = [...present].filter(player => !entry.players.includes(player) && !leaving.includes(player));
            return { ...entry, metadata: metadata ?? {}, players: [...seated, ...others], leaving };
          });
        return shownIf(id, await seats.unlessEnded(operation, idOf(id), read));
      }),
    delete: (id, options) =>
      run(options, async operation => {
        await calls.delete(idOf(id), operation.next());
        await seats.forget(operation, id);
      }),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function fullestFirst(a: OpenLobby<unknown>, b: OpenLobby<unknown>): number {
  return b.players.length - a.players.length || a.openedAtMs - b.openedAtMs || compareSnowflakes(a.id, b.id);
}

function hasMetadata(metadata: Metadata, wanted: Metadata): boolean {
  return Object.entries(wanted).every(([key, value]) => Object.hasOwn(metadata, key) && metadata[key] === value);
}

/** @throws ArgumentError `invalid_argument`, `invalid_capacity` */
function checkInput(name: string, input: OpenLobbyInput): void {
  requireType(name, input, 'object');
  const { capacity } = input;
  const max = limits.lobbyMembersMax;
  if (Number.isInteger(capacity) && capacity >= 1 && capacity <= max) return;
  throw new ArgumentError('invalid_capacity', `capacity must be a whole number from 1 to ${max} (got ${capacity}).`);
}
