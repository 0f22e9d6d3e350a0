import { html } from './html.ts';
import { formTokenField, layout, minutesOf, type Page } from './page.ts';
import { type SignInView, signInTop } from './sign-in-view.ts';

export interface PasswordView extends SignInView {
  /** What was not taken, when this is another attempt. */
  readonly refused?: {
    readonly name: string;
    /** Absent: the name or the password was wrong. */
    readonly retryAfterSeconds?: number;
  };
}

/** Sign-in by name and password. After an attempt that was refused the name stays, the password never does. */
export function passwordPage(view: PasswordView): Page {
  const { words, action, formToken, formActions, refused } = view;
  const { signIn } = words;
  const { retryAfterSeconds } = refused ?? {};
  const message = retryAfterSeconds === undefined ? signIn.wrong : signIn.tooMany(minutesOf(retryAfterSeconds));
  const faulty = refused && html` aria-invalid="true" aria-describedby="refused"`;
  const main = html`${signInTop(view, signIn.passwordHeading)}
<form class="fields" method="post" action="${action}">
${formTokenField(formToken)}
${refused && html`<p class="fault" id="refused" role="alert">${message}</p>`}
<label for="name">${signIn.userName}</label>
<input id="name" name="name" autocomplete="username" autocapitalize="none" spellcheck="false" required value="${refused?.name}"${faulty}>
<label for="password">${signIn.password}</label>
<input id="password" name="password" type="password" autocomplete="current-password" required${faulty}${refused && html` autofocus`}>
<button class="primary">${signIn.submit}</button>
</form>`;
  return {
    status: statusOf(view),
    html: layout(words, signIn.passwordHeading, main),
    formActions,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  };
}

// A refused form is no 401: that names a scheme a browser would know.
function statusOf({ refused }: PasswordView): number {
  if (!refused) return 200;
  return refused.retryAfterSeconds === undefined ? 403 : 429;
}
