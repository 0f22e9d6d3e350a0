import { BehaviorSubject } from 'rxjs/internal/BehaviorSubject';
import type { Observable } from 'rxjs/internal/Observable';
import { distinctUntilChanged } from 'rxjs/internal/operators/distinctUntilChanged';
import { filter } from 'rxjs/internal/operators/filter';
import type { Command } from '../../model/command.ts';
import { type CommandId, compareSnowflakes } from '../../model/snowflake.ts';
import type { Plan, PlanItem } from './plan.ts';

/** What is known of a scope's commands, live. Its streams replay the latest value and never error. */
export class CommandRegistry {
  /** The registered commands, oldest first, with whole dictionaries; from the first reading on. */
  readonly commands$: Observable<readonly Command[]>;
  readonly sync$: Observable<SyncState>;
  readonly #commands = new BehaviorSubject<readonly Command[] | undefined>(undefined);
  readonly #sync = new BehaviorSubject<SyncState>({ state: 'idle' });

  constructor() {
    this.commands$ = this.#commands.pipe(
      filter(commands => commands !== undefined),
      distinctUntilChanged(isSameList),
    );
    this.sync$ = this.#sync.asObservable();
  }

  /** The whole list was read. */
  learn(commands: readonly Command[]): void {
    this.#commands.next(commands.toSorted((a, b) => compareSnowflakes(a.id, b.id)));
  }

  /** One command was written. Until the list is known, one of its items says nothing. */
  put(command: Command): void {
    const others = this.#commands.value?.filter(({ id }) => id !== command.id);
    if (others) this.learn([...others, command]);
  }

  /** One command is gone. */
  remove(id: CommandId): void {
    const known = this.#commands.value;
    if (known) this.learn(known.filter(command => command.id !== id));
  }

  enter(state: SyncState): void {
    this.#sync.next(state);
  }

  /** Ends the streams. Idempotent. */
  close(): void {
    this.#commands.complete();
    this.#sync.complete();
  }
}

/** A command that changes has a new version. */
function isSameList(a: readonly Command[], b: readonly Command[]): boolean {
  return a.length === b.length && a.every(({ id, version }, i) => id === b[i]?.id && version === b[i]?.version);
}

/** How far a deploy is. */
export interface DeployProgress {
  /** Calls done, of all there are. */
  readonly done: number;
  readonly total: number;
  /** What is under way: a command, or `all` for the whole set at once. Absent once everything is done. */
  readonly current?: PlanItem | 'all' | undefined;
  /** A limit is used up; it frees in this time. */
  readonly waitingMs?: number | undefined;
}

/**
 * How what is registered stands to what is desired.
 *
 * - `idle`: nobody has asked yet
 * - `planning`: it is being read
 * - `applying`: a deploy is under way
 * - `inSync`: it was equal when it was last looked at
 * - `drifted`: it was not; the plan says where
 * - `failed`: a plan or deploy was given up; whoever called has been told the same
 */
export type SyncState =
  | { readonly state: 'idle' }
  | { readonly state: 'planning' }
  | { readonly state: 'applying'; readonly progress: DeployProgress }
  | { readonly state: 'inSync'; readonly commands: readonly Command[] }
  | { readonly state: 'drifted'; readonly plan: Plan }
  | { readonly state: 'failed'; readonly error: unknown };
