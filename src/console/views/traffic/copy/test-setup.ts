import { commandTypes, optionTypes } from '../../../../model/command.ts';
import { apiErrors } from '../../../../model/errors/errors.ts';
import { type CommandInvocation, interactionTypes, type OptionValue } from '../../../../model/interaction.ts';
import { isSnowflake } from '../../../../model/snowflake.ts';
import type { TrafficDetails } from '../../../../wire/control/traffic.ts';
import { routes } from '../../../../wire/routes.ts';
import { literal, literalOf } from './literal.ts';
import { paramsOf } from './sdk-code.ts';

/** What a copied test needs before its call. */
export interface TestSetup {
  /** The options of the world, as a literal. */
  readonly world: string;
  /** Whose call it is. */
  readonly username: string;
  /** Makes the lobby or the command that the call names. */
  readonly lines: readonly string[];
  /** Makes `token`, for calls that the SDK has no method for. */
  readonly token: readonly string[];
  /** Ids that are others in the test's world become expressions. */
  rename(code: string): string;
}

/** The id of the guild of every world of the testing kit. */
const guildId = '2';
const notFound = 404;
const forbidden = 403;

export function testSetupOf(details: TrafficDetails, by: 'backend' | 'client' | undefined): TestSetup {
  const { entry, request } = details;
  if (entry.kind !== 'request' && entry.kind !== 'oauth') throw new TypeError('Only requests become tests.');
  const route = entry.kind === 'request' ? entry.route : null;
  const params = route === null ? {} : paramsOf(routes[route], entry.target);
  const { caller } = entry;
  const username = caller?.username ?? 'ada';
  const userIds = new Set<string>(caller?.user_id ? [caller.user_id] : []);
  for (const [name, value] of Object.entries(params))
    if (name.startsWith('user_id') && isSnowflake(value)) userIds.add(value);
  for (const id of memberIdsIn(request?.body)) userIds.add(id);
  // What was not found is not there, either. A command can be there without overwrites.
  const isThere =
    entry.status !== notFound ||
    (entry.kind === 'request' && entry.error_code === apiErrors.unknown_command_permissions.code);
  const used = entry.status < 400 ? invocationIn(route, request?.body) : undefined;
  for (const id of usersNamedIn(used)) userIds.add(id);
  const users = [...userIds].map(id => ({ id, username: id === caller?.user_id ? username : `user-${id}` }));
  if (caller?.user_id == null) users.unshift({ id: '1000', username });
  const channelId = params.channel_id ?? channelIn(request?.body);
  const channelIds = new Set([channelId, ...valuesOf(used, optionTypes.CHANNEL)]);
  // The direct messages with a bot have the user's own id.
  const channels = [...channelIds]
    .filter(id => id !== undefined && id !== caller?.user_id)
    .map(id => ({ id, name: 'general' }));
  const world = {
    users,
    ...(entry.application_id !== null && { application: { id: entry.application_id } }),
    ...(channels.length > 0 && isThere && { channels }),
  };
  const renamed = new Map<string, string>();
  const guild = params.guild_id ?? (request?.body as { guild_id?: unknown } | null | undefined)?.guild_id;
  if (isSnowflake(guild)) renamed.set(guild, literal(guildId));
  const lines =
    by === 'client' ? [`const client = await world.player(${literal(username)});`] : ['const { backend } = world;'];
  if (params.lobby_id !== undefined && isThere) {
    const memberIds = entry.status === forbidden ? [] : membersOfLobby(details);
    lines.push(...lobbyLines(by, route, memberIds));
    renamed.set(params.lobby_id, 'lobby.id');
  }
  if (used) {
    lines.push(`const { command } = await world.backend.commands.create(${literalOf(definitionOf(used))});`);
    renamed.set(used.id, 'command.id');
    if (used.version !== undefined) renamed.set(used.version, 'command.version');
  }
  // In place of a command, the application's own id stands for all of its commands.
  if (params.command_id !== undefined && params.command_id !== entry.application_id && isThere) {
    const place = params.guild_id === undefined ? 'commands' : `commands.inGuild(${literal(guildId)})`;
    const body = "{ name: 'copied', description: 'A command' }";
    lines.push(`const { command } = await ${by === 'backend' ? '' : 'world.'}backend.${place}.create(${body});`);
    renamed.set(params.command_id, 'command.id');
  }
  const needsBackend = by === 'backend' || lines.some(line => /(?<!world\.)\bbackend\b.*\./.test(line));
  return {
    ...{ world: literalOf(world), username },
    lines: needsBackend || by === 'client' ? lines : lines.filter(line => line !== 'const { backend } = world;'),
    token: tokenLines(details),
    rename: code => renameIn(code, renamed),
  };
}

function lobbyLines(
  by: 'backend' | 'client' | undefined,
  route: string | null,
  memberIds: readonly string[],
): string[] {
  // A player leaves only lobbies that players have made.
  if (route === 'leaveLobby') return ["const lobby = await client.lobbies.join('secret of the test');"];
  const members = memberIds.map(id => ({ id, flags: 1 }));
  const body = members.length === 0 ? '' : literalOf({ members });
  const made = `const lobby = await world.backend.lobbies.create(${body});`;
  return by === 'client'
    ? [made, 'await world.settled();']
    : [made.replace('world.', by === undefined ? 'world.' : '')];
}

