import { ValidationError } from '../../../model/errors/errors.ts';
import { VirtualClock } from '../../../wire/clock/virtual-clock.ts';
import type { RouteName } from '../../../wire/routes.ts';
import type { Principal } from '../../auth/principal.ts';
import type { Notice } from '../../cluster/notices.ts';
import type { Core } from '../../core.ts';
import type { SocketFaults, SocketTarget } from '../../gateway/connection/socket-faults.ts';
import type { Reply, RequestFaults } from '../../http/call.ts';
import { limitReply, requestErrorReply } from '../../http/errors.ts';
import { RequestError } from '../../support/request-error.ts';
import {
  checkFaults,
  type FaultDocument,
  isRequestFault,
  type RequestFault,
  type SocketFault,
} from './fault-document.ts';
import { seededRandom } from './random.ts';

/** A fault that is armed. */
export type ArmedFault = FaultDocument & {
  readonly id: string;
  /** How often it is still injected; null: without bound. */
  readonly left: number | null;
};

interface Armed<Document extends FaultDocument = FaultDocument> {
  readonly id: string;
  readonly document: Document;
  readonly random: () => number;
  readonly struck: WeakSet<object>;
  left: number;
  /** How often it was injected. */
  struckCount: number;
}

type FaultCore = Pick<Core, 'clock' | 'log' | 'ids' | 'journal' | 'cluster' | 'notices' | 'activity'>;

/** The faults of a running service, which a test arms and disarms. */
export interface FaultControl {
  /**
   * Arms one fault or several. Open sockets that match get it immediately. @returns the armed faults
   *
   * @param given a {@link FaultDocument} or a list of them
   * @throws ValidationError
   */
  add(given: unknown): readonly ArmedFault[];
  /** Disarms one fault on this node. @returns whether it was armed */
  remove(id: string): boolean;
  /** Disarms all faults; on the other nodes of a cluster, those that are armed on every node. Frozen sockets stay frozen. */
  clear(): void;
  /** The armed faults. */
  readonly armed: readonly ArmedFault[];
}

/**
 * Injects faults, so that clients can be tested against them: slow and failing answers, exhausted limits, and sockets
 * that break, freeze or send garbage. The same faults, seeds and requests give the same result.
 */
export class FaultInjector implements FaultControl, RequestFaults, SocketFaults {
  readonly #core: FaultCore;
  #requests: Armed<RequestFault>[] = [];
  #sockets: Armed<SocketFault>[] = [];
  #open: () => Iterable<SocketTarget> = () => [];
  readonly #waiting = new Set<() => void>();

  #sent: Promise<unknown> = Promise.resolve();

  constructor(core: FaultCore) {
    this.#core = core;
    const own = core.cluster?.node;
    core.notices?.on('faults', ({ from, faults }) => {
      if (from !== own) for (const { id, document } of faults) this.#arm(id, document as FaultDocument);
    });
    core.notices?.on('faults_cleared', ({ from }) => {
      if (from !== own) this.#keep(({ document }) => document.cluster !== true);
    });
    core.notices?.on('state_replaced', () => this.#keep(() => false));
  }

  /** Sets the function that lists the open sockets. */
  watch(open: () => Iterable<SocketTarget>): void {
    this.#open = open;
  }

  add(given: unknown): readonly ArmedFault[] {
    const issues = checkFaults(given);
    if (issues.length > 0) throw new ValidationError('The fault', issues);
    const documents = (Array.isArray(given) ? given : [given]) as readonly FaultDocument[];
    const armed = documents.map(document => this.#arm(this.#core.ids.next(), document));
    const faults = armed.flatMap(({ id, cluster }, at) => (cluster ? [{ id, document: documents[at] }] : []));
    if (faults.length > 0) this.#send(from => ({ kind: 'faults', from, faults }));
    return armed;
  }

  clear(): void {
    this.#keep(() => false);
    this.#send(from => ({ kind: 'faults_cleared', from }));
  }

  /** Resolves when the other nodes of a cluster know. @throws what the store throws */
  async spread(): Promise<void> {
    await this.#sent;
  }

  remove(id: string): boolean {
    const isArmed = this.armed.some(fault => fault.id === id);
    this.#keep(armed => armed.id !== id);
    return isArmed;
  }

  #send(noticeFrom: (node: string) => Notice): void {
    const { notices, cluster } = this.#core;
    if (!notices || !cluster) return;
    this.#sent = notices.send(noticeFrom(cluster.node));
    this.#sent.catch(() => {});
  }

  #keep(isKept: (armed: Armed) => boolean): void {
    this.#requests = this.#requests.filter(isKept);
    this.#sockets = this.#sockets.filter(isKept);
  }

