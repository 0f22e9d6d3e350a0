import { BehaviorSubject } from 'rxjs/internal/BehaviorSubject';
import type { Observable } from 'rxjs/internal/Observable';
import { distinctUntilChanged } from 'rxjs/internal/operators/distinctUntilChanged';
import { filter } from 'rxjs/internal/operators/filter';
import type { Command } from '../../model/command.ts';
import type { Plan, PlanItem } from '../../model/rules/commands/plan/plan.ts';
import { type CommandId, compareSnowflakes } from '../../model/snowflake.ts';

/** The known commands of a scope. Its streams replay the latest value and never error. */
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

/** The progress of a deploy. */
export interface DeployProgress {
  /** How many of the `total` calls are done. */
  readonly done: number;
  readonly total: number;
  /** The command that is being written, or `all` for a bulk write. Absent when everything is done. */
  readonly current?: PlanItem | 'all' | undefined;
  /** How long the deploy waits for a rate limit. */
  readonly waitingMs?: number | undefined;
}

/**
 * How the registered commands compare with the definitions.
 *
 * - `idle`: no plan has been made yet
 * - `planning`: the registered commands are being read
 * - `applying`: a deploy is under way
 * - `inSync`: the last read found no difference
 * - `drifted`: the last read found differences; the plan has them
 * - `failed`: a plan or deploy failed; its caller got the same error
 */
export type SyncState =
  | { readonly state: 'idle' }
  | { readonly state: 'planning' }
  | { readonly state: 'applying'; readonly progress: DeployProgress }
  | { readonly state: 'inSync'; readonly commands: readonly Command[] }
  | { readonly state: 'drifted'; readonly plan: Plan }
  | { readonly state: 'failed'; readonly error: unknown };
