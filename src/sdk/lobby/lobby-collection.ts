import { ApiError, ArgumentError, TransportError } from '../../model/errors/errors.ts';
import { limits } from '../../model/limits/limits.ts';
import type { LobbyJoinInput, Metadata } from '../../model/lobby.ts';
import { type LobbyId, parseSnowflake } from '../../model/snowflake.ts';
import { parseOptions, requireType } from '../../wire/arguments.ts';
import type { Logger } from '../../wire/clock/ports.ts';
import { reportError } from '../../wire/error-report.ts';
import { Deadline } from '../../wire/http/deadline.ts';
import { deadlineMsDefault } from '../../wire/http/http.ts';
import { Turns } from '../../wire/turns.ts';
import { type OpenBrowser, showPage } from '../auth/open-browser.ts';
import type { OperationOptions } from '../call-options.ts';
import type { Calls } from '../calls.ts';
import { messagesKeptMax } from './live-messages.ts';
import { LobbyHandle, type LobbyParts, type MetadataChange } from './lobby-handle.ts';
import type { LobbyNews } from './lobby-news.ts';
import { checkJoin, type JoinOptions } from './operations.ts';
import type { LobbySnapshot, LobbyState } from './snapshot.ts';
import type { LobbyStore } from './store.ts';

/** What a {@link LobbyCollection} is made of. */
export interface LobbyCollectionPorts<LobbyMetadata, MemberMetadata>
  extends Omit<LobbyParts<LobbyMetadata, MemberMetadata>, 'nextDraftId' | 'leave' | 'openInvite' | 'setMetadata'> {
  readonly news: LobbyNews;
  readonly calls: Calls;
  readonly logger: Logger;
  readonly openBrowser: OpenBrowser;
  readonly deadlineMs: number;
  /** Whether the client has a session, and is connected. */
  readonly isReady: () => boolean;
}

/**
 * The lobbies that the player is in: iterable over their snapshots, in the order of {@link Client.lobbies$}.
 *
 * @example
 * const lobby = await client.lobbies.join('the harbour', { memberMetadata: { ship: 'sloop' } });
 * lobby.messages$.subscribe(messages => console.log(messages.map(({ content }) => content)));
 * await lobby.send('Ahoy!');
 * for (const { id, members } of client.lobbies) console.log(id, members.length);
 */
export class LobbyCollection<LobbyMetadata = Metadata, MemberMetadata = Metadata> implements Iterable<LobbySnapshot> {
  readonly #ports: LobbyCollectionPorts<LobbyMetadata, MemberMetadata>;
  readonly #parts: LobbyParts<LobbyMetadata, MemberMetadata>;
  readonly #handles = new Map<LobbyId, LobbyHandle<LobbyMetadata, MemberMetadata>>();
  /** Joins of one secret run one after another, so that undoing one cannot end another. */
  readonly #turns = new Turns();
  readonly #joining = new Set<Joining>();
  /** Of the calls of {@link arrival} that wait. */
  readonly #arriving = new Set<Deadline>();
  #draftCount = 0;

  /** @internal */
  constructor(ports: LobbyCollectionPorts<LobbyMetadata, MemberMetadata>) {
    this.#ports = ports;
    this.#parts = {
      ...ports,
      nextDraftId: () => `outgoing-${++this.#draftCount}`,
      leave: (...call) => this.#leave(...call),
      openInvite: (...call) => this.#openInvite(...call),
      setMetadata: (...call) => this.#setMetadata(...call),
    };
    ports.news.gone$.subscribe(id => this.#handles.delete(id));
  }

  /** All of them, by id, which is the order of their creation. Frozen; the same object until something changes. */
  get snapshot(): LobbyState {
    return this.#ports.store.lobbies;
  }

  get size(): number {
    return this.snapshot.length;
  }

  [Symbol.iterator](): Iterator<LobbySnapshot> {
    return this.snapshot[Symbol.iterator]();
  }

  has(id: LobbyId): boolean {
    return this.#ports.store.lobby(id) !== undefined;
  }

  /**
   * The handle of a lobby that the player is in, also of one that a game server made; the same object for as long as the
   * player is in it, also after {@link Client.disconnect}. Its messages are those that arrived since the client knows the lobby:
   * {@link LobbyHandle.loadOlder} adds earlier ones.
   */
  get(id: LobbyId): LobbyHandle<LobbyMetadata, MemberMetadata> | undefined {
    return this.has(id) ? this.#handle(id) : undefined;
  }

