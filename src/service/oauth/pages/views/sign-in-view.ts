import type { PageWords } from '../words/words.ts';
import type { Content, Html } from './html.ts';
import { html } from './html.ts';
import { badge } from './page.ts';

/** What every page has to know that lets people sign in. */
export interface SignInView {
  readonly words: PageWords;
  /** The application that they sign in for, where it is known already. */
  readonly application?: { readonly name: string };
  /** Where the form goes, with the query of the page that follows. */
  readonly action: string;
  readonly formToken: string;
  /** Where the answer to the form may lead in the end, beside the service itself. */
  readonly formActions: readonly string[];
}

/** A sign, the heading, and what one signs in for. */
export function signInTop({ words: { signIn }, application }: SignInView, heading: Content): Html {
  const purpose = application ? signIn.toApplication(html`<strong>${application.name}</strong>`) : signIn.toDevice;
  return html`${application && badge(application.name, 'large')}
<h1>${heading}</h1>
<p class="lead">${purpose}</p>`;
}
