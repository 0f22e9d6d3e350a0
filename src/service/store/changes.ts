import type { KeyPart } from './contract.ts';
import { fieldOf } from './keys.ts';

/** What a work does to one record. */
export interface Change {
  readonly key: readonly KeyPart[];
  /** The record as it will be; absent when it is deleted. */
  readonly kept?: {
    readonly record: object;
    /** The record as JSON. */
    readonly body: string;
  };
}

/**
 * The changes to one collection, the last one of each key. They are found by key, and by the value of one field
 * without going through them all: a shared batch may hold thousands while a list asks for the few of one lobby.
 */
export class Changes {
  readonly #byKey = new Map<string, Change>();
  /** Field → value → changes that put a record with that value; a field is added when it is first asked for. */
  #byField: Map<string, Map<unknown, Set<Change>>> | undefined;

  get(keyText: string): Change | undefined {
    return this.#byKey.get(keyText);
  }

  has(keyText: string): boolean {
    return this.#byKey.has(keyText);
  }

  get isEmpty(): boolean {
    return this.#byKey.size === 0;
  }

  /** @returns the change of the same key that it replaces */
  set(keyText: string, change: Change): Change | undefined {
    const replaced = this.#byKey.get(keyText);
    this.#byKey.set(keyText, change);
    this.#regroup(replaced, change);
    return replaced;
  }

  /** Puts back what {@link set} replaced. */
  restore(keyText: string, before: Change | undefined): void {
    const taken = this.#byKey.get(keyText);
    if (before) this.#byKey.set(keyText, before);
    else this.#byKey.delete(keyText);
    this.#regroup(taken, before);
  }

  entries(): IterableIterator<[keyText: string, change: Change]> {
    return this.#byKey.entries();
  }

  /** Changes that put a record whose `field` is `value`. */
  with(field: string, value: KeyPart): Iterable<Change> {
    return this.#groupsOf(field).get(value) ?? [];
  }

  all(): Iterable<Change> {
    return this.#byKey.values();
  }

  #regroup(out: Change | undefined, into: Change | undefined): void {
    if (!this.#byField) return;
    for (const [field, groups] of this.#byField) {
      if (out?.kept) groups.get(fieldOf(out.kept.record, field))?.delete(out);
      if (into) addTo(groups, field, into);
    }
  }

  #groupsOf(field: string): Map<unknown, Set<Change>> {
    this.#byField ??= new Map();
    let groups = this.#byField.get(field);
    if (!groups) {
      groups = new Map();
      this.#byField.set(field, groups);
      for (const change of this.#byKey.values()) addTo(groups, field, change);
    }
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
