import type { MaybePromise } from '../../../support/maybe-promise.ts';
import type { SignedIn } from '../sign-in/sign-in.ts';
import type { PagePaths } from './paths.ts';
import type { Outcome } from './respond.ts';
import type { PageForm } from './sign-in-forms.ts';
import type { SignInView } from './views/sign-in-pages.ts';
import type { PageWords } from './words/words.ts';

/** A page that needs a signed-in user: the user signs in, reads it, and answers its form. */
export interface PageFlow<Purpose> {
  readonly paths: PagePaths;
  /** Reads the query before anybody signs in. @returns what the user is asked, or the answer where there is nothing to ask */
  load(parameters: URLSearchParams, words: PageWords): MaybePromise<{ readonly purpose: Purpose } | Outcome>;
  /** What the sign-in page shows. */
  introduce(purpose: Purpose): Pick<SignInView, 'application' | 'formActions'>;
  /**
   * Whether a user who is signed in must do so again. An outcome: what is answered instead of a page on which to sign in.
   *
   * @param signedInAtMs undefined when nobody is signed in
   */
  mustSignIn?(purpose: Purpose, signedInAtMs: number | undefined): boolean | Outcome;
  /** The query with which the flow continues when the user has just signed in, if it is not the same. */
  searchAfterSignIn?(search: string): string;
  show(visit: Visit<Purpose>): MaybePromise<Outcome>;
  /** @param form its form token is checked already */
  answer(visit: Visit<Purpose>, form: PageForm): MaybePromise<Outcome>;
}

/** A signed-in user at a page. */
export interface Visit<Purpose> extends SignedIn {
  readonly purpose: Purpose;
  /** The query as it came, `?` included; every form and redirect between the pages carries it along. */
  readonly search: string;
  readonly formToken: string;
  readonly words: PageWords;
}

/** Tells an outcome of {@link PageFlow.load} from a purpose. */
export function isOutcome(loaded: { readonly purpose?: unknown } | Outcome): loaded is Outcome {
  return !('purpose' in loaded);
}
