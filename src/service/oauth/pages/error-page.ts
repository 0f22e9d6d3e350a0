import { html } from './html.ts';
import { layout, type Page } from './page.ts';

/** What went wrong, what to do about it, and where to begin again. */
export interface ErrorText {
  readonly status: number;
  readonly heading: string;
  readonly message: string;
  readonly advice: string;
  /** An address of our own. */
  readonly startAgain?: string;
}

export function errorPage({ status, heading, message, advice, startAgain }: ErrorText): Page {
  const main = html`<span class="badge large fault" aria-hidden="true">!</span>
<h1>${heading}</h1>
<p class="lead fault" role="alert">${message}</p>
<p class="lead">${advice}</p>
${startAgain !== undefined && html`<p class="lead"><a href="${startAgain}">Start again</a></p>`}`;
  return { status, html: layout(heading, main), formActions: [] };
}
