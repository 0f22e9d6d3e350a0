import type { UserRecord } from '../../../../store/records.ts';
import type { PageWords } from '../words/words.ts';
import { type Content, type Html, html, nameInText } from './html.ts';
import { badge, formTokenField, layout, minutesOf, type Page } from './page.ts';
import { person } from './person.ts';

/** What every sign-in page shows. */
export interface SignInView {
  readonly words: PageWords;
  /** The application that the user signs in for; absent for a device, whose code is looked up after sign-in. */
  readonly application?: { readonly name: string };
  /** Where the form is sent, with the query of the page that follows. */
  readonly action: string;
  readonly formToken: string;
  /** Where the answer to the form may redirect in the end, besides the service itself. */
  readonly formActions: readonly string[];
}

export interface ChooseUserView extends SignInView {
  readonly users: readonly UserRecord[];
  /** There are more users than these, and the page has a field for the id of another one. */
  readonly more: boolean;
}

/** Developer sign-in: the person chooses one of the users. */
export function chooseUserPage(view: ChooseUserView): Page {
  const { words, action, formToken, formActions, users, more } = view;
  const { signIn } = words;
  const main = html`${signInTop(view, signIn.chooseHeading)}
<form method="post" action="${action}">
${formTokenField(formToken)}
${users.length > 0 ? html`<ul class="people">${users.map(personChoice)}</ul>` : html`<p class="lead">${signIn.noUsers}</p>`}
</form>
${
  more &&
  html`<form method="post" action="${action}">
${formTokenField(formToken)}
<h2><label for="user">${signIn.anotherUser}</label></h2>
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

export interface PasswordView extends SignInView {
  /** The attempt that failed before this one. */
  readonly failed?: {
    readonly name: string;
    /** Absent: the name or the password was wrong. */
    readonly retryAfterSeconds?: number;
  };
}

/** Sign-in by name and password. After a failed attempt the name stays in its field, the password never does. */
export function passwordPage(view: PasswordView): Page {
  const { words, action, formToken, formActions, failed } = view;
  const { signIn } = words;
  const { retryAfterSeconds } = failed ?? {};
  const message = retryAfterSeconds === undefined ? signIn.wrong : signIn.tooMany(minutesOf(retryAfterSeconds));
  const invalid = failed && html` aria-invalid="true" aria-describedby="failed"`;
  const main = html`${signInTop(view, signIn.passwordHeading)}
<form class="fields" method="post" action="${action}">
${formTokenField(formToken)}
${failed && html`<p class="fault" id="failed" role="alert">${message}</p>`}
<label for="name">${signIn.userName}</label>
<input id="name" name="name" autocomplete="username" autocapitalize="none" spellcheck="false" required value="${failed?.name}"${invalid}>
<label for="password">${signIn.password}</label>
<input id="password" name="password" type="password" autocomplete="current-password" required${invalid}${failed && html` autofocus`}>
<button class="primary">${signIn.submit}</button>
</form>`;
  return {
    status: statusOf(view),
    html: layout(words, signIn.passwordHeading, main),
    formActions,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  };
}

// Not 401: that status names an authentication scheme that the browser would handle itself.
function statusOf({ failed }: PasswordView): number {
  if (!failed) return 200;
  return failed.retryAfterSeconds === undefined ? 403 : 429;
}

function signInTop({ words: { signIn }, application }: SignInView, heading: Content): Html {
  const purpose = application
    ? signIn.toApplication(html`<strong>${nameInText(application.name)}</strong>`)
    : signIn.toDevice;
  return html`${application && badge(application.name, 'large')}
<h1>${heading}</h1>
<p class="lead">${purpose}</p>`;
}
