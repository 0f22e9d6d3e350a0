import type { DeviceRequest } from '../../device/device-decision.ts';
import type { PageWords } from '../words/words.ts';
import { html, nameInText } from './html.ts';
import { badge, formTokenField, layout, mark, type Page } from './page.ts';
import { type AccountView, account } from './person.ts';
import { scopeLists } from './scope-list.ts';

/** Asks for the code that a device shows. */
export function codePage(words: PageWords, action: string, unknown?: string): Page {
  const { activate } = words;
  const invalid = unknown !== undefined && html` aria-invalid="true" aria-describedby="unknown"`;
  const main = html`<h1>${activate.heading}</h1>
<p class="lead">${activate.lead}</p>
<form class="fields" method="get" action="${action}">
${unknown !== undefined && html`<p class="fault" id="unknown" role="alert">${activate.unknown}</p>`}
<label for="code">${activate.code}</label>
<input class="code" id="code" name="user_code" autocomplete="one-time-code" autocapitalize="characters" spellcheck="false" maxlength="${codeLengthMax}" required autofocus value="${unknown}"${invalid}>
<button class="primary">${activate.submit}</button>
</form>`;
  return { status: unknown === undefined ? 200 : 404, html: layout(words, activate.heading, main), formActions: [] };
}

/** Longer than a code, because people type spaces and hyphens between the letters. */
export const codeLengthMax = 32;

export interface DeviceConsentView extends AccountView {
  readonly device: DeviceRequest;
  /** As the user typed it. */
  readonly userCode: string;
  readonly decideAction: string;
}

/** Asks the user whether the application may have what it requests on a device. */
export function deviceConsentPage(view: DeviceConsentView): Page {
  const { words, device, userCode, decideAction, formToken } = view;
  const { activate } = words;
  const { application } = device;
  const name = nameInText(application.name);
  const heading = activate.consentHeading(name);
  const main = html`${badge(application.name, 'large')}
<h1>${heading}</h1>
<p class="lead"><code>${userCode.trim().toUpperCase()}</code></p>
${account(view)}
<form method="post" action="${decideAction}">
${formTokenField(formToken)}
<p class="warning">${activate.warning}</p>
${scopeLists(words, name, device.scopes)}
<div class="decision">
<div class="choices">
<button name="decision" value="deny">${activate.deny}</button>
<button class="primary" name="decision" value="approve">${activate.approve}</button>
</div>
</div>
</form>`;
  return { status: 200, html: layout(words, heading, main), formActions: [] };
}

/** Shows the result of the user's answer. */
export function devicePage(
  words: PageWords,
  outcome: 'granted' | 'denied' | 'answered',
  another: string,
  applicationName?: string,
): Page {
  const { activate } = words;
  const { heading, lead } = activate[outcome];
  const main = html`${mark(outcome === 'granted' ? '✓' : outcome === 'denied' ? '✕' : '!')}
${applicationName !== undefined && html`<p class="lead"><strong>${nameInText(applicationName)}</strong></p>`}
<h1>${heading}</h1>
<p class="lead" role="status">${lead}</p>
${outcome !== 'granted' && html`<p class="lead"><a href="${another}">${activate.another}</a></p>`}`;
  return { status: outcome === 'answered' ? 409 : 200, html: layout(words, heading, main), formActions: [] };
}
