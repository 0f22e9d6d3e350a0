import { fieldErrors } from '../../model/issue.ts';
import { requesterLocale } from '../../model/rules/requester-locale.ts';
import { everywhere } from '../domain/command-records.ts';
import type { Translations } from '../domain/command-view.ts';
import type { Commands } from '../domain/commands.ts';
import { Fault } from '../fault.ts';
import { type Call, expectPrincipal, type Handlers, param } from '../http/call.ts';
import type { ApplicationRecord } from '../store/records.ts';

/** Global commands. @see interface.md, "Global commands" */
export function commandRoutes(commands: Commands): Handlers {
  return {
    async listGlobalCommands(call) {
      return { status: 200, text: await commands.list(applicationOf(call), everywhere, translationsFor(call)) };
    },
    async createGlobalCommand(call) {
      const { created, text } = await commands.create(applicationOf(call), everywhere, call.body);
      return { status: created ? 201 : 200, text };
    },
    async replaceGlobalCommands(call) {
      return { status: 200, text: await commands.replaceAll(applicationOf(call), everywhere, call.body) };
    },
    async getGlobalCommand(call) {
      return { status: 200, text: await commands.get(applicationOf(call), everywhere, commandId(call)) };
    },
    async editGlobalCommand(call) {
      return { status: 200, text: await commands.edit(applicationOf(call), everywhere, commandId(call), call.body) };
    },
    async deleteGlobalCommand(call) {
      await commands.remove(applicationOf(call), everywhere, commandId(call));
      return { status: 204 };
    },
  };
}

/** Our choice: an application that does not exist is answered like somebody else's, so that nobody can probe for ids. */
function applicationOf(call: Call): ApplicationRecord {
  const { application } = expectPrincipal(call, 'bot', 'application');
  if (param(call, 'application_id') !== application.id) throw new Fault('not_your_application');
  return application;
}

function commandId(call: Call): string {
  return param(call, 'command_id');
}

/** The hosted service's name of the header, and the base description's. */
const localeHeaders = ['x-discord-locale', 'x-service-locale'] as const;

function translationsFor(call: Call): Translations {
  if (readFlag('with_localizations', call.query.with_localizations)) return 'all';
  const header = localeHeaders.map(name => headerText(call, name)).find(value => value !== undefined);
  return { locale: requesterLocale({ header, acceptLanguage: headerText(call, 'accept-language') }) };
}

function headerText({ headers }: Call, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value : undefined;
}

const flags: Readonly<Record<string, boolean>> = {
  True: true,
  true: true,
  '1': true,
  False: false,
  false: false,
  '0': false,
};

/** A boolean in the query, false when absent. @see commands.md 6 */
function readFlag(name: string, value: string | readonly string[] | undefined): boolean {
  if (value === undefined) return false;
  const flag = typeof value === 'string' && Object.hasOwn(flags, value) ? flags[value] : undefined;
  if (flag !== undefined) return flag;
  const message = fieldErrors.BOOLEAN_TYPE_CONVERT();
  throw new Fault('invalid_form_body', {}, [{ path: [name], code: 'BOOLEAN_TYPE_CONVERT', message }]);
}
