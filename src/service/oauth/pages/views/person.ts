import type { UserRecord } from '../../../store/records.ts';
import type { PageWords } from '../words/words.ts';
import { type Html, html } from './html.ts';
import { badge, formTokenField } from './page.ts';

/** A user's sign, shown name and unique name. */
export function person({ username, global_name }: UserRecord): Html {
  const name = global_name ?? username;
  return html`${badge(name)}<span><strong>${name}</strong> <small>@${username}</small></span>`;
}

export interface AccountView {
  readonly words: PageWords;
  readonly user: UserRecord;
  /** Where the form goes that signs out. */
  readonly signOutAction: string;
  readonly formToken: string;
}

/** Who is signed in, and the way out. */
export function account({ words, user, signOutAction, formToken }: AccountView): Html {
  return html`<form class="account" method="post" action="${signOutAction}">
${formTokenField(formToken)}
<div class="person">${person(user)}</div>
<button class="link">${words.consent.notYou}</button>
</form>`;
}
