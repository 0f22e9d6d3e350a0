import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { systemClock } from '../../wire/clock/ports.ts';
import type { Store } from '../store/contract.ts';

/** Why a service is not ready. */
export type UnreadyReason = 'starting' | 'draining' | 'store_failed' | Unavailable;

export type Unavailable = 'store_missing' | 'store_unavailable' | 'bus_unavailable';

/** What a service needs: the file of its database, or the engines that the nodes of a cluster share. */
export interface Dependency {
  readonly reason: Unavailable;
  /** Rejects when it cannot be used. */
  ask(): Promise<unknown>;
}

/** An open database whose file was deleted or moved can still be written, but the next start does not find it. */
export function databaseFile(path: string): Dependency {
  const location = resolve(path);
  return {
    reason: 'store_missing',
    async ask() {
      if (!existsSync(location)) throw new Error(`${location} was deleted or moved.`);
    },
  };
}

/** How long a dependency may take to answer a probe, which itself is waited for only a second or a few. */
const askMs = 1000;

/** Interval of the probes of a failed store. */
const tryEveryMs = 1000;
const settingName = 'readiness';
/** Larger than most writes, because on a nearly full disk a few bytes still fit. */
const triedText = 'x'.repeat(64 * 1024);

/**
 * Whether a service takes traffic. After a failed commit it is not ready until a commit was written: by requests that still arrive, or
 * by a probe, at most once a second, when `/readyz` is called. It is not ready either while something that it needs does not answer.
 */
export class Readiness {
  #phase: 'starting' | 'ready' | 'draining' = 'starting';
  #store: Store | undefined;
  #hasStoreFailed = false;
  #triedAtMs = Number.NEGATIVE_INFINITY;
  #dependencies: readonly Dependency[] = [];
  #unavailable: readonly Unavailable[] = [];

  /** The service takes traffic from here on; probes are written to `store`. */
  start(store: Store, dependencies: readonly Dependency[] = []): void {
    this.#store = store;
    this.#dependencies = dependencies;
    this.#phase = 'ready';
  }

  drain(): void {
    this.#phase = 'draining';
  }

  /** @param hasWritten whether something was written */
  committed(hasFailed: boolean, hasWritten: boolean): void {
    if (hasFailed) this.#hasStoreFailed = true;
    else if (hasWritten) this.#hasStoreFailed = false;
  }

  /** Empty if the service is ready. */
  get reasons(): readonly UnreadyReason[] {
    return [
      ...(this.#phase === 'ready' ? [] : [this.#phase]),
      ...(this.#hasStoreFailed ? (['store_failed'] as const) : []),
      ...this.#unavailable,
    ];
  }

  /** Like {@link reasons}, after a probe of the store if one is due. */
  async check(): Promise<readonly UnreadyReason[]> {
    if (!this.#store || this.#phase !== 'ready') return this.reasons;
    if (this.#dependencies.length === 0) await this.#tryStore(this.#store);
    else await Promise.all([inTime(this.#tryStore(this.#store)), this.#askDependencies()]);
    return this.reasons;
  }

  async #askDependencies(): Promise<void> {
    const asked = this.#dependencies.map(async ({ reason, ask }) => ((await inTime(ask())) ? [] : [reason]));
    this.#unavailable = (await Promise.all(asked)).flat();
  }

  async #tryStore(store: Store): Promise<void> {
    try {
      await store.get('settings', settingName);
    } catch {
      this.#hasStoreFailed = true;
    }
    if (!this.#hasStoreFailed || performance.now() - this.#triedAtMs < tryEveryMs) return;
    this.#triedAtMs = performance.now();
    const scope = `setting/${settingName}`;
    const record = { name: settingName, value: triedText };
    try {
      await store.transact(scope, transaction => transaction.put('settings', record));
      await store.transact(scope, transaction => transaction.delete('settings', settingName));
    } catch {
      // The store has logged the error.
    }
  }
}

/** Whether it succeeds within {@link askMs}. */
async function inTime(asked: Promise<unknown>): Promise<boolean> {
  const late = new Promise<boolean>(resolve => {
    systemClock.schedule(askMs, () => resolve(false));
  });
  return Promise.race([asked.then(succeeded, failed), late]);
}

const succeeded = () => true;
const failed = () => false;
