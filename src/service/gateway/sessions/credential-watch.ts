import { type Cancel, type Clock, scheduleAt } from '../../../wire/clock/ports.ts';
import { type Task, TaskQueue } from '../../../wire/clock/task-queue.ts';
import { mayActAs } from '../../auth/credentials-epoch.ts';
import type { Core } from '../../core.ts';
import type { GatewaySessionRecord } from '../../store/records.ts';
import type { SessionPrincipal } from '../identify.ts';

/** What a session depends on: not only its token, but also every token that a refresh replaces it with. */
export function credentialOf(principal: SessionPrincipal): string | null {
  switch (principal.kind) {
    case 'bot':
      return principal.application.bot_token_hash;
    case 'user':
      return principal.token.grant_id;
    case 'session':
      return principal.token.hash;
  }
}

/** A session, as far as its credential is concerned. */
interface Watched {
  readonly record: GatewaySessionRecord;
  readonly hasEnded: boolean;
}

/** More than a grant can have, except in the store of an earlier version. */
const tokensReadMax = 500;

/** Notices when a session's credential is no longer valid: it was revoked, replaced or has expired. */
export class CredentialWatch<Session extends Watched> {
  readonly #core: Core;
  readonly #alarms: Alarms<Session>;

  /** @param onDue the session's credential may have expired: {@link check} it */
  constructor(core: Core, onDue: (session: Session) => void) {
    this.#core = core;
    this.#alarms = new Alarms(core.clock, onDue);
  }

  /** When the credential expires: null: never; undefined: it is no longer valid. */
  async end({ kind, application_id, user_id, credential }: GatewaySessionRecord): Promise<number | null | undefined> {
    const { store, clock } = this.#core;
    if (kind === 'bot') {
      const application = await store.get('applications', application_id ?? '');
      return application?.bot_token_hash === credential ? null : undefined;
    }
    const user = await store.get('users', user_id);
    if (kind === 'session') {
      const token = await store.get('tokens', credential ?? '');
      return token && mayActAs(user, token) ? token.expires_at_ms : undefined;
    }
    const tokens = await store.list('tokens', { index: 'byGrant', equals: [credential ?? ''], limit: tokensReadMax });
    const authorization = await store.get('authorizations', tokens[0]?.authorization_id ?? '');
    if (!authorization || !mayActAs(user, authorization)) return undefined;
    let end: number | undefined;
    for (const token of tokens) {
      // A grant can have tokens of child applications, too.
      if (token.kind !== 'access' || token.application_id !== application_id) continue;
      if (token.expires_at_ms === null) return null;
      if (token.expires_at_ms > clock.now()) end = Math.max(end ?? 0, token.expires_at_ms);
    }
    return end;
  }

  /** Whether the session's credential is still valid; if so, it stays watched. */
  async check(session: Session): Promise<boolean> {
    const end = await this.end(session.record);
    if (end !== undefined && !session.hasEnded) this.watch(session, end);
    return end !== undefined;
  }

  /** @param endMs when to check the credential again; null: never */
  watch(session: Session, endMs: number | null): void {
    if (endMs === null) this.#alarms.drop(session);
    else this.#alarms.set(session, endMs);
  }

  drop(session: Session): void {
    this.#alarms.drop(session);
  }

  /** Stops watching a session. */
  close(): void {
    this.#alarms.close();
  }
}

class Alarm<Item> implements Task {
  readonly dueMs: number;
  readonly order: number;
  readonly #alarms: Alarms<Item>;
  readonly #item: Item;

  constructor(alarms: Alarms<Item>, item: Item, dueMs: number, order: number) {
    this.dueMs = dueMs;
    this.order = order;
    this.#alarms = alarms;
    this.#item = item;
  }

  run(): void {
    this.#alarms.ringFor(this.#item);
  }
}

/** Calls `onDue` for every item at the time set for it. All items share one timer. */
export class Alarms<Item> {
  readonly #clock: Clock;
  readonly #onDue: (item: Item) => void;
  readonly #queue = new TaskQueue();
  readonly #tasks = new Map<Item, Task>();
  #order = 0;
  #timer: { readonly dueMs: number; readonly cancel: Cancel } | undefined;

  constructor(clock: Clock, onDue: (item: Item) => void) {
    this.#clock = clock;
    this.#onDue = onDue;
  }

  /** Sets or replaces the item's time. */
  set(item: Item, dueMs: number): void {
    this.drop(item);
    const task = new Alarm(this, item, dueMs, this.#order++);
    this.#tasks.set(item, task);
    this.#queue.add(task);
    this.#arm();
  }

  /** @see Alarm.run */
  ringFor(item: Item): void {
    this.#tasks.delete(item);
    this.#onDue(item);
  }

  drop(item: Item): void {
    const task = this.#tasks.get(item);
    if (!task) return;
    this.#tasks.delete(item);
    this.#queue.remove(task);
  }

  /** Removes all items. */
  close(): void {
    for (const item of [...this.#tasks.keys()]) this.drop(item);
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #arm(): void {
    const first = this.#queue.first();
    if (!first || (this.#timer && this.#timer.dueMs <= first.dueMs)) return;
    this.#timer?.cancel();
    const cancel = scheduleAt(this.#clock, first.dueMs, () => this.#ring());
    this.#timer = { dueMs: first.dueMs, cancel };
  }

  #ring(): void {
    this.#timer = undefined;
    const nowMs = this.#clock.now();
    for (let first = this.#queue.first(); first && first.dueMs <= nowMs; first = this.#queue.first()) {
      this.#queue.remove(first);
      void first.run();
    }
    this.#arm();
  }
}
