import type { GuildRecord, UserRecord } from '../../store/records.ts';
import type { AuthorizationRequest } from '../authorization-request.ts';
import { formActionSource, isCustomSchemeRedirect } from '../redirect-uri.ts';
import { type Html, html } from './html.ts';
import { badge, layout, type Page } from './page.ts';
import { scopeWords } from './scope-words.ts';
import { person } from './sign-in-page.ts';

export interface ConsentView {
  readonly request: AuthorizationRequest;
  readonly user: UserRecord;
  /** Where the forms go, each with the request's query. */
  readonly decideAction: string;
  readonly signOutAction: string;
  readonly formToken: string;
  /** Guilds that can get the application; absent when the request does not ask for one. */
  readonly guilds?: readonly GuildRecord[];
}

/** Asks the user whether the application may have what it asks for. */
export function consentPage(view: ConsentView): Page {
  const { request, user, formToken } = view;
  const { name, description } = request.application;
  const heading = `Let ${name} use your account?`;
  const main = html`${badge(name, 'large')}
<h1>${heading}</h1>
${description !== '' && html`<p class="lead">${description}</p>`}
<form class="account" method="post" action="${view.signOutAction}">
<input type="hidden" name="form_token" value="${formToken}">
<div class="person">${person(user)}</div>
<button class="link">Not you?</button>
</form>
<form method="post" action="${view.decideAction}">
<input type="hidden" name="form_token" value="${formToken}">
<h2 id="scopes">${name} will be able to</h2>
<ul class="scopes" aria-labelledby="scopes">${request.scopes.map(scopeItem)}</ul>
${view.guilds && guildChoice(view.guilds, request.guildId)}
<div class="choices">
<button name="decision" value="deny">Cancel</button>
<button class="primary" name="decision" value="approve">Authorize</button>
</div>
</form>
<p class="note">${destination(request.redirectUri)}</p>`;
  return { status: 200, html: layout(heading, main), formActions: [formActionSource(request.redirectUri)] };
}

function scopeItem(scope: string): Html {
  const { text, includes } = scopeWords(scope);
  return html`<li>${text}${includes.length > 0 && html`<ul>${includes.map(one => html`<li>${one}</li>`)}</ul>`}</li>`;
}

function guildChoice(guilds: readonly GuildRecord[], preselected: string | null): Html {
  if (guilds.length === 0) return html`<p class="lead">You manage no server that it could be added to.</p>`;
  return html`<h2><label for="guild">Add it to a server</label></h2>
<select id="guild" name="guild_id"><option value="">None for now</option>${guilds.map(
    ({ id, name }) => html`<option value="${id}"${id === preselected && html` selected`}>${name}</option>`,
  )}</select>`;
}

function destination(redirectUri: string): Html {
  const { protocol, host } = new URL(redirectUri);
  return isCustomSchemeRedirect(redirectUri)
    ? html`Either way you go on to the program that opens <code>${protocol}</code>`
    : html`Either way you go on to <code>${host}</code>`;
}
