import type { UserRecord } from '../../store/records.ts';
import type { MaybePromise } from '../../support/maybe-promise.ts';
import type { PagePaths } from './paths.ts';
import type { Outcome } from './respond.ts';
import type { PageForm } from './sign-in-desk.ts';
import type { Html } from './views/html.ts';
import type { SignInView } from './views/sign-in-view.ts';
import type { PageWords } from './words/words.ts';

/** What somebody comes to the pages for: they sign in, look at it, and answer. */
export interface Destination<Purpose> {
  readonly paths: PagePaths;
  /** Reads from the query what is wanted, before anybody signs in; or has the answer already. */
  load(parameters: URLSearchParams, words: PageWords): MaybePromise<{ readonly purpose: Purpose } | Outcome>;
  /** What the page says that asks them to sign in for it. */
  introduce(purpose: Purpose): Pick<SignInView, 'application' | 'formActions'>;
  show(visit: Visit<Purpose>): MaybePromise<Outcome>;
  /** @param form one of ours */
  answer(visit: Visit<Purpose>, form: PageForm): MaybePromise<Outcome>;
}

/** Somebody who is signed in, before a page. */
export interface Visit<Purpose> {
  readonly purpose: Purpose;
  /** The query as it came, `?` included; every form and redirect between the pages carries it along. */
  readonly search: string;
  readonly user: UserRecord;
  readonly formToken: string;
  readonly words: PageWords;
}

/** What is loaded, or the answer. */
export function isOutcome(loaded: { readonly purpose?: unknown } | Outcome): loaded is Outcome {
  return 'redirectTo' in loaded || (loaded as { html?: Html }).html !== undefined;
}
