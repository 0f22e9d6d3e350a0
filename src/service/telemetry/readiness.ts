import type { Store } from '../store/contract.ts';

/** Why a service is not ready. */
export type UnreadyReason = 'starting' | 'draining' | 'store_failed';

/** Interval of the probes of a failed store. */
const tryEveryMs = 1000;
const settingName = 'readiness';
/** Larger than most writes, because on a nearly full disk a few bytes still fit. */
const triedText = 'x'.repeat(64 * 1024);

/**
 * Whether a service takes traffic. After a failed commit it is not ready until a commit was written: by requests that still arrive, or
 * by a probe, at most once a second, when `/readyz` is called.
 */
export class Readiness {
  #phase: 'starting' | 'ready' | 'draining' = 'starting';
  #store: Store | undefined;
  #hasStoreFailed = false;
  #triedAtMs = Number.NEGATIVE_INFINITY;

  /** The service takes traffic from here on; probes are written to `store`. */
  start(store: Store): void {
    this.#store = store;
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
    ];
  }

  /** Like {@link reasons}, after a probe of the store if one is due. */
  async check(): Promise<readonly UnreadyReason[]> {
    if (this.#store && this.#phase === 'ready') await this.#tryStore(this.#store);
    return this.reasons;
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
