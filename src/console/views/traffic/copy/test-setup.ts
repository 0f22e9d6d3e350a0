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
  // What was not found is not there, either.
  const isThere = entry.status !== notFound;
  const users = [...userIds].map(id => ({ id, username: id === caller?.user_id ? username : `user-${id}` }));
  if (caller?.user_id == null) users.unshift({ id: '1000', username });
  const channelId = params.channel_id ?? channelIn(request?.body);
  const world = {
    users,
    ...(entry.application_id !== null && { application: { id: entry.application_id } }),
    ...(channelId !== undefined && isThere && { channels: [{ id: channelId, name: 'general' }] }),
  };
  const renamed = new Map<string, string>();
  if (params.guild_id !== undefined) renamed.set(params.guild_id, literal(guildId));
  const lines =
    by === 'client' ? [`const client = await world.player(${literal(username)});`] : ['const { backend } = world;'];
  if (params.lobby_id !== undefined && isThere) {
    const memberIds = entry.status === forbidden ? [] : membersOfLobby(details);
    lines.push(...lobbyLines(by, route, memberIds));
    renamed.set(params.lobby_id, 'lobby.id');
  }
  if (params.command_id !== undefined && isThere) {
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
  const body = caller.kind === 'session' ? '' : ', body: JSON.stringify({ application_id: world.applicationId })';
  return [
    'const { controlBase, controlToken } = world.service;',
    `const signedIn = await fetch(\`\${controlBase}/users/${encodeURIComponent(caller.user_id)}/session\`, {`,
    "  method: 'POST',",
    `  headers: { authorization: \`Bearer \${controlToken}\` }${body},`,
    '});',
    'const { token } = await signedIn.json();',
  ];
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
