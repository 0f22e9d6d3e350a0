import { performance } from 'node:perf_hooks';
import { randomToken } from '../../wire/clock/ports.ts';
import type { Core } from '../core.ts';
import { hashSecret } from '../support/secret.ts';
import { consoleLimits } from '../support/service-limits.ts';
import { actingTokenPrefix } from '../telemetry/activity.ts';
import type { Principal } from './principal.ts';

/** Makes the principal from the present records; undefined when one of them is gone. */
type Resolve = () => Promise<Principal | undefined>;

interface Issued {
  readonly resolve: Resolve;
  /** On the machine's clock. */
  readonly endsMs: number;
}

/** Credentials in memory by which the control API makes calls of the API as somebody. Each is good for one call. */
export class ActingTokens {
  readonly #entropy: Core['entropy'];
  readonly #issued = new Map<string, Issued>();

  constructor({ entropy }: Pick<Core, 'entropy'>) {
    this.#entropy = entropy;
  }

  /** @returns the token, and what ends it */
  issue(resolve: Resolve): { readonly token: string; end(): void } {
    const token = actingTokenPrefix + randomToken(this.#entropy, 32);
    const hash = hashSecret(token);
    this.#issued.set(hash, { resolve, endsMs: performance.now() + consoleLimits.actingLifeMs });
    return { token, end: () => this.#issued.delete(hash) };
  }

  /** Whose credential it is; undefined for one that was not issued here. */
  find(hash: string): Promise<Principal | undefined> | undefined {
    if (this.#issued.size === 0) return undefined;
    const issued = this.#issued.get(hash);
    return issued && issued.endsMs > performance.now() ? issued.resolve() : undefined;
  }
}
