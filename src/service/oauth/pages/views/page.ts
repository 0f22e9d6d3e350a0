import type { PageWords } from '../words/words.ts';
import { type Content, Html, html } from './html.ts';
import { style } from './style.ts';

/** A page as it is sent. */
export interface Page {
  readonly status: number;
  readonly html: Html;
  /** Sources that the answers to the page's forms lead to, beside the service itself. */
  readonly formActions: readonly string[];
  /** When to come again; absent: any time. */
  readonly retryAfterSeconds?: number;
}

// The content policy names the style sheet by its hash: not a blank may stand around it.
const styleElement = new Html(`<style>${style}</style>`);

/** The frame around every page. */
export function layout({ lang }: Pick<PageWords, 'lang'>, title: Content, main: Content): Html {
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
</body>
</html>
`;
}

/** A round or square sign with the first letter of a name; the name itself stands beside it. */
export function badge(name: string, shape: 'round' | 'large' = 'round'): Html {
  const letter = [...name][0] ?? '?';
  return html`<span class="badge${shape === 'large' ? ' large' : ''}" aria-hidden="true">${letter}</span>`;
}

/** A sign for what came out of something. */
export function mark(sign: '!' | '✓' | '✕'): Html {
  return html`<span class="badge large ${sign === '✓' ? 'done' : 'fault'}" aria-hidden="true">${sign}</span>`;
}

/** What shows that a form comes from a page of this browser's. */
export function formTokenField(formToken: string): Html {
  return html`<input type="hidden" name="form_token" value="${formToken}">`;
}

/** How long to wait, as people say it: whole minutes, rounded up. */
export function minutesOf(seconds: number): number {
  return Math.max(1, Math.ceil(seconds / 60));
}
