import type { PageWords } from '../words/words.ts';
import { html } from './html.ts';
import { layout, mark, type Page } from './page.ts';

/** What went wrong, what to do about it, and where to start again. */
export interface ErrorText {
  readonly status: number;
  readonly heading: string;
  readonly message: string;
  readonly advice: string;
  readonly retryAfterSeconds?: number;
  /** A path of this service. */
  readonly startAgain?: string;
}

export function errorPage(words: PageWords, text: ErrorText): Page {
  const { status, heading, message, advice, startAgain, retryAfterSeconds } = text;
  const main = html`${mark('!')}
<h1>${heading}</h1>
<p class="lead fault" role="alert">${message}</p>
<p class="lead">${advice}</p>
${startAgain !== undefined && html`<p class="lead"><a href="${startAgain}">${words.errors.startAgain}</a></p>`}`;
  return {
    status,
    html: layout(words, heading, main),
    formActions: [],
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  };
}
