import { setImmediate } from 'node:timers';
import { systemClock } from '../../wire/clock/ports.ts';
import type { Topic } from '../events/announcement.ts';
import { textArray } from '../store/postgres/arrays.ts';
import { ConnectionLost, failedError } from '../store/postgres/failure.ts';
import type { Postgres } from '../store/postgres/postgres.ts';
import { storeLimits } from '../support/service-limits.ts';

/** Bounds of one statement. */
const changesPerStatement = 200;
const topicsPerStatement = 5000;

interface Change {
  readonly who: Topic;
  readonly session: string;
  readonly isEntering: boolean;
  resolve(count: number | undefined): void;
  reject(error: unknown): void;
}

interface LookUp {
  readonly who: Topic;
  resolve(sessions: number): void;
  reject(error: unknown): void;
}

/**
 * Which sessions are present, on all nodes: rows of `connections`. What is asked or changed in one turn of the event loop shares a
 * statement.
 */
export class Connections {
  readonly #postgres: Postgres;
  readonly #node: string;
  #lookUps: LookUp[] = [];
  #changes: Change[] = [];
  #changing: Promise<void> | undefined;

  constructor(postgres: Postgres, node: string) {
    this.#postgres = postgres;
    this.#node = node;
  }

  /** Registers a session at this node. @returns how many are present for `who` then */
  async enter(who: Topic, session: string): Promise<number> {
    return (await this.#change(who, session, true)) ?? 0;
  }

  /** Removes it, unless it is registered at another node or not at all (undefined). @returns how many are left */
  leave(who: Topic, session: string): Promise<number | undefined> {
    return this.#change(who, session, false);
  }

  present(who: Topic): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#lookUps.push({ who, resolve, reject });
      if (this.#lookUps.length === 1) setImmediate(() => this.#lookUp());
    });
  }

  #lookUp(): void {
    const asked = this.#lookUps;
    this.#lookUps = [];
    for (let at = 0; at < asked.length; at += topicsPerStatement) {
      void this.#count(asked.slice(at, at + topicsPerStatement));
    }
  }

  async #count(asked: readonly LookUp[]): Promise<void> {
    const text =
      'SELECT topic, count(*) AS sessions FROM rallypoint.connections WHERE topic = ANY ($1::text[]) GROUP BY topic';
    try {
      const whose = textArray([...new Set(asked.map(({ who }) => who))]);
      const rows = await this.#postgres.query(text, [whose], { name: 'count-connections' });
      const counts = new Map(rows.map(({ topic, sessions }) => [topic, Number(sessions)]));
      for (const { who, resolve } of asked) resolve(counts.get(who) ?? 0);
    } catch (error) {
      for (const { reject } of asked) reject(error);
    }
  }

  #change(who: Topic, session: string, isEntering: boolean): Promise<number | undefined> {
    return new Promise((resolve, reject) => {
      this.#changes.push({ who, session, isEntering, resolve, reject });
      this.#changing ??= this.#makeChanges();
    });
  }

  async #makeChanges(): Promise<void> {
    await new Promise(resolve => setImmediate(resolve));
    while (this.#changes.length > 0) {
      const changes = this.#changes.splice(0, changesPerStatement);
      try {
        const counts = await this.#send(changes);
        for (const [at, { resolve }] of changes.entries()) resolve(counts[at]);
      } catch (error) {
        for (const { reject } of changes) reject(error);
      }
    }
    this.#changing = undefined;
  }

  async #send(changes: readonly Change[]): Promise<readonly (number | undefined)[]> {
    const statement = {
      name: 'change-presence',
      text: 'SELECT rallypoint.change_presence($1, $2, $3, $4) AS counts',
      values: [
        this.#node,
        changes.map(({ who }) => who),
        changes.map(({ session }) => session),
        changes.map(({ isEntering }) => isEntering),
      ],
    };
    const deadlineMs = (systemClock.steady?.() ?? 0) + storeLimits.readMs;
    for (let isRepeated = false; ; isRepeated = true) {
      try {
        const [row] = await this.#postgres.once(statement, deadlineMs);
        return ((row?.counts ?? []) as readonly (number | null)[]).map(count => {
          if (count === null) return undefined;
          // A session that is gone was removed by the first attempt, whose answer was lost.
          return count >= 0 ? count : isRepeated ? -1 - count : undefined;
        });
      } catch (error) {
        const isLate = (systemClock.steady?.() ?? 0) >= deadlineMs;
        if (!(error instanceof ConnectionLost) || isLate) throw failedError(this.#postgres.location, error);
      }
    }
  }
}
