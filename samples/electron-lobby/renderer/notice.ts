import type { Outcome, Problem } from '../shared/state.ts';
import { el, setChildren, setShown } from './dom.ts';
import { icon } from './icon.ts';

/** A place for what went wrong: read out when it appears, gone when it is over. */
export interface Notice {
  readonly element: HTMLElement;
  show(problem: Problem | undefined): void;
}

export function createNotice(): Notice {
  const element = el('div', { class: 'notice', role: 'alert', hidden: true });
  let shown: Problem | undefined;
  return {
    element,
    show(problem) {
      if (isSame(problem, shown)) return;
      shown = problem;
      setShown(element, problem !== undefined);
      setChildren(element, ...(problem ? [icon('warning'), words(problem)] : []));
    },
  };
}

function words({ message, remedy }: Problem): HTMLElement {
  return el('div', {}, el('strong', {}, message), remedy !== undefined && el('p', {}, remedy));
}

function isSame(a: Problem | undefined, b: Problem | undefined): boolean {
  return a?.code === b?.code && a?.message === b?.message;
}

/**
 * Lets a form do its work: once at a time, without leaving the page, and with what went wrong shown in its notice.
 *
 * @param work undefined when there is nothing to do
 * @param onDone after it went well
 */
export function submits(
  form: HTMLFormElement,
  notice: Notice,
  work: () => Promise<Outcome | undefined> | undefined,
  onDone: () => void = () => {},
): void {
  form.addEventListener('submit', async event => {
    event.preventDefault();
    if (form.ariaBusy === 'true') return;
    form.ariaBusy = 'true';
    notice.show(undefined);
    try {
      const outcome = await work();
      if (outcome?.ok) onDone();
      else notice.show(outcome?.problem);
    } catch {
      notice.show({ code: 'internal_error', message: 'The game does not answer.', remedy: 'Start the game again.' });
    } finally {
      form.ariaBusy = null;
    }
  });
}
