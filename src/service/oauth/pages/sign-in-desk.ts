import { compareSnowflakes, isSnowflake, type UserId } from '../../../model/snowflake.ts';
import type { Core } from '../../core.ts';
import type { UserRecord } from '../../store/records.ts';
import type { Activity } from '../../support/activity.ts';
import { Fault } from '../../support/fault.ts';
import type { MaybePromise } from '../../support/maybe-promise.ts';
import { createPasswordSignIn } from '../sign-in/password-sign-in.ts';
import type { SignInMode } from '../sign-in/sign-in-mode.ts';
import { chooseUserPage } from './views/choose-user-page.ts';
import type { Page } from './views/page.ts';
import { passwordPage } from './views/password-page.ts';
import type { SignInView } from './views/sign-in-view.ts';

/** Field → text of a form. */
export type PageForm = Readonly<Record<string, unknown>>;

/** Finds out who somebody is: shows a form, and reads it. */
export interface SignInDesk {
  ask(view: SignInView): MaybePromise<Page>;
  /**
   * @param address where the form came from
   * @returns the user, or the page that says why not
   * @throws Fault `unknown_user`
   */
  read(view: SignInView, form: PageForm, address: string): Promise<{ readonly userId: UserId } | Page>;
}

export function createSignInDesk(mode: SignInMode, core: Core, activity: Activity): SignInDesk {
  return mode === 'password' ? passwordDesk(core, activity) : developerDesk(core);
}

/** Our choice: users shown to choose from; where there are more, any can be named by id. */
const usersShown = 24;
/** How many are looked through for those to show: provisional accounts are none of them. */
const usersRead = 10 * usersShown;

function developerDesk({ store }: Core): SignInDesk {
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
      if (!user || !canSignIn(user)) throw new Fault('unknown_user');
      return { userId: user.id };
    },
  };
}

/** A provisional account lives in its game alone. */
function canSignIn({ provisional_of }: UserRecord): boolean {
  return provisional_of === null;
}

function passwordDesk(core: Core, activity: Activity): SignInDesk {
  const signIn = createPasswordSignIn(core, activity);
  return {
    ask: passwordPage,

    async read(view, form, address) {
      const [name, password] = [textOf(form.name), textOf(form.password)];
      try {
        const userId = await signIn({ name, password, address });
        return userId === undefined ? passwordPage({ ...view, refused: { name } }) : { userId };
      } catch (error) {
        if (!(error instanceof Fault) || error.reason !== 'rate_limited') throw error;
        return passwordPage({ ...view, refused: { name, retryAfterSeconds: Number(error.extra.retry_after) } });
      }
    },
  };
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
