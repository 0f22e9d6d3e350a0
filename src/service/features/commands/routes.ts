import { isLocale, type Locale } from '../../../model/locale.ts';
import { requesterLocale } from '../../../model/rules/locales/requester-locale.ts';
import { applicationInPath, type Call, expectPrincipal, type Handler, type Handlers, param } from '../../http/call.ts';
import { readFlag } from '../../http/query.ts';
import type { ApplicationRecord, UserRecord } from '../../store/records.ts';
import type { Commands } from './commands.ts';
import type { CommandIndexes, IndexReader } from './index-of-user.ts';
import type { CommandPermissions } from './permissions.ts';
import type { PlaceUse } from './place.ts';
import { type CommandPlace, everywhere } from './records.ts';
import type { Translations } from './view.ts';

/** Global commands, and those of a guild. @see docs/spec/commands.md#writing-commands */
export function commandRoutes(commands: Commands): Handlers {
  const global = handlersIn(commands, async () => everywhere);
  const guild = handlersIn(commands, (application, call, use) =>
    commands.placeIn(application, param(call, 'guild_id'), use),
  );
  return {
    listGlobalCommands: global.list,
    createGlobalCommand: global.create,
    replaceGlobalCommands: global.replaceAll,
    getGlobalCommand: global.get,
    editGlobalCommand: global.edit,
    deleteGlobalCommand: global.remove,
    listGuildCommands: guild.list,
    createGuildCommand: guild.create,
    replaceGuildCommands: guild.replaceAll,
    getGuildCommand: guild.get,
    editGuildCommand: guild.edit,
    deleteGuildCommand: guild.remove,
  };
}

type CommandHandlers = Readonly<Record<'list' | 'create' | 'replaceAll' | 'get' | 'edit' | 'remove', Handler>>;

/** @param placeIn the scope of the call; throws if the application may not read or write there */
function handlersIn(
  commands: Commands,
  placeIn: (application: ApplicationRecord, call: Call, use: PlaceUse) => Promise<CommandPlace>,
): CommandHandlers {
  async function whereabouts(call: Call, use: PlaceUse): Promise<[ApplicationRecord, CommandPlace]> {
    const application = applicationInPath(call, 'bot', 'application');
    return [application, await placeIn(application, call, use)];
  }

  return {
    async list(call) {
      const [application, place] = await whereabouts(call, 'read');
      return { status: 200, text: await commands.list(application, place, translationsFor(call)) };
    },
    async create(call) {
      const { created, text } = await commands.create(...(await whereabouts(call, 'write')), call.body);
      return { status: created ? 201 : 200, text };
    },
    async replaceAll(call) {
      return { status: 200, text: await commands.replaceAll(...(await whereabouts(call, 'write')), call.body) };
    },
    async get(call) {
      return { status: 200, text: await commands.get(...(await whereabouts(call, 'read')), commandId(call)) };
    },
    async edit(call) {
      const text = await commands.edit(...(await whereabouts(call, 'write')), commandId(call), call.body);
      return { status: 200, text };
    },
    async remove(call) {
      await commands.remove(...(await whereabouts(call, 'write')), commandId(call));
      return { status: 204 };
    },
  };
}

function commandId(call: Call): string {
  return param(call, 'command_id');
}

/** Unspecified: an application has no settings of a user, so that without a header its lists show the defaults. */
function translationsFor(call: Call): Translations {
  return readFlag(call, 'with_localizations') ? 'all' : { locale: localeOf(call) };
}

/**
 * The commands that a user's own client offers while a command is typed.
 *
 * Unspecified: a game can request the same with its player's access token, and receives the commands of its own application.
 *
 * @see docs/spec/commands.md#command-index
 */
export function commandIndexRoutes(indexes: CommandIndexes): Handlers {
  return {
    async getApplicationCommandIndex(call) {
      const reader = indexReaderOf(call);
      if (reader.application) applicationInPath(call, 'user');
      return { status: 200, body: await indexes.ofApplication(reader, param(call, 'application_id')) };
    },
    async getChannelCommandIndex(call) {
      return { status: 200, body: await indexes.ofChannel(indexReaderOf(call), param(call, 'channel_id')) };
    },
    async getGuildCommandIndex(call) {
      return { status: 200, body: await indexes.ofGuild(indexReaderOf(call), param(call, 'guild_id')) };
    },
    async getUserCommandIndex(call) {
      return { status: 200, body: await indexes.ofUser(indexReaderOf(call)) };
    },
  };
}

function indexReaderOf(call: Call): IndexReader {
  const principal = expectPrincipal(call, 'session', 'user');
  return {
    user: principal.user,
    locale: localeOf(call, principal.user.locale),
    ...(principal.kind === 'user' && { application: principal.application }),
  };
}

/** @see docs/spec/permissions.md#replacing */
export function commandPermissionRoutes(permissions: CommandPermissions): Handlers {
  return {
    async listCommandPermissions(call) {
      const { application, reader } = readerOf(call);
      return { status: 200, body: await permissions.list(application, param(call, 'guild_id'), reader) };
    },
    async getCommandPermissions(call) {
      const { application, reader } = readerOf(call);
      const [guildId, id] = [param(call, 'guild_id'), param(call, 'command_id')];
      return { status: 200, body: await permissions.get(application, guildId, id, reader) };
    },
    async replaceCommandPermissions(call) {
      const { user } = expectPrincipal(call, 'user');
      const application = applicationInPath(call, 'user');
      const [guildId, id] = [param(call, 'guild_id'), param(call, 'command_id')];
      return { status: 200, body: await permissions.replace(application, guildId, id, user, call.body) };
    },
  };
}

/** The application, and the user on whose behalf it calls. */
function readerOf(call: Call): { readonly application: ApplicationRecord; readonly reader: UserRecord | undefined } {
  const principal = expectPrincipal(call, 'bot', 'application', 'user');
  const application = applicationInPath(call, 'bot', 'application', 'user');
  return { application, reader: principal.kind === 'user' ? principal.user : undefined };
}

/** The header's name in the base description, and on the hosted service. */
const localeHeaders = ['x-service-locale', 'x-discord-locale'] as const;

/**
 * The locale of the caller.
 *
 * @param setting the user's locale setting
 * @see docs/spec/commands.md#locale-of-the-caller
 */
export function localeOf(call: Call, setting?: string): Locale | undefined {
  const header = localeHeaders.map(name => headerText(call, name)).find(isLocale);
  return requesterLocale({ header, acceptLanguage: headerText(call, 'accept-language'), setting });
}

function headerText({ headers }: Call, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value : undefined;
}
