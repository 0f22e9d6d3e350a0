import { isScope } from '../../../../model/oauth.ts';
import type { PageWords } from '../words/words.ts';
import { type Html, html } from './html.ts';
import { type ScopeItem, scopeItems, withheldScopes } from './scope-topics.ts';

/** What an application will be able to do, umbrella scopes with all they stand for, and what not. */
export function scopeLists(words: PageWords, name: string, scopes: readonly string[]): Html {
  const { able, notAble, never } = words.consent;
  return html`<h2 id="able">${able(name)}</h2>
<ul class="scopes" aria-labelledby="able">${scopeItems(scopes).map(item => scopeItem(words, item))}</ul>
<h2 id="not-able">${notAble(name)}</h2>
<ul class="scopes not" aria-labelledby="not-able"><li>${never}</li>${withheldScopes(scopes).map(
    scope => html`<li>${words.scopes[scope]}</li>`,
  )}</ul>`;
}

function scopeItem({ scopes, topics }: PageWords, { scope, parts }: ScopeItem): Html {
  const groups = parts.map(
    ({ topic, scopes: inside }) =>
      html`<div><dt>${topics[topic]}</dt>${inside.map(one => html`<dd>${scopes[one]}</dd>`)}</div>`,
  );
  return html`<li>${isScope(scope) ? scopes[scope] : scope}${groups.length > 0 && html`<dl>${groups}</dl>`}</li>`;
}
