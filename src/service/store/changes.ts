import type { KeyPart } from './contract.ts';
import { fieldOf, keyText } from './keys.ts';

/** What a work does to one record. */
export interface Change {
  readonly key: readonly KeyPart[];
  /** The record as it will be; absent when it is deleted. */
  readonly kept?: {
    readonly record: object;
    /** The record as the engine writes it down. */
    readonly body: string;
  };
}

/**
 * The changes to one collection, in the order they were made. They are found by key, and by the value of one field,
 * without going through them all: a shared batch may hold thousands while a list asks for the few of one lobby. Both
 * ways are laid out when first asked for: who only adds, and that is most, pays for neither.
 */
export class Changes {
  #made: Change[] = [];
  #saved = 0;
  /** The last change of each key. */
  #byKey: Map<string, Change> | undefined;
  /** Field → value → changes that put a record with that value; a field is added when it is first asked for. */
  #byField: Map<string, Map<unknown, Set<Change>>> | undefined;

  get(key: string): Change | undefined {
    return this.#keyed().get(key);
  }

  get isEmpty(): boolean {
    return this.#made.length === 0;
  }

  add(change: Change): void {
    this.#made.push(change);
    if (this.#byKey) this.#key(this.#byKey, change);
  }

  /** What was added until now stays. */
  savepoint(): void {
    this.#saved = this.#made.length;
  }

  /** Forgets what was added since the last savepoint. */
  rollBack(): void {
    if (this.#made.length === this.#saved) return;
    this.#made = this.#made.slice(0, this.#saved);
    this.#byKey = undefined;
    this.#byField = undefined;
  }

  /** Every change, in the order they were made; of several to one record the last counts. */
  inOrder(): readonly Change[] {
    return this.#made;
  }

  /** The last change of each record. */
  all(): Iterable<Change> {
    return this.#keyed().values();
  }

  /** Changes that put a record whose `field` is `value`. */
  with(field: string, value: KeyPart): Iterable<Change> {
    return this.#groupsOf(field).get(value) ?? [];
  }

  #keyed(): ReadonlyMap<string, Change> {
    if (this.#byKey) return this.#byKey;
    const byKey = new Map<string, Change>();
    for (const change of this.#made) this.#key(byKey, change);
    this.#byKey = byKey;
    return byKey;
  }

  #key(byKey: Map<string, Change>, change: Change): void {
    const key = keyText(change.key);
    if (this.#byField) this.#regroup(this.#byField, byKey.get(key), change);
    byKey.set(key, change);
  }

  #regroup(byField: ReadonlyMap<string, Map<unknown, Set<Change>>>, out: Change | undefined, into: Change): void {
    for (const [field, groups] of byField) {
      if (out?.kept) groups.get(fieldOf(out.kept.record, field))?.delete(out);
      addTo(groups, field, into);
    }
  }

  #groupsOf(field: string): ReadonlyMap<unknown, Set<Change>> {
    const known = this.#byField?.get(field);
    if (known) return known;
    const groups = new Map<unknown, Set<Change>>();
    for (const change of this.#keyed().values()) addTo(groups, field, change);
    this.#byField ??= new Map();
    this.#byField.set(field, groups);
    return groups;
  }
}

function addTo(groups: Map<unknown, Set<Change>>, field: string, change: Change): void {
  if (!change.kept) return;
  const value = fieldOf(change.kept.record, field);
  const group = groups.get(value);
  if (group) group.add(change);
  else groups.set(value, new Set([change]));
}