  /**
   * Joins the lobby that has this secret, or creates it: the interface cannot do one without the other, so that a mistyped
   * secret creates a lobby with no one else in it. Share secrets that the game generates, or compare the number of members.
   *
   * When it resolves, the lobby's state, its members and up to 25 of its newest messages are known. When it rejects, the
   * player is not left half joined: if the service has accepted the player and the rest does not arrive in time, the
   * client leaves the lobby again. {@link Client.disconnect} ends a join with `client_not_ready`. For a player who is in the lobby already it only changes metadata.
   *
   * All operations of lobbies run while the client is ready; while it is not, they fail or wait, as
   * {@link OperationOptions.whenOffline} says. All of them throw: ApiError, RateLimitError, TransportError
   * (`client_not_ready`, `aborted`, `deadline_exceeded`, `unreachable`, `connection_lost`, `unreadable_answer`),
   * ArgumentError (`closed`, `missing_access_token`, `invalid_snowflake`, `invalid_deadline`), ValidationError. Invalid
   * arguments are rejected before anything is sent.
   *
   * @param secret 1 to 250 characters, shared by all who are to meet
   * @throws TransportError `lobby_ended`: the lobby ended, or the player left or was removed, in the meantime
   * @see docs/spec/lobbies.md#create-or-join
   */
  async join(secret: string, options: JoinOptions = {}): Promise<LobbyHandle<LobbyMetadata, MemberMetadata>> {
    parseOptions(options);
    this.#checkMetadata({ lobby: options.lobbyMetadata, member: options.memberMetadata });
    const body = checkJoin(secret, options);
    return this.#ports.calls.run('join', options, deadline => this.#inTurn(body, deadline, options));
  }

