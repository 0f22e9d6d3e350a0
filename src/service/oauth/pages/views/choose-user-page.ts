import type { UserRecord } from '../../../store/records.ts';
import { type Html, html } from './html.ts';
import { formTokenField, layout, type Page } from './page.ts';
import { person } from './person.ts';
import { type SignInView, signInTop } from './sign-in-view.ts';

export interface ChooseUserView extends SignInView {
  /** Those to choose from. */
  readonly users: readonly UserRecord[];
  /** There are more than `users`: any can be named by id. */
  readonly more: boolean;
}

/** Developer sign-in: the person says which of the users they are. */
export function chooseUserPage(view: ChooseUserView): Page {
  const { words, action, formToken, formActions, users, more } = view;
  const { signIn } = words;
  const main = html`${signInTop(view, signIn.chooseHeading)}
<form method="post" action="${action}">
${formTokenField(formToken)}
${users.length > 0 ? html`<ul class="people">${users.map(personChoice)}</ul>` : html`<p class="lead">${signIn.nobody}</p>`}
</form>
${
  more &&
  html`<form method="post" action="${action}">
${formTokenField(formToken)}
<h2><label for="user">${signIn.somebodyElse}</label></h2>
<div class="row"><input id="user" name="user_id" inputmode="numeric" pattern="[0-9]+" required placeholder="${signIn.userId}">
<button>${signIn.submit}</button></div>
</form>`
}
<p class="note">${signIn.developerNote}</p>`;
  return { status: 200, html: layout(words, signIn.chooseHeading, main), formActions };
}

function personChoice(user: UserRecord): Html {
  return html`<li><button class="person" name="user_id" value="${user.id}">${person(user)}</button></li>`;
}
