import type { UserRecord } from '../../../../store/records.ts';
import type { PageWords } from '../words/words.ts';
import { type Html, html, nameInText } from './html.ts';
import { badge, formTokenField } from './page.ts';

/** A user's badge, display name and unique name. */
export function person({ username, global_name }: UserRecord): Html {
  const name = global_name ?? username;
  return html`${badge(name)}<span><strong>${nameInText(name)}</strong> <small>@${nameInText(username)}</small></span>`;
}

export interface AccountView {
  readonly words: PageWords;
  readonly user: UserRecord;
  /** Where the sign-out form is sent. */
  readonly signOutAction: string;
  readonly formToken: string;
}

/** Shows who is signed in, with a button that signs out. */
export function account({ words, user, signOutAction, formToken }: AccountView): Html {
  return html`<form class="account" method="post" action="${signOutAction}">
${formTokenField(formToken)}
<div class="person">${person(user)}</div>
<button class="link">${words.consent.notYou}</button>
</form>`;
}
