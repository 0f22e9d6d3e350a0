import { compareSnowflakes, isSnowflake, type UserId } from '../../../../model/snowflake.ts';
import type { Core } from '../../../core.ts';
import type { UserRecord } from '../../../store/records.ts';
import type { MaybePromise } from '../../../support/maybe-promise.ts';
import type { PendingWork } from '../../../support/pending-work.ts';
import { RequestError } from '../../../support/request-error.ts';
import { createPasswordSignIn } from '../sign-in/password-sign-in.ts';
import type { SignInMode } from '../sign-in/sign-in-mode.ts';
import type { Page } from './views/page.ts';
import { chooseUserPage, passwordPage, type SignInView } from './views/sign-in-pages.ts';

/** Field → text of a form. */
export type PageForm = Readonly<Record<string, unknown>>;

/** Shows the form by which users sign in, and reads it. */
export interface SignInForms {
  show(view: SignInView): MaybePromise<Page>;
  /**
   * @param address the client that sent the form
   * @returns the user, or the page that says why sign-in failed
   * @throws RequestError `unknown_user`
   */
  submit(view: SignInView, form: PageForm, address: string): Promise<{ readonly userId: UserId } | Page>;
}

export function createSignInForms(mode: SignInMode, core: Core, pendingWork: PendingWork): SignInForms {
  return mode === 'password' ? createPasswordForm(core, pendingWork) : createDeveloperForm(core);
}

/** Unspecified: how many users the page offers. Where there are more, any can be named by id. */
const usersShown = 24;
/** How many records are read to find those: provisional accounts cannot sign in. */
const usersRead = 10 * usersShown;

function createDeveloperForm({ store }: Core): SignInForms {
  return {
    async show(view) {
      const read = await store.list('users', { limit: usersRead });
      const users = read.filter(canSignIn);
      return chooseUserPage({
        ...view,
        users: users.slice(0, usersShown).sort((one, other) => compareSnowflakes(one.id, other.id)),
        more: users.length > usersShown || read.length === usersRead,
      });
    },

    async submit(_view, { user_id }) {
      const user = isSnowflake(user_id) ? await store.get('users', user_id) : undefined;
      if (!user || !canSignIn(user)) throw new RequestError('unknown_user');
      return { userId: user.id };
    },
  };
}

/** A provisional account can be used in its game only. */
function canSignIn({ provisional_of }: UserRecord): boolean {
  return provisional_of === null;
}

function createPasswordForm(core: Core, pendingWork: PendingWork): SignInForms {
  const signIn = createPasswordSignIn(core, pendingWork);
  return {
    show: passwordPage,

    async submit(view, form, address) {
      const [name, password] = [textOf(form.name), textOf(form.password)];
      try {
        const userId = await signIn({ name, password, address });
        return userId === undefined ? passwordPage({ ...view, failed: { name } }) : { userId };
      } catch (error) {
        if (!(error instanceof RequestError) || error.reason !== 'rate_limited') throw error;
        return passwordPage({ ...view, failed: { name, retryAfterSeconds: Number(error.extra.retry_after) } });
      }
    },
  };
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
