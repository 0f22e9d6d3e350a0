import { steadyNow, systemClock } from '../../../wire/clock/ports.ts';
import type { Announced } from '../../events/announcement.ts';
import type { KeyPart, ListQuery, StoreView } from '../contract.ts';
import { recordName } from '../keys.ts';
import { Overlay } from '../overlay.ts';
import type { CollectionName, Records } from '../records.ts';
import { UnitOfWork } from '../unit-of-work.ts';
import type { Component, Job } from './turns.ts';

/** What the jobs of a component did, one time. */
export interface Attempt {
  /** The revision of each scope and guard that the jobs relied on. */
  readonly expected: Revisions;
  /** The revisions once this is committed. */
  readonly next: Revisions;
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

/** Revisions by key. */
export type Revisions = ReadonlyMap<string, number>;

/**
 * Runs the jobs that are not answered yet, each on the result of the one before. The first begins while the revisions are still being
 * read: its own reads are executed after that, so they find what the revisions stand for, or something newer.
 *
 * @param reading the revisions of all keys
 */
export async function attempt(
  { jobs }: Component,
  reading: Revisions | Promise<Revisions>,
  view: StoreView,
): Promise<Attempt> {
  let expected = reading instanceof Promise ? undefined : reading;
  let isTooEarly = false;
  const changes = new Overlay(new ReadOnce(view, reading), JSON.stringify);
  const next = new Map<string, number>();
  const announced: Announced[] = [];
  const answers: (() => void)[] = [];
  const touched = new Set<string>();

  const revisionAfter = (scope: string) => {
    if (expected) return (next.get(scope) ?? expected.get(scope) ?? 0) + 1;
    isTooEarly = true;
    throw new Error('The revision of the scope is still being read.');
  };
  const run = async (job: Job) => {
    const unit = new UnitOfWork(changes, job.scope, () => revisionAfter(job.scope));
    try {
      const worked = job.work(unit);
      const value = worked instanceof Promise ? await worked : worked;
      return { unit, hasFailed: false, answer: () => job.resolve(value) };
    } catch (error) {
      return { unit, hasFailed: true, answer: () => job.reject(error) };
    }
  };

  const open = jobs.filter(job => !job.isSettled);
  for (const job of open) {
    let ran = await run(job);
    expected ??= await reading;
    if (isTooEarly) {
      ran.unit.abandon();
      isTooEarly = false;
      ran = await run(job);
    }
    const { unit, hasFailed, answer } = ran;
    answers.push(answer);
    if (hasFailed) unit.abandon();
    else if (unit.isEmpty) unit.finish();
    else {
      const revision = unit.revision;
      for (const event of unit.finish()) announced.push(event);
      next.set(job.scope, revision);
      for (const key of job.keys) touched.add(key);
    }
  }
  expected ??= await reading;
  // A guard rises as well: what two transactions of different scopes rely on, at two nodes, must not be done by both.
  for (const [key, revision] of expected) {
    if (!next.has(key)) next.set(key, touched.has(key) ? revision + 1 : revision);
  }
  const deadlines = open.map(job => job.deadlineMs);
  return {
    ...{ expected, next, changes, announced, isEmpty: touched.size === 0, size: open.length },
    ...{ deadlineMs: Math.min(...deadlines), lastDeadlineMs: Math.max(...deadlines) },
    settle: () => {
      for (const answer of answers) answer();
    },
  };
}

export function isLate({ deadlineMs }: Pick<Attempt, 'deadlineMs'>): boolean {
  return deadlineMs <= steadyNow(systemClock);
}

/** Reads each record once: the jobs of a component read the same ones, and conflicts are found at the commit. */
class ReadOnce implements StoreView {
  readonly #view: StoreView;
  readonly #before: unknown;
  readonly #read = new Map<string, unknown>();

  /** @param before what must have been read before a list; single records are read after it anyway */
  constructor(view: StoreView, before: unknown) {
    this.#view = view;
    this.#before = before;
  }

  get<Name extends CollectionName>(collection: Name, ...key: readonly KeyPart[]): Promise<Records[Name] | undefined> {
    const name = recordName(collection, key);
    let read = this.#read.get(name) as Promise<Records[Name] | undefined> | undefined;
    if (!read) {
      read = this.#view.get(collection, ...key) as Promise<Records[Name] | undefined>;
      this.#read.set(name, read);
    }
    return read;
  }

  async list<Name extends CollectionName>(collection: Name, query?: ListQuery<Name>) {
    await this.#before;
    return this.#view.list(collection, query);
  }
}
