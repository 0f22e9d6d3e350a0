import { RallypointError } from '../../model/errors/errors.ts';
import { fromPlain, toPlain } from './error-fields.ts';

/**
 * Differences between two snapshots, as plain JSON values. Snapshots share what did not change, so that finding the
 * difference costs little: whatever is `===` on both sides is not looked into.
 *
 * An absent field and one that is `undefined` are the same here, as they are in JSON.
 */
export type Patch =
  /** The whole value, in place of what was there. */
  | readonly [kind: 0, value?: unknown]
  /** Fields of an object that changed, and the names of those that are gone. */
  | readonly [kind: 1, changed: Readonly<Record<string, Patch>>, gone?: readonly string[]]
  /** Steps through a list; what is behind the last step stays. */
  | readonly [kind: 2, ...steps: readonly ListStep[]];

/** Keeps as many entries (above 0), drops as many (below 0), inserts entries, or changes the next one. */
export type ListStep = number | readonly [insert: 0, ...entries: readonly unknown[]] | readonly [change: 1, Patch];

/** What makes `after` of `before`; undefined when they are the same. */
export function diff(before: unknown, after: unknown): Patch | undefined {
  if (Object.is(before, after)) return undefined;
  if (Array.isArray(before) && Array.isArray(after)) return diffLists(before, after);
  if (isObject(before) && isObject(after)) return diffObjects(before, after);
  return wholeValue(after);
}

/** The patch that makes the value of anything. */
export function wholeValue(value: unknown): Patch {
  return value === undefined ? [0] : [0, toPlain(value)];
}

/**
 * The value that a patch makes of another one: frozen, and sharing with it what did not change.
 *
 * @throws TypeError when the patch does not fit the value
 */
export function applyPatch(before: unknown, patch: Patch): unknown {
  switch (patch[0]) {
    case 0:
      return fromPlain(patch[1]);
    case 1:
      return patchObject(before, patch[1], patch[2]);
    default:
      return patchList(before, patch.slice(1) as ListStep[]);
  }
}

type Fields = Readonly<Record<string, unknown>>;

function diffObjects(before: Fields, after: Fields): Patch | undefined {
  const changed: Record<string, Patch> = {};
  let hasChanged = false;
  for (const name of Object.keys(after)) {
    const value = after[name];
    if (value === undefined) continue;
    const known = Object.hasOwn(before, name) ? before[name] : undefined;
    const patch = diff(known, value);
    if (!patch) continue;
    // Assigning `__proto__` would set the prototype.
    Object.defineProperty(changed, name, { value: patch, enumerable: true });
    hasChanged = true;
  }
  const gone = Object.keys(before).filter(
    name => before[name] !== undefined && (!Object.hasOwn(after, name) || after[name] === undefined),
  );
  if (gone.length > 0) return [1, changed, gone];
  return hasChanged ? [1, changed] : undefined;
}

function patchObject(before: unknown, changed: Readonly<Record<string, Patch>>, gone: readonly string[] = []): object {
  if (!isObject(before)) throw new TypeError('A patch of an object was made for something else.');
  const fields = new Map(Object.entries(before));
  for (const name of gone) fields.delete(name);
  for (const [name, patch] of Object.entries(changed)) fields.set(name, applyPatch(fields.get(name), patch));
  // Object.fromEntries defines its fields, so that one named `__proto__` is a field like any other.
  return Object.freeze(Object.fromEntries(fields));
}

function diffLists(before: readonly unknown[], after: readonly unknown[]): Patch | undefined {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && Object.is(before[start], after[start])) start++;
  let end = 0;
  while (end < shorter - start && Object.is(before[before.length - 1 - end], after[after.length - 1 - end])) end++;
  if (start === before.length && start === after.length) return undefined;
  const steps = diffEntries(before.slice(start, before.length - end), after.slice(start, after.length - end));
  if (steps.length === 0) return undefined;
  return start > 0 ? [2, start, ...steps] : [2, ...steps];
}

/** Lists of snapshots, which are known by their ids and rarely change places. */
function diffEntries(before: readonly unknown[], after: readonly unknown[]): readonly ListStep[] {
  const steps = new Steps();
  const known = new Set(before.map(identityOf));
  const wanted = new Set(after.map(identityOf));
  let at = 0;
  for (const entry of after) {
    // Those before it in the old list that are gone.
    while (at < before.length && !Object.is(before[at], entry) && !wanted.has(identityOf(before[at]))) {
      steps.drop();
      at++;
    }
    const old = before[at];
    if (at < before.length && identityOf(old) === identityOf(entry)) {
      const patch = diff(old, entry);
      if (patch) steps.change(patch);
      else steps.keep();
      at++;
    } else if (!known.has(identityOf(entry))) {
      steps.insert(toPlain(entry));
    } else {
      // Entries have changed places.
      return [-before.length, [0, ...after.map(toPlain)]];
    }
  }
  for (; at < before.length; at++) steps.drop();
  return steps.made;
}

/** Collects steps, joining equal ones that follow each other. */
class Steps {
  readonly made: ListStep[] = [];
  #kept = 0;

  keep(): void {
    this.#kept++;
  }

  drop(): void {
    this.#flush();
    const last = this.made.at(-1);
    if (typeof last === 'number' && last < 0) this.made[this.made.length - 1] = last - 1;
    else this.made.push(-1);
  }

  insert(entry: unknown): void {
    this.#flush();
    const last = this.made.at(-1);
    if (Array.isArray(last) && last[0] === 0) last.push(entry);
    else this.made.push([0, entry]);
  }

  change(patch: Patch): void {
    this.#flush();
    this.made.push([1, patch]);
  }

  #flush(): void {
    if (this.#kept > 0) this.made.push(this.#kept);
    this.#kept = 0;
  }
}

function patchList(before: unknown, steps: readonly ListStep[]): readonly unknown[] {
  if (!Array.isArray(before)) throw new TypeError('A patch of a list was made for something else.');
  const made: unknown[] = [];
  let at = 0;
  for (const step of steps) {
    if (typeof step === 'number') {
      if (step > 0) for (let end = at + step; at < end; at++) made.push(before[at]);
      else at -= step;
    } else if (step[0] === 0) {
      for (const entry of step.slice(1)) made.push(fromPlain(entry));
    } else {
      made.push(applyPatch(before[at++], step[1]));
    }
    if (at > before.length) throw new TypeError('A patch of a list was made for a longer one.');
  }
  for (; at < before.length; at++) made.push(before[at]);
  return Object.freeze(made);
}

/** What an entry of a list is known by: its id, or for plain values the value. What has no id goes by its place. */
function identityOf(entry: unknown): unknown {
  if (typeof entry !== 'object' || entry === null) return entry;
  const { id } = entry as Fields;
  return typeof id === 'string' || typeof id === 'number' ? id : anonymous;
}

const anonymous = Symbol('an entry without an id');

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof RallypointError);
}
