import { steadyNow, systemClock } from '../../../wire/clock/ports.ts';
import type { Announced } from '../../events/announcement.ts';
import type { KeyPart, ListQuery, StoreView } from '../contract.ts';
import { keyText } from '../keys.ts';
import { Overlay } from '../overlay.ts';
import type { CollectionName, Records } from '../records.ts';
import { UnitOfWork } from '../unit-of-work.ts';
import type { Component } from './turns.ts';

/** What the jobs of a component did, one time. */
export interface Attempt {
  /** The revision of each scope and guard that the jobs relied on. */
  readonly expected: ReadonlyMap<string, number>;
  /** The revisions once this is committed. */
  readonly next: ReadonlyMap<string, number>;
  readonly changes: Overlay;
  readonly announced: readonly Announced[];
  /** Whether there is nothing to commit. */
  readonly isEmpty: boolean;
  /** By when it must be committed, on the steady clock. */
  readonly deadlineMs: number;
  /** By when the last of its jobs must be answered. */
  readonly lastDeadlineMs: number;
  /** Answers the jobs. */
  settle(): void;
  /** How many jobs it ran. */
  readonly size: number;
}

/**
 * Runs the jobs that are not answered yet, each on the result of the one before.
 *
 * @param expected the revisions of all keys, read before
 */
export async function attempt(
  { jobs }: Component,
  expected: ReadonlyMap<string, number>,
  view: StoreView,
): Promise<Attempt> {
  const changes = new Overlay(new ReadOnce(view), JSON.stringify);
  const next = new Map(expected);
  const announced: Announced[] = [];
  const answers: (() => void)[] = [];
  const touched = new Set<string>();
  let deadlineMs = Number.POSITIVE_INFINITY;
  let lastDeadlineMs = 0;
  for (const job of jobs) {
    if (job.isSettled) continue;
    deadlineMs = Math.min(deadlineMs, job.deadlineMs);
    lastDeadlineMs = Math.max(lastDeadlineMs, job.deadlineMs);
    const revision = (next.get(job.scope) ?? 0) + 1;
    const unit = new UnitOfWork(changes, job.scope, revision);
    try {
      const worked = job.work(unit);
      const value = worked instanceof Promise ? await worked : worked;
      if (!unit.isEmpty) {
        for (const key of job.keys) touched.add(key);
        next.set(job.scope, revision);
      }
      for (const event of unit.finish()) announced.push(event);
      answers.push(() => job.resolve(value));
    } catch (error) {
      unit.abandon();
      answers.push(() => job.reject(error));
    }
  }
  // A guard rises as well: what two transactions of different scopes rely on, at two nodes, must not be done by both.
  for (const key of touched) {
    const revision = expected.get(key) ?? 0;
    if (next.get(key) === revision) next.set(key, revision + 1);
  }
  const settle = () => {
    for (const answer of answers) answer();
  };
  const isEmpty = touched.size === 0;
  return { expected, next, changes, announced, isEmpty, deadlineMs, lastDeadlineMs, settle, size: answers.length };
}

export function isLate({ deadlineMs }: Pick<Attempt, 'deadlineMs'>): boolean {
  return deadlineMs <= steadyNow(systemClock);
}

/** Reads each record once: the jobs of a component read the same ones, and conflicts are found at the commit. */
class ReadOnce implements StoreView {
  readonly #view: StoreView;
  readonly #read = new Map<string, unknown>();

  constructor(view: StoreView) {
    this.#view = view;
  }

  get<Name extends CollectionName>(collection: Name, ...key: readonly KeyPart[]): Promise<Records[Name] | undefined> {
    const name = `${collection}\0${keyText(key)}`;
    let read = this.#read.get(name) as Promise<Records[Name] | undefined> | undefined;
    if (!read) {
      read = this.#view.get(collection, ...key) as Promise<Records[Name] | undefined>;
      this.#read.set(name, read);
    }
    return read;
  }

  list<Name extends CollectionName>(collection: Name, query?: ListQuery<Name>) {
    return this.#view.list(collection, query);
  }
}
