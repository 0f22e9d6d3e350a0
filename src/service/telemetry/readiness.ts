import type { Store } from '../store/contract.ts';

/** Why a service takes no traffic. */
export type UnreadyReason = 'starting' | 'draining' | 'store_failed';

/** How often a failed store is tried. */
const tryEveryMs = 1000;
const settingName = 'readiness';
/** More than most writes take: on a disk that is nearly full a few bytes still fit. */
const triedText = 'x'.repeat(64 * 1024);

/**
 * Whether a service takes traffic. A store that could not commit is not ready until a commit has been written: by traffic
 * that still comes or, at most once a second, by whoever asks.
 */
export class Readiness {
  #phase: 'starting' | 'ready' | 'draining' = 'starting';
  #store: Store | undefined;
  #hasStoreFailed = false;
  #triedAtMs = Number.NEGATIVE_INFINITY;

  /** It takes traffic from here on, and writes its probes to the store. */
  start(store: Store): void {
    this.#store = store;
    this.#phase = 'ready';
  }

  drain(): void {
    this.#phase = 'draining';
  }

  /** @param hasWritten something reached the engine */
  committed(hasFailed: boolean, hasWritten: boolean): void {
    if (hasFailed) this.#hasStoreFailed = true;
    else if (hasWritten) this.#hasStoreFailed = false;
  }

  /** None: it is ready. */
  get reasons(): readonly UnreadyReason[] {
    return [
      ...(this.#phase === 'ready' ? [] : [this.#phase]),
      ...(this.#hasStoreFailed ? (['store_failed'] as const) : []),
    ];
  }

  /** As {@link reasons}, after the store was looked at. */
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
      // The store has said so by itself.
    }
  }
}
