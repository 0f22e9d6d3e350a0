import { integrationTypes } from '../../../../../model/command.ts';
import { installScopes } from '../../../../../model/oauth.ts';
import type { GuildRecord } from '../../../../store/records.ts';
import type { AuthorizationRequest } from '../../authorize/authorization-request.ts';
import { formActionSource, isCustomSchemeRedirect } from '../../authorize/redirect-uri.ts';
import type { PageWords } from '../words/words.ts';
import { type Html, html, nameInText } from './html.ts';
import { badge, formTokenField, layout, type Page } from './page.ts';
import { permissionNames } from './permissions.ts';
import { type AccountView, account } from './person.ts';
import { scopeLists } from './scope-list.ts';

export interface ConsentView extends AccountView {
  readonly request: AuthorizationRequest;
  /** Where the form is sent, with the request's query. */
  readonly decideAction: string;
  /** Guilds that the application can be added to; absent when the request does not add it to a guild. */
  readonly guilds?: readonly GuildRecord[];
}

/** Asks the user whether the application may have what it requests. */
export function consentPage(view: ConsentView): Page {
  const { words, request, formToken } = view;
  const { application } = request;
  const { description } = application;
  const name = nameInText(application.name);
  const heading = words.consent.heading(name);
  const guilds = offeredGuilds(view);
  // Without a guild, neither a request that only adds the application to one nor a request for a locked guild can be approved.
  const needsGuild = request.responseType === 'none' || request.guildLocked;
  const isPossible = !needsGuild || guilds === undefined || guilds.length > 0;
  const main = html`${badge(application.name, 'large')}
<h1>${heading}</h1>
${description !== '' && html`<p class="lead">${description}</p>`}
${account(view)}
<form method="post" action="${view.decideAction}">
${formTokenField(formToken)}
${guilds && guildChoice(view, guilds)}
${scopeLists(words, name, request.scopes)}
${guilds && botPermissions(words, request)}
${isAddedToUser(request) && html`<p class="lead">${words.consent.toAccount}</p>`}
<div class="decision">
<div class="choices">
<button name="decision" value="deny" formnovalidate>${words.consent.cancel}</button>
${isPossible && html`<button class="primary" name="decision" value="approve">${words.consent.approve}</button>`}
</div>
${request.responseType !== 'none' && html`<p class="note">${destination(words, request.redirectUri)}</p>`}
</div>
</form>`;
  return { status: 200, html: layout(words, heading, main), formActions: [formActionSource(request.redirectUri)] };
}

function offeredGuilds({ request, guilds }: ConsentView): readonly GuildRecord[] | undefined {
  const { guildId, guildLocked } = request;
  return guildLocked ? guilds?.filter(({ id }) => id === guildId) : guilds;
}

function isAddedToUser({ integrationType, scopes }: AuthorizationRequest): boolean {
  return integrationType === integrationTypes.USER_INSTALL && scopes.some(scope => installScopes.has(scope));
}

function guildChoice({ words: { consent }, request }: ConsentView, guilds: readonly GuildRecord[]): Html {
  if (guilds.length === 0) return html`<p class="lead">${consent.noServers}</p>`;
  const isRequired = request.responseType === 'none';
  const options = guilds.map(
    ({ id, name }) =>
      html`<option value="${id}"${id === request.guildId && html` selected`}>${nameInText(name)}</option>`,
  );
  const none = html`<option value="">${isRequired ? consent.chooseServer : consent.toNoServer}</option>`;
  return html`<h2><label for="guild">${consent.toServer}</label></h2>
<select id="guild" name="guild_id"${isRequired && html` required`}>${!request.guildLocked && none}${options}</select>`;
}

function botPermissions(
  words: PageWords,
  { scopes, permissions, application }: AuthorizationRequest,
): Html | undefined {
  const names = scopes.includes('bot') ? permissionNames(BigInt(permissions)) : [];
  if (names.length === 0) return undefined;
  return html`<h2 id="permissions">${words.consent.bot(nameInText(application.name))}</h2>
<ul class="scopes permissions" aria-labelledby="permissions">${names.map(name => html`<li>${words.permissions[name]}</li>`)}</ul>`;
}

function destination({ consent }: PageWords, redirectUri: string): Html {
  const { protocol, host } = new URL(redirectUri);
  return isCustomSchemeRedirect(redirectUri)
    ? consent.onToProgram(html`<code>${protocol}</code>`)
    : consent.onToSite(html`<code>${host}</code>`);
}