  get armed(): readonly ArmedFault[] {
    return [...this.#requests, ...this.#sockets].map(describe);
  }

  /** The armed faults, each with how often it was injected. */
  get counted(): readonly (ArmedFault & { readonly struck: number })[] {
    return [...this.#requests, ...this.#sockets].map(armed => ({ ...describe(armed), struck: armed.struckCount }));
  }

  /** For the HTTP server: whether calling {@link answer} can have an effect. */
  get concernRequests(): boolean {
    return this.#requests.length > 0;
  }

  /** For the HTTP server: the answer that replaces a request's own; undefined: none. May take time. */
  async answer(route: RouteName, principal: Principal): Promise<Reply | undefined> {
    for (const armed of this.#requests) {
      const { document } = armed;
      const { match = {} } = document;
      if (match.event !== undefined || (match.route !== undefined && match.route !== route)) continue;
      if (!fits(match.application_id, applicationOf(principal)) || !fits(match.user_id, userOf(principal))) continue;
      if (!this.#strikes(armed)) continue;
      this.#core.activity?.fault({ id: armed.id, kind: document.kind, document, route });
      if (document.kind === 'latency') await this.#delay(armed.id, route, document.ms);
      else return document.kind === 'status' ? statusReply(document.status) : rejectionOf(document);
    }
    return undefined;
  }

  /** For the gateway: whether calling {@link beforeSending} can have an effect. */
  get concernSockets(): boolean {
    return this.#sockets.length > 0;
  }

  /** For the gateway: frames are about to be sent. @param events names of the dispatches among them */
  beforeSending(target: SocketTarget, events: readonly string[]): void {
    for (const armed of [...this.#sockets]) {
      const wanted = armed.document.match?.event;
      if (wanted === undefined || events.includes(wanted)) this.#strikeSocket(armed, target);
    }
  }

  #arm(id: string, document: FaultDocument): ArmedFault {
    const left = document.count === null ? Number.POSITIVE_INFINITY : (document.count ?? 1);
    const armed = {
      id,
      random: seededRandom(document.seed ?? 0),
      struck: new WeakSet<object>(),
      left,
      struckCount: 0,
    };
    if (isRequestFault(document)) {
      const request = { ...armed, document };
      this.#requests.push(request);
      return describe(request);
    }
    const socket = { ...armed, document };
    this.#sockets.push(socket);
    if (document.match?.event === undefined) {
      for (const target of [...this.#open()]) this.#strikeSocket(socket, target);
    }
    return describe(socket);
  }

  #strikeSocket(armed: Armed<SocketFault>, target: SocketTarget): void {
    const { kind, match = {} } = armed.document;
    if (match.route !== undefined) return;
    if (!fits(match.application_id, target.applicationId) || !fits(match.user_id, target.userId)) return;
    if (kind === 'invalid_session' && !target.hasSession) return;
    if (armed.struck.has(target.socket) || !this.#strikes(armed)) return;
    armed.struck.add(target.socket);
    this.#core.journal.write('connection', { event: 'fault', fault: armed.id, fault_kind: kind });
    this.#core.activity?.fault({ id: armed.id, kind, document: armed.document });
    apply(armed, target);
  }

  /** Uses up one injection, unless chance or the count decide against it. */
  #strikes(armed: Armed): boolean {
    if (armed.left <= 0 || armed.random() * 100 >= (armed.document.percent ?? 100)) return false;
    armed.left--;
    armed.struckCount++;
    if (armed.left === 0) {
      this.#requests = this.#requests.filter(({ id }) => id !== armed.id);
      this.#sockets = this.#sockets.filter(({ id }) => id !== armed.id);
    }
    return true;
  }

  /** Releases every delayed request: the service is closing, and its clock may not move any more. */
  release(): void {
    for (const go of this.#waiting) go();
  }

  async #delay(fault: string, route: RouteName, ms: number): Promise<void> {
    const { clock, log } = this.#core;
    if (clock instanceof VirtualClock) {
      log.warn({ fault, route, ms }, 'A latency fault delays a call until the virtual clock is advanced.');
    }
    await this.#wait(ms);
  }

  #wait(ms: number): Promise<void> {
    return new Promise(resolve => {
      const go = () => {
        this.#waiting.delete(go);
        cancel();
        resolve();
      };
      const cancel = this.#core.clock.schedule(ms, go, { keepAlive: true });
      this.#waiting.add(go);
    });
  }
}

function apply({ document, random }: Armed<SocketFault>, target: SocketTarget): void {
  switch (document.kind) {
    case 'drop':
      target.drop();
      break;
    case 'freeze':
      target.freeze();
      break;
    case 'corrupt':
      target.cutNext(random());
      break;
    case 'reconnect':
      target.reconnect();
      break;
    case 'invalid_session':
      target.invalidate(document.resumable ?? false);
  }
}

function describe({ id, document, left }: Armed): ArmedFault {
  return { id, ...document, left: Number.isFinite(left) ? left : null };
}

function fits(wanted: string | undefined, found: string | null | undefined): boolean {
  return wanted === undefined || wanted === found;
}

function applicationOf(principal: Principal): string | undefined {
  return 'application' in principal ? principal.application.id : undefined;
}

function userOf(principal: Principal): string | undefined {
  return 'user' in principal ? principal.user.id : undefined;
}

function statusReply(status: number): Reply {
  const { body } = requestErrorReply(new RequestError('internal_error', { message: `${status}: injected fault` }));
  return { status, body };
}

function rejectionOf({ scope = 'user', retry_after_ms = 1000 }: Extract<RequestFault, { kind: 'rate_limit' }>): Reply {
  const retryAfterSeconds = retry_after_ms / 1000;
  const headers = {
    'retry-after': String(Math.ceil(retryAfterSeconds)),
    'x-ratelimit-scope': scope,
    ...(scope === 'global' && { 'x-ratelimit-global': 'true' }),
  };
  return { ...limitReply({ global: scope === 'global', retryAfterSeconds }), headers };
}