  /**
   * Waits until the player is in a lobby into which the game's server puts them, and resolves with its handle, as {@link get} does;
   * immediately if the player is in it already. It waits through lost connections.
   *
   * @throws TransportError `deadline_exceeded` if the server has not put the player into it in time, `client_not_ready`, `aborted`;
   *   ArgumentError `closed`, `invalid_snowflake`, `invalid_deadline`
   * @example
   * const lobby = await client.lobbies.arrival('1234', { deadlineMs: 60_000 });
   * console.log(`The match begins with ${lobby.members.length} players.`);
   */
  async arrival(id: LobbyId, options: OperationOptions = {}): Promise<LobbyHandle<LobbyMetadata, MemberMetadata>> {
    parseSnowflake<'lobby'>(id, 'lobbyId');
    return this.#ports.calls.run('arrival', options, async deadline => {
      this.#arriving.add(deadline);
      try {
        await until(this.#ports.store, id, lobby => lobby !== undefined, deadline);
        return this.#handle(id);
      } catch (error) {
        throw this.#arriving.has(deadline) ? asNoArrival(error, id) : cutOff('arrival', error);
      } finally {
        this.#arriving.delete(deadline);
      }
    });
  }

  /** Leaves the voice calls of all lobbies. @see docs/spec/client.md#functions */
  leaveCalls(options: OperationOptions = {}): Promise<void> {
    return this.#ports.voice.leaveAll(options);
  }

  /** @internal The client is disconnected and does not try to connect: what waits for lobbies cannot finish. */
  disconnected(): void {
    for (const deadline of this.#arriving) {
      if (deadline.signal.aborted) continue;
      this.#arriving.delete(deadline);
      deadline.abort();
    }
    for (const joining of this.#joining) joining.cutOff();
    for (const handle of this.#handles.values()) handle.forgotten();
  }

  /** @internal A session began. Handles of before a disconnect belong to the lobbies that the player is still in. */
  began(): void {
    for (const id of this.#handles.keys()) {
      if (this.has(id)) this.#widen(id);
      else this.#handles.delete(id);
    }
  }

  /** @internal Another player is about to be connected. */
  forget(): void {
    for (const handle of this.#handles.values()) handle.forgetDrafts();
    this.#handles.clear();
  }

  async #inTurn(body: LobbyJoinInput, deadline: Deadline, options: OperationOptions) {
    const turn = this.#turns.take(body.secret);
    const joining = new Joining(this.#ports, deadline, options.signal);
    this.#joining.add(joining);
    try {
      if (!turn.isFirst) await deadline.within(turn.begins);
      const handle = await this.#join(body, joining, deadline, options);
      turn.end();
      return handle;
    } catch (error) {
      // The caller need not wait for this; the next join of the secret does.
      void this.#undo(joining).finally(() => turn.end());
      throw joining.isCutOff ? cutOff('join', error) : error;
    } finally {
      this.#joining.delete(joining);
      joining.close();
    }
  }

  async #join(body: LobbyJoinInput, joining: Joining, deadline: Deadline, options: OperationOptions) {
    const { store, operations } = this.#ports;
    joining.begin();
    const { signal } = joining;
    const rest = () => ({ ...options, signal, deadlineMs: deadline.leftMs, whenOffline: 'queue' as const });
    const id = await operations.createOrJoin(body, rest());
    joining.lobbyId = id;
    for (;;) {
      await joining.untilKnownOrGone(id, deadline);
      store.changeMessages(id, messages => {
        messages.widen(limits.lobbyHistoryMessagesMax);
        messages.hold(joining);
      });
      const history = await operations.history('join', id, { ...rest(), limit: messagesKeptMax }).catch(asEnded);
      store.changeMessages(id, messages => messages.fill(joining, history, true));
      if (!this.has(id)) continue; // gone, and yet a member: the gateway is about to deliver the lobby again
      const handle = this.#handle(id);
      handle.joined(body.secret, history.length === messagesKeptMax);
      if (!joining.wasMember) handle.markRead();
      return handle;
    }
  }

  /** Leaves a lobby that a failed join has joined. */
  async #undo(joining: Joining): Promise<void> {
    const { lobbyId, wasMember } = joining;
    if (lobbyId === undefined) return;
    this.#ports.store.changeMessages(lobbyId, messages => messages.release(joining));
    if (!wasMember) await this.#takeBack(lobbyId);
  }

  /** Leaves a lobby that the player joined in vain, whatever becomes of the operation that did so. Never rejects. */
  async #takeBack(lobby: LobbyId): Promise<void> {
    const { operations, logger } = this.#ports;
    try {
      await operations.leave(lobby, { whenOffline: 'queue', deadlineMs: deadlineMsDefault });
    } catch (error) {
      const isGone = error instanceof ApiError && error.code === 'unknown_lobby';
      if (!isGone) logger.warn({ lobby, error: reportError(error) }, 'a join could not be undone');
    }
  }

  async #leave(id: LobbyId, options: OperationOptions): Promise<void> {
    const { news, operations, store, calls, isReady } = this.#ports;
    const leaving = news.leaving(id);
    try {
      const next = calls.sharedDeadline(parseOptions(options));
      await operations.leave(id, next());
      // The service has confirmed it; without a connection the state follows with the next session.
      if (isReady() && this.has(id)) {
        await calls.run('leave', next(), deadline => until(store, id, lobby => !lobby, deadline)).catch(ignoreLate);
      }
    } finally {
      leaving();
    }
  }

  async #setMetadata(
    id: LobbyId,
    secret: string | undefined,
    change: MetadataChange,
    options: OperationOptions,
  ): Promise<void> {
    requireType('change', change, 'object');
    if (secret === undefined) {
      throw new ArgumentError(
        'missing_secret',
        `This client has not joined lobby ${id} by its secret, and the service changes metadata by the secret alone. Join a lobby of players ` +
          "first. A lobby of the game's server has no secret: let the server change a member's metadata by backend.lobbies.putMember(), the " +
          "lobby's by backend.lobbies.edit().",
      );
    }
    this.#checkMetadata(change);
    const body = checkJoin(secret, { lobbyMetadata: change.lobby, memberMetadata: change.member });
    if (!this.has(id)) throw lobbyEnded();
    const { store, operations } = this.#ports;
    const known = new Set(store.lobbies.map(lobby => lobby.id));
    const written = await operations.createOrJoin(body, options);
    if (written === id) return;
    // The lobby ended, and the call created another one of the same secret.
    if (!known.has(written)) {
      // The caller need not wait for this; the next join of the secret does.
      const turn = this.#turns.take(secret);
      void this.#takeBack(written).finally(() => turn.end());
    }
    throw lobbyEnded();
  }

  async #openInvite(id: LobbyId, options: OperationOptions): Promise<string> {
    const { clock, operations, openBrowser } = this.#ports;
    const { deadlineMs = this.#ports.deadlineMs, signal } = parseOptions(options);
    const deadline = new Deadline(clock, deadlineMs, signal);
    try {
      const { url } = await operations.invite(id, options);
      // Some openers end with the browser.
      const isOpening = (error: unknown) => error instanceof TransportError && error.code === 'deadline_exceeded';
      await deadline.within(showPage(openBrowser, url)).catch((error: unknown) => {
        if (!isOpening(error)) throw error;
      });
      return url;
    } finally {
      deadline.close();
    }
  }

  #checkMetadata({ lobby, member }: MetadataChange): void {
    this.#ports.lobbyMetadata.check('lobbyMetadata', lobby);
    this.#ports.memberMetadata.check('memberMetadata', member);
  }

  #handle(id: LobbyId): LobbyHandle<LobbyMetadata, MemberMetadata> {
    const known = this.#handles.get(id);
    if (known) return known;
    this.#widen(id);
    const handle = new LobbyHandle(id, this.#parts);
    this.#handles.set(id, handle);
    return handle;
  }

  #widen(id: LobbyId): void {
    this.#ports.store.changeMessages(id, messages => messages.widen(limits.lobbyHistoryMessagesMax));
  }
}

