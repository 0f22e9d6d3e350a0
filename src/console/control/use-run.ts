import { useState } from 'preact/hooks';
import type { Issue } from '../../model/errors/issue.ts';
import { ControlError, messageOf } from './errors.ts';

/** What is wrong with something that was asked for. */
export interface Failure {
  readonly message: string;
  readonly issues: readonly Pick<Issue, 'path' | 'message'>[];
}

/** Something under way that may fail: at most one at a time. */
export interface Running {
  readonly isBusy: boolean;
  /** Of the last try. */
  readonly failure: Failure | undefined;
  /** @returns what `work` returns; undefined when it failed, or when something was under way already */
  run<T>(work: () => Promise<T>): Promise<T | undefined>;
  /** Shows a failure that was found without asking the service; undefined removes the last one. */
  fail(failure: Failure | undefined): void;
}

export function useRun(): Running {
  const [state, setState] = useState<{ readonly isBusy: boolean; readonly failure?: Failure }>({ isBusy: false });
  return {
    isBusy: state.isBusy,
    failure: state.failure,
    async run(work) {
      if (state.isBusy) return undefined;
      setState({ isBusy: true });
      try {
        const done = await work();
        setState({ isBusy: false });
        return done;
      } catch (error) {
        setState({ isBusy: false, failure: failureOf(error) });
        return undefined;
      }
    },
    fail: failure => setState({ isBusy: false, ...(failure && { failure }) }),
  };
}

export function failureOf(error: unknown): Failure {
  if (!(error instanceof ControlError)) return { message: messageOf(error), issues: [] };
  const issues = error.issues.map(({ path, message }) => ({ path: path.map(String), message }));
  // The rest of the message lists the issues.
  const [message = error.message] = issues.length > 0 ? error.message.split('\n') : [];
  return { message, issues };
}

/** What is wrong at exactly this place, or below it; undefined when nothing is. */
export function issueAt(failure: Failure | undefined, ...path: readonly string[]): string | undefined {
  const found = failure?.issues.filter(issue => path.every((step, at) => issue.path[at] === step)) ?? [];
  if (found.length === 0) return undefined;
  return found
    .map(issue => {
      const below = issue.path.slice(path.length).join('.');
      return below === '' ? issue.message : `${below}: ${issue.message}`;
    })
    .join(' ');
}
