import { ArgumentError, TransportError } from '../model/errors/errors.ts';
import type { UserId } from '../model/snowflake.ts';
import { parseOptions, requireChoice } from '../wire/arguments.ts';
import { type Clock, steadyNow } from '../wire/clock/ports.ts';
import { Deadline, requireDeadline } from '../wire/http/deadline.ts';
import type { Http, HttpAnswer, HttpRequest } from '../wire/http/http.ts';
import type { RouteName } from '../wire/routes.ts';
import { Turns } from '../wire/turns.ts';
import type { TokenRenewal } from './auth/token-renewal.ts';
import type { OperationOptions, WhenOffline } from './call-options.ts';
import { clientNotReady, ReadyGate } from './connection/ready-gate.ts';
import type { ReportWait, Waits } from './connection/waits.ts';

export interface CallPorts {
  readonly http: Http;
  readonly clock: Clock;
  readonly waits: Waits;
  /** The access token to call with now. */
  readonly token: () => string;
  readonly renewal: TokenRenewal;
  /** Who calls an operation now. */
  readonly caller: () => Caller;
  readonly deadlineMs: number;
  readonly whenOffline: WhenOffline;
}

/** Who calls: the access token that is held, and the player of the last session. */
export interface Caller {
  readonly token: string | undefined;
  readonly playerId: UserId | undefined;
}

/** One operation of the player. */
export interface Operation<Name extends RouteName> {
  /** The method that the game called. */
  readonly name: string;
  readonly route: Name;
  readonly request: Pick<HttpRequest<Name>, 'path' | 'query' | 'body'>;
  /** Operations with the same are sent one after another, in the order they were called. */
  readonly order?: string;
}

const whenOfflineChoices: readonly WhenOffline[] = ['fail', 'queue'];

/** Calls routes as the player: while the client is ready, in order, within the deadline, and with every wait visible. */
export class Calls {
  readonly #ports: CallPorts;
  readonly #gate = new ReadyGate();
  readonly #turns = new Turns();
  readonly #underWay = new Set<Deadline>();
  #isClosed = false;

  /** @throws ArgumentError `invalid_deadline`, `invalid_argument` */
  constructor(ports: CallPorts) {
    requireDeadline(ports.deadlineMs);
    requireChoice('whenOffline', ports.whenOffline, whenOfflineChoices);
    this.#ports = ports;
  }

  /** The client is, or is not, ready. */
  setReady(isReady: boolean): void {
    this.#gate.set(isReady);
  }

  /**
   * @throws ApiError, RateLimitError, TransportError (`client_not_ready`, `deadline_exceeded`, `aborted`, …),
   *   ArgumentError `missing_access_token`, `invalid_deadline`, `invalid_argument`, `closed`
   */
  send<Name extends RouteName>(operation: Operation<Name>, options: OperationOptions): Promise<HttpAnswer> {
    return this.#within(operation.name, options, (deadline, report) =>
      this.#inTurn(operation, deadline, report, options.signal),
    );
  }

  /**
   * Runs work other than a call of a route, with the same options.
   *
   * @param name the method that the game called
   * @throws as {@link send}, and what the work throws
   */
  run<Result>(name: string, options: OperationOptions, work: (deadline: Deadline) => Promise<Result>): Promise<Result> {
    const caller = this.#ports.caller();
    return this.#within(name, options, async (deadline, report) => {
      await this.#passGate(caller, deadline, report);
      report(undefined);
      return work(deadline);
    });
  }

  /** The options of an operation for each of its calls in turn: together they have the operation's one deadline. */
  sharedDeadline(options: OperationOptions): () => OperationOptions {
    const { clock, deadlineMs } = this.#ports;
    const endMs = steadyNow(clock) + (options.deadlineMs ?? deadlineMs);
    return () => ({ ...options, deadlineMs: endMs - steadyNow(clock) });
  }

  /** Aborts what is in progress, and rejects later calls. */
  close(): void {
    this.#isClosed = true;
    for (const deadline of this.#underWay) deadline.abort();
  }

  async #within<Result>(
    name: string,
    options: OperationOptions,
    work: (deadline: Deadline, report: ReportWait) => Promise<Result>,
  ): Promise<Result> {
    const { clock, waits, deadlineMs, whenOffline } = this.#ports;
    if (this.#isClosed) throw new ArgumentError('closed', 'This client has been closed.');
    parseOptions(options);
    requireChoice('whenOffline', options.whenOffline, whenOfflineChoices);
    if (!this.#gate.isOpen && (options.whenOffline ?? whenOffline) === 'fail') {
      throw clientNotReady('call connect() first, or let the operation wait with whenOffline: queue');
    }
    const deadline = new Deadline(clock, options.deadlineMs ?? deadlineMs, options.signal);
    const report = waits.of(name, options);
    this.#underWay.add(deadline);
    try {
      deadline.signal.throwIfAborted();
      return await work(deadline, report);
    } finally {
      this.#underWay.delete(deadline);
      deadline.close();
      report(undefined);
    }
  }

  /** @throws TransportError `aborted` when another player has connected since the operation was called */
  async #passGate({ token, playerId }: Caller, deadline: Deadline, report: ReportWait): Promise<void> {
    if (!this.#gate.isOpen) {
      report({ reason: 'offline' });
      await this.#gate.pass(deadline);
    }
    const now = this.#ports.caller();
    // Of those that are called while the next player is connecting, only the token tells whose they are.
    const isKnown = token !== undefined && playerId !== undefined;
    if (isKnown && token !== now.token && playerId !== now.playerId) {
      throw new TransportError('aborted', 'Another player has connected, so this call was not sent.');
    }
  }

  async #inTurn<Name extends RouteName>(
    operation: Operation<Name>,
    deadline: Deadline,
    report: ReportWait,
    signal: AbortSignal | undefined,
  ): Promise<HttpAnswer> {
    const turn = operation.order === undefined ? undefined : this.#turns.take(operation.order);
    const caller = this.#ports.caller();
    try {
      await this.#passGate(caller, deadline, report);
      if (turn && !turn.isFirst) {
        report({ reason: 'order' });
        await deadline.within(turn.begins);
        // With another token it is the next session that tells whose it is.
        if (caller.token !== this.#ports.caller().token) await this.#passGate(caller, deadline, report);
      }
      report(undefined);
      return await this.#call(operation, deadline, report, signal);
    } finally {
      turn?.end();
    }
  }

  #call<Name extends RouteName>(
    { route, request }: Operation<Name>,
    deadline: Deadline,
    onWait: ReportWait,
    signal: AbortSignal | undefined,
  ): Promise<HttpAnswer> {
    const { http, token, renewal } = this.#ports;
    return renewal.send(token(), deadline.signal, authorization =>
      http.send(route, { ...request, authorization, onWait, signal, deadlineMs: deadline.leftMs }),
    );
  }
}