/** A join in progress: which lobby it is, and whether the player was in it before. */
class Joining {
  lobbyId: LobbyId | undefined;
  /** Of its calls: aborts when the caller gives up, and when it is cut off. */
  readonly signal: AbortSignal;
  readonly #controller = new AbortController();
  readonly #deadline: Deadline;
  readonly #store: LobbyStore;
  readonly #gone = new Set<LobbyId>();
  readonly #watch: { unsubscribe(): void };
  #known: ReadonlySet<LobbyId> = new Set();

  constructor(
    { store, news }: Pick<LobbyCollectionPorts<unknown, unknown>, 'store' | 'news'>,
    deadline: Deadline,
    caller: AbortSignal | undefined,
  ) {
    this.signal = caller ? AbortSignal.any([caller, this.#controller.signal]) : this.#controller.signal;
    this.#deadline = deadline;
    this.#store = store;
    this.#watch = news.gone$.subscribe(id => this.#gone.add(id));
  }

  /** The call is about to be sent. */
  begin(): void {
    this.#known = new Set(this.#store.lobbies.map(({ id }) => id));
    this.#gone.clear();
  }

  /** Does nothing when the join has already ended otherwise. */
  cutOff(): void {
    if (this.#deadline.signal.aborted) return;
    this.#controller.abort();
    this.#deadline.abort();
  }

  get isCutOff(): boolean {
    return this.#controller.signal.aborted;
  }

  get wasMember(): boolean {
    return this.lobbyId !== undefined && this.#known.has(this.lobbyId);
  }

  /** Resolves when the client knows the lobby, and, once for each time, when the lobby was gone since the join began. */
  async untilKnownOrGone(id: LobbyId, deadline: Deadline): Promise<void> {
    if (this.#store.lobby(id) || this.#gone.delete(id)) return;
    try {
      await until(this.#store, id, lobby => lobby !== undefined || this.#gone.delete(id), deadline);
    } catch (error) {
      if (!(error instanceof TransportError && error.code === 'deadline_exceeded')) throw error;
      const message = `The service accepted the player into lobby ${id}, but the gateway did not deliver the lobby in time.`;
      throw new TransportError('deadline_exceeded', message, { cause: error });
    }
  }

  close(): void {
    this.#watch.unsubscribe();
  }
}

async function until(
  store: LobbyStore,
  id: LobbyId,
  isThere: (lobby: LobbySnapshot | undefined) => boolean,
  deadline: Deadline,
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const watch = store.lobby$(id).subscribe({
    next: lobby => {
      if (isThere(lobby)) resolve();
    },
  });
  try {
    await deadline.within(promise);
  } finally {
    watch.unsubscribe();
  }
}

function ignoreLate(error: unknown): void {
  if (!(error instanceof TransportError && error.code === 'deadline_exceeded')) throw error;
}

function asNoArrival(error: unknown, id: LobbyId): unknown {
  if (!(error instanceof TransportError && error.code === 'deadline_exceeded')) return error;
  const message = `The game's server has not put the player into lobby ${id} in time: it does so by backend.lobbies.putMember().`;
  return new TransportError('deadline_exceeded', message, { cause: error });
}

function cutOff(operation: 'join' | 'arrival', cause: unknown): TransportError {
  const message = `The client was disconnected before the player was in the lobby. Connect, then call ${operation}() again.`;
  return new TransportError('client_not_ready', message, { cause });
}

function asEnded(error: unknown): never {
  const isGone = error instanceof ApiError && ['unknown_lobby', 'not_a_lobby_member'].includes(error.code);
  throw isGone ? lobbyEnded(error) : error;
}

function lobbyEnded(cause?: unknown): TransportError {
  return new TransportError('lobby_ended', 'The lobby ended, or the player is no longer in it.', { cause });
}
