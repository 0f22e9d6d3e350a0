import type { PageWords } from '../words/words.ts';
import { type Content, Html, html, shownName } from './html.ts';
import { style } from './style.ts';

/** A page as it is sent. */
export interface Page {
  readonly status: number;
  readonly html: Html;
  /** Sources that answers to the page's forms may redirect to, besides the service itself. */
  readonly formActions: readonly string[];
  /** When the reader may try again; absent: any time. */
  readonly retryAfterSeconds?: number;
}

// The content security policy names the style sheet by its hash, so the element must contain nothing else, not even a space.
const styleElement = new Html(`<style>${style}</style>`);

type LayoutWords = Pick<PageWords, 'lang' | 'translationNote' | 'englishPage'>;

/** The document around the content of every page. */
export function layout(words: LayoutWords, title: Content, main: Content): Html {
  const { lang, translationNote, englishPage } = words;
  return html`<!doctype html>
<html lang="${lang}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
${styleElement}
</head>
<body>
<main>
${main}
</main>
${
  translationNote !== undefined &&
  html`<footer>${translationNote}${englishPage !== undefined && html` <a href="${englishPage}" lang="en" hreflang="en">English</a>`}</footer>`
}
</body>
</html>
`;
}

/** The first letter of a name in a circle or a square, shown next to the name. */
export function badge(name: string, shape: 'round' | 'large' = 'round'): Html {
  const letter = [...shownName(name)][0];
  return html`<span class="badge${shape === 'large' ? ' large' : ''}" aria-hidden="true">${letter}</span>`;
}

/** A sign for a result. */
export function mark(sign: '!' | '✓' | '✕'): Html {
  return html`<span class="badge large ${sign === '✓' ? 'done' : 'fault'}" aria-hidden="true">${sign}</span>`;
}

/** The hidden field that proves that a form comes from a page of this browser. */
export function formTokenField(formToken: string): Html {
  return html`<input type="hidden" name="form_token" value="${formToken}">`;
}

/** A waiting time in whole minutes, rounded up. */
export function minutesOf(seconds: number): number {
  return Math.max(1, Math.ceil(seconds / 60));
}
