import { ArgumentError } from '../model/errors/errors.ts';
import type { Clock, Entropy, Logger } from '../wire/clock/ports.ts';

/** What the fleet entry point uses of a backend beside its calls. */
export interface BackendParts {
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly logger: Logger;
  readonly deadlineMs: number;
  /** Called when the backend is closed. */
  readonly closing: Set<() => Promise<void>>;
}

// A registered symbol, so that the fleet of one copy of this package accepts a backend of another (ESM and CommonJS).
export const partsKey = Symbol.for('@rallypoint/sdk/backend.parts');

/** @throws ArgumentError `foreign_backend` */
export function partsOf(backend: unknown): BackendParts {
  const { [partsKey]: parts } = Object(backend) as { readonly [partsKey]?: BackendParts };
  if (parts) return parts;
  throw new ArgumentError('foreign_backend', 'The backend must be an object that createBackend() returned.');
}
