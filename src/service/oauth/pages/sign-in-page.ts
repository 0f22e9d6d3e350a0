import type { UserRecord } from '../../store/records.ts';
import type { AuthorizationRequest } from '../authorization-request.ts';
import { formActionSource } from '../redirect-uri.ts';
import { type Html, html } from './html.ts';
import { badge, layout, type Page } from './page.ts';

export interface SignInView {
  readonly request: AuthorizationRequest;
  /** Where the form goes, with the request's query. */
  readonly action: string;
  readonly formToken: string;
  /** Those to choose from. */
  readonly users: readonly UserRecord[];
  /** There are more than `users`: any can be named by id. */
  readonly more: boolean;
}

/** Developer sign-in: the person says which of the users they are. */
export function signInPage({ request, action, formToken, users, more }: SignInView): Page {
  const heading = 'Choose who you are';
  const main = html`${badge(request.application.name, 'large')}
<h1>${heading}</h1>
<p class="lead">to go on to <strong>${request.application.name}</strong></p>
<form method="post" action="${action}">
<input type="hidden" name="form_token" value="${formToken}">
${users.length > 0 ? html`<ul class="people">${users.map(personChoice)}</ul>` : nobody}
</form>
${
  more &&
  html`<form method="post" action="${action}">
<input type="hidden" name="form_token" value="${formToken}">
<h2><label for="user">Somebody else</label></h2>
<div class="row"><input id="user" name="user_id" inputmode="numeric" pattern="[0-9]+" required placeholder="User id">
<button>Sign in</button></div>
</form>`
}
<p class="note">Developer sign-in: these are test users without passwords.</p>`;
  return { status: 200, html: layout(heading, main), formActions: [formActionSource(request.redirectUri)] };
}

const nobody = html`<p class="lead">There are no users yet. Add one to the service's fixtures and load this page again.</p>`;

function personChoice(user: UserRecord): Html {
  return html`<li><button class="person" name="user_id" value="${user.id}">${person(user)}</button></li>`;
}

/** A user's sign, shown name and unique name. */
export function person({ username, global_name }: UserRecord): Html {
  const name = global_name ?? username;
  return html`${badge(name)}<span><strong>${name}</strong> <small>@${username}</small></span>`;
}
