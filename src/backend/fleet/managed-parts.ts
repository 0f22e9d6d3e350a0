import type { Turns } from '../../wire/turns.ts';
import type { Lease } from './lease.ts';
import type { Ownership } from './ownership.ts';
import type { Registry } from './registry.ts';
import type { Settler } from './settle.ts';

/** The parts that operations on many lobbies use. */
export interface ManagedParts {
  /** This server's name. */
  readonly server: string;
  readonly registry: Registry;
  readonly lease: Lease;
  readonly ownership: Ownership;
  readonly settler: Settler;
  readonly turns: Turns;
}
