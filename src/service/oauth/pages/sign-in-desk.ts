import { compareSnowflakes, isSnowflake, type UserId } from '../../../model/snowflake.ts';
import type { Core } from '../../core.ts';
import type { UserRecord } from '../../store/records.ts';
import type { MaybePromise } from '../../support/maybe-promise.ts';
import type { PendingWork } from '../../support/pending-work.ts';
import { RequestError } from '../../support/request-error.ts';
import { createPasswordSignIn } from '../sign-in/password-sign-in.ts';
import type { SignInMode } from '../sign-in/sign-in-mode.ts';
import { type Html, html } from './views/html.ts';
import { formTokenField, layout, minutesOf, type Page } from './views/page.ts';
import { person } from './views/person.ts';
import { type SignInView, signInTop } from './views/sign-in-view.ts';

/** Field → text of a form. */
export type PageForm = Readonly<Record<string, unknown>>;

/** Finds out who somebody is: shows a form, and reads it. */
export interface SignInForms {
  ask(view: SignInView): MaybePromise<Page>;
  /**
   * @param address where the form came from
   * @returns the user, or the page that says why not
   * @throws RequestError `unknown_user`
   */
  read(view: SignInView, form: PageForm, address: string): Promise<{ readonly userId: UserId } | Page>;
}

export function createSignInForms(mode: SignInMode, core: Core, pendingWork: PendingWork): SignInForms {
  return mode === 'password' ? passwordDesk(core, pendingWork) : developerDesk(core);
}

/** Our choice: users shown to choose from; where there are more, any can be named by id. */
const usersShown = 24;
/** How many are looked through for those to show: provisional accounts are none of them. */
const usersRead = 10 * usersShown;

function developerDesk({ store }: Core): SignInForms {
  return {
    async ask(view) {
      const read = await store.list('users', { limit: usersRead });
      const users = read.filter(canSignIn);
      return chooseUserPage({
        ...view,
        users: users.slice(0, usersShown).sort((one, other) => compareSnowflakes(one.id, other.id)),
        more: users.length > usersShown || read.length === usersRead,
      });
    },

    async read(_view, { user_id }) {
      const user = isSnowflake(user_id) ? await store.get('users', user_id) : undefined;
      if (!user || !canSignIn(user)) throw new RequestError('unknown_user');
      return { userId: user.id };
    },
  };
}

/** A provisional account lives in its game alone. */
function canSignIn({ provisional_of }: UserRecord): boolean {
  return provisional_of === null;
}

function passwordDesk(core: Core, pendingWork: PendingWork): SignInForms {
  const signIn = createPasswordSignIn(core, pendingWork);
  return {
    ask: passwordPage,

    async read(view, form, address) {
      const [name, password] = [textOf(form.name), textOf(form.password)];
      try {
        const userId = await signIn({ name, password, address });
        return userId === undefined ? passwordPage({ ...view, refused: { name } }) : { userId };
      } catch (error) {
        if (!(error instanceof RequestError) || error.reason !== 'rate_limited') throw error;
        return passwordPage({ ...view, refused: { name, retryAfterSeconds: Number(error.extra.retry_after) } });
      }
    },
  };
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

interface ChooseUserView extends SignInView {
  /** Those to choose from. */
  readonly users: readonly UserRecord[];
  /** There are more than `users`: any can be named by id. */
  readonly more: boolean;
}

/** Developer sign-in: the person says which of the users they are. */
function chooseUserPage(view: ChooseUserView): Page {
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

interface PasswordView extends SignInView {
  /** What was not taken, when this is another attempt. */
  readonly refused?: {
    readonly name: string;
    /** Absent: the name or the password was wrong. */
    readonly retryAfterSeconds?: number;
  };
}

/** Sign-in by name and password. After an attempt that was refused the name stays, the password never does. */
function passwordPage(view: PasswordView): Page {
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
