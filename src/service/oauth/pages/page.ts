import { type Content, Html, html } from './html.ts';
import { style } from './style.ts';

/** A page as it is sent. */
export interface Page {
  readonly status: number;
  readonly html: Html;
  /** Sources that the answers to the page's forms lead to, beside the service itself. */
  readonly formActions: readonly string[];
}

// The content policy names the style sheet by its hash: not a blank may stand around it.
const styleElement = new Html(`<style>${style}</style>`);

/** The frame around every page. */
export function layout(title: string, main: Content): Html {
  return html`<!doctype html>
<html lang="en">
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
