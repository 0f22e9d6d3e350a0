import type { Commands } from '../domain/commands/commands.ts';
import type { PlaceUse } from '../domain/commands/place.ts';
import { type CommandPlace, everywhere } from '../domain/commands/records.ts';
import type { Translations } from '../domain/commands/view.ts';
import { type Call, type Handler, type Handlers, param } from '../http/call.ts';
import { readFlag } from '../http/query.ts';
import type { ApplicationRecord } from '../store/records.ts';
import { applicationInPath } from './application-in-path.ts';
import { localeOf } from './locale-of.ts';

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

/** @param placeIn where the call is about; refuses an application that may not read or write there */
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

/** Our choice: an application has no settings of a user, so that without a header its lists show the defaults. */
function translationsFor(call: Call): Translations {
  return readFlag(call, 'with_localizations') ? 'all' : { locale: localeOf(call) };
}
