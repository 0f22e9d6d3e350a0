import type { PageWords } from '../words/words.ts';
import { html } from './html.ts';
import { layout, mark, type Page } from './page.ts';

/** The end of the way for those who installed an application that expects no answer, or refused to. */
export function authorizedPage(words: PageWords, isAdded: boolean): Page {
  const { heading, lead } = isAdded ? words.consent.added : words.consent.notAdded;
  const main = html`${mark(isAdded ? '✓' : '✕')}
<h1>${heading}</h1>
<p class="lead" role="status">${lead}</p>`;
  return { status: 200, html: layout(words, heading, main), formActions: [] };
}
