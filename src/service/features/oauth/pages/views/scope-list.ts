import type { PageWords } from '../words/words.ts';
import { type Content, type Html, html } from './html.ts';
import { type ScopeItem, summarizeScopes, withheldScopes } from './scopes.ts';

/** Lists what an application will be able to do, what it will not, and what it requests without effect. */
export function scopeLists(words: PageWords, name: Content, scopes: readonly string[]): Html {
  const { able, notAble, never, noEffect } = words.consent;
  const { items, withoutEffect } = summarizeScopes(scopes);
  const codes = withoutEffect.map((scope, index) => html`${index > 0 && ', '}<code>${scope}</code>`);
  return html`${
    items.length > 0 &&
    html`<h2 id="able">${able(name)}</h2>
<ul class="scopes" aria-labelledby="able">${items.map(item => scopeItem(words, item))}</ul>`
  }
<h2 id="not-able">${notAble(name)}</h2>
<ul class="scopes not" aria-labelledby="not-able"><li>${never}</li>${withheldScopes(scopes).map(
    scope => html`<li>${words.scopes[scope]}</li>`,
  )}</ul>
${codes.length > 0 && html`<p class="small">${noEffect(name, codes)}</p>`}`;
}

function scopeItem({ scopes, topics }: PageWords, { scope, parts }: ScopeItem): Html {
  const groups = parts.map(
    ({ topic, scopes: inside }) =>
      html`<div><dt>${topics[topic]}</dt>${inside.map(one => html`<dd>${scopes[one]}</dd>`)}</div>`,
  );
  return html`<li>${scopes[scope]}${groups.length > 0 && html`<dl>${groups}</dl>`}</li>`;
}