/** The caller, and who is to be changed or removed. */
function membersOfLobby({ entry }: TrafficDetails): string[] {
  if (entry.kind !== 'request') return [];
  const own = entry.caller?.user_id ?? undefined;
  const { user_id } = entry.route === null ? {} : paramsOf(routes[entry.route], entry.target);
  const other = entry.route === 'deleteLobbyMember' ? user_id : undefined;
  return [own, other].filter(id => id !== undefined);
}

/** The user's own client, or a game in which the user is signed in. */
function tokenLines({ entry }: TrafficDetails): string[] {
  const caller = entry.kind === 'request' || entry.kind === 'oauth' ? entry.caller : null;
  if (!caller?.user_id) return [];
  const scopes =
    entry.kind === 'request' && entry.route === 'replaceCommandPermissions'
      ? ", scopes: ['applications.commands.permissions.update']"
      : '';
  const body =
    caller.kind === 'session' ? '' : `, body: JSON.stringify({ application_id: world.applicationId${scopes} })`;
  return [
    'const { controlBase, controlToken } = world.service;',
    `const signedIn = await fetch(\`\${controlBase}/users/${encodeURIComponent(caller.user_id)}/session\`, {`,
    "  method: 'POST',",
    `  headers: { authorization: \`Bearer \${controlToken}\` }${body},`,
    '});',
    'const { token } = await signedIn.json();',
  ];
}

/** Whether nothing can stand in for what the call is about: a message or a modal of the application, a role, or a file. */
export function isBeyondTests({ entry, request }: TrafficDetails): boolean {
  if (entry.kind !== 'request' || entry.route !== 'invokeCommand') return false;
  const used = invocationIn(entry.route, request?.body);
  if (!used || used.type === commandTypes.MESSAGE || used.type === commandTypes.PRIMARY_ENTRY_POINT) return true;
  return [...valuesOf(used, optionTypes.ROLE), ...valuesOf(used, optionTypes.ATTACHMENT)].length > 0;
}

/** The command of a use, also of one that is still typed. */
function invocationIn(route: string | null, body: unknown): CommandInvocation | undefined {
  const { type, data } = (body ?? {}) as { readonly type?: unknown; readonly data?: CommandInvocation };
  const isCommand =
    type === interactionTypes.APPLICATION_COMMAND || type === interactionTypes.APPLICATION_COMMAND_AUTOCOMPLETE;
  return route === 'invokeCommand' && isCommand ? data : undefined;
}

/** A command that can be used like this. */
function definitionOf({ name, type, options }: CommandInvocation): object {
  if (type !== commandTypes.CHAT_INPUT) return { name, type };
  return { name, description: 'A command', ...(options?.length && { options: options.map(optionOf) }) };
}

function optionOf({ name, type, options, focused }: OptionValue): object {
  return {
    ...{ type, name, description: 'An option' },
    ...(options?.length && { options: options.map(optionOf) }),
    ...(focused && { autocomplete: true }),
  };
}

function usersNamedIn(used: CommandInvocation | undefined): readonly string[] {
  const target = used?.type === commandTypes.USER ? [used.target_id] : [];
  return [...target, ...valuesOf(used, optionTypes.USER), ...valuesOf(used, optionTypes.MENTIONABLE)].filter(
    id => id !== undefined,
  );
}

function valuesOf(used: Pick<OptionValue, 'options'> | undefined, type: number): readonly string[] {
  return (used?.options ?? []).flatMap(option => [
    ...(option.type === type && isSnowflake(option.value) ? [option.value] : []),
    ...valuesOf(option, type),
  ]);
}

/** Members that a body names: of a lobby, or of a bulk update. */
function memberIdsIn(body: unknown): string[] {
  const members = Array.isArray(body) ? body : (body as { members?: unknown } | null | undefined)?.members;
  if (!Array.isArray(members)) return [];
  return members.map(member => (member as { id?: unknown } | null)?.id).filter(id => isSnowflake(id));
}

function channelIn(body: unknown): string | undefined {
  const id = (body as { channel_id?: unknown } | null | undefined)?.channel_id;
  return isSnowflake(id) ? id : undefined;
}

/** Literals of ids become their expressions, and ids inside of a path are put into it. */
function renameIn(code: string, renamed: ReadonlyMap<string, string>): string {
  let text = code;
  for (const [id, expression] of renamed) {
    text = text.replaceAll(literal(id), expression);
    if (expression === literal(guildId)) text = text.replaceAll(`/guilds/${id}/`, `/guilds/${guildId}/`);
    const inPath = new RegExp(`/${id}(?=[/'?])`, 'g');
    text = text.replace(/(world\.baseUrl \+ )'([^']*)'/, (whole, start: string, target: string) =>
      inPath.test(`${target}'`)
        ? `${start}\`${`${target}'`.replace(inPath, `/\${${expression}}`).slice(0, -1)}\``
        : whole,
    );
    text = text.replace(
      /(world\.baseUrl \+ `)([^`]*)`/,
      (_, start: string, target: string) =>
        `${start}${`${target}'`.replace(inPath, `/\${${expression}}`).slice(0, -1)}\``,
    );
  }
  return text;
}
