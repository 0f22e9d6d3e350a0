import type { TrafficDetails } from '../../../../wire/control/traffic.ts';
import { type Route, type RouteName, routes } from '../../../../wire/routes.ts';
import { literal, literalOf } from './literal.ts';

/** A call in the words of the SDK. `by`: the backend module, or the client in which a user is signed in. */
export interface SdkCall {
  readonly by: 'backend' | 'client';
  readonly code: string;
}

type Write = (
  params: Readonly<Record<string, string>>,
  body: unknown,
  query: Readonly<Record<string, string>>,
) => string;

const id = (text: string | undefined) => literal(text ?? '');
const inGuild: (rest: (params: Readonly<Record<string, string>>, body: unknown) => string) => Write =
  rest => (params, body) =>
    `backend.commands.inGuild(${id(params.guild_id)}).${rest(params, body)}`;
const argument = (body: unknown) => (body === undefined || body === null ? '' : literalOf(body));
const further = (body: unknown) => (body === undefined || body === null ? '' : `, ${literalOf(body)}`);
const field = (body: unknown, name: string): unknown =>
  typeof body === 'object' && body !== null ? (body as Record<string, unknown>)[name] : undefined;
const handle = (params: Readonly<Record<string, string>>) => `client.lobbies.get(${id(params.lobby_id)})`;

const backendCalls: Partial<Record<RouteName, Write>> = {
  listGlobalCommands: () => 'backend.commands.list()',
  createGlobalCommand: (_, body) => `backend.commands.create(${argument(body)})`,
  replaceGlobalCommands: (_, body) => `backend.commands.replaceAll(${argument(body)})`,
  getGlobalCommand: params => `backend.commands.get(${id(params.command_id)})`,
  editGlobalCommand: (params, body) => `backend.commands.edit(${id(params.command_id)}${further(body)})`,
  deleteGlobalCommand: params => `backend.commands.delete(${id(params.command_id)})`,
  listGuildCommands: inGuild(() => 'list()'),
  createGuildCommand: inGuild((_, body) => `create(${argument(body)})`),
  replaceGuildCommands: inGuild((_, body) => `replaceAll(${argument(body)})`),
  getGuildCommand: inGuild(params => `get(${id(params.command_id)})`),
  editGuildCommand: inGuild((params, body) => `edit(${id(params.command_id)}${further(body)})`),
  deleteGuildCommand: inGuild(params => `delete(${id(params.command_id)})`),
  listCommandPermissions: params => `backend.overwrites.list(${id(params.guild_id)})`,
  getCommandPermissions: params => `backend.overwrites.get(${id(params.guild_id)}, ${id(params.command_id)})`,
  replaceCommandPermissions: (params, body) =>
    `backend.overwrites.replace(${id(params.guild_id)}, ${id(params.command_id)}, ${literalOf(field(body, 'permissions') ?? [])}, userToken(process.env.ACCESS_TOKEN))`,
  createLobby: (_, body) => `backend.lobbies.create(${argument(body)})`,
  getLobby: params => `backend.lobbies.get(${id(params.lobby_id)})`,
  editLobby: (params, body) => `backend.lobbies.edit(${id(params.lobby_id)}, ${literalOf(body ?? {})})`,
  deleteLobby: params => `backend.lobbies.delete(${id(params.lobby_id)})`,
  putLobbyMember: (params, body) =>
    `backend.lobbies.putMember(${id(params.lobby_id)}, ${id(params.user_id)}${further(body)})`,
  deleteLobbyMember: params => `backend.lobbies.removeMember(${id(params.lobby_id)}, ${id(params.user_id)})`,
  bulkUpdateLobbyMembers: (params, body) =>
    `backend.lobbies.bulkMembers(${id(params.lobby_id)}, ${literalOf(body ?? [])})`,
  setLobbyModerationMetadata: (params, body) =>
    `backend.lobbies.setModerationMetadata(${id(params.lobby_id)}, ${id(params.message_id)}, ${literalOf(body ?? {})})`,
  createLobbyInvite: params => `backend.lobbies.createInvite(${id(params.lobby_id)}, ${id(params.user_id)})`,
};

const clientCalls: Partial<Record<RouteName, Write>> = {
  joinLobby: (_, body) => {
    const options = {
      lobbyMetadata: field(body, 'lobby_metadata'),
      memberMetadata: field(body, 'member_metadata'),
      idleTimeoutSeconds: field(body, 'idle_timeout_seconds'),
    };
    const given = Object.fromEntries(
      Object.entries(options).filter(([, value]) => value !== undefined && value !== null),
    );
    return `client.lobbies.join(${literalOf(field(body, 'secret') ?? '')}${Object.keys(given).length > 0 ? further(given) : ''})`;
  },
  leaveLobby: params => `${handle(params)}.leave()`,
  createLobbyMessage: (params, body) => `${handle(params)}.send(${literalOf(field(body, 'content') ?? '')})`,
  linkLobbyChannel: (params, body) => {
    const channel = field(body, 'channel_id');
    return typeof channel === 'string'
      ? `${handle(params)}.linkChannel(${id(channel)})`
      : `${handle(params)}.unlinkChannel()`;
  },
  createOwnLobbyInvite: params => `${handle(params)}.createInvite()`,
};

/** The call as one expression; undefined where the SDK has no method that makes this one call. */
export function sdkCallOf({ entry, request }: TrafficDetails): SdkCall | undefined {
  if (entry.kind !== 'request' || entry.route === null) return undefined;
  const params = paramsOf(routes[entry.route], entry.target);
  const query = Object.fromEntries(new URL(entry.target, 'http://localhost').searchParams);
  const body = request?.body ?? undefined;
  for (const [by, calls] of [['backend', backendCalls] as const, ['client', clientCalls] as const]) {
    const write = calls[entry.route];
    // With another kind of credential the answer would be another one.
    const isOfPlayer = by === 'client' || entry.route === 'replaceCommandPermissions';
    const isOwn = entry.caller === null || isOfPlayer === (entry.caller.kind === 'user');
    if (write && isOwn) return { by, code: write(params, body, query) };
  }
  return undefined;
}

/** A module that makes the call. */
export function sdkCodeOf(details: TrafficDetails, origin: string): string {
  const call = sdkCallOf(details);
  const { entry } = details;
  if (!call) return fetchCodeOf(details, origin);
  const applicationId = literal(entry.application_id ?? '');
  if (call.by === 'backend') {
    const names = ['createBackend', ...(call.code.includes('userToken(') ? ['userToken'] : [])];
    return lines(
      `import { ${names.join(', ')} } from '@rallypoint/sdk/backend';`,
      '',
      'const backend = createBackend({',
      `  baseUrl: ${literal(origin)},`,
      `  applicationId: ${applicationId},`,
      '  botToken: process.env.BOT_TOKEN,',
      '});',
      `const answer = await ${call.code};`,
      'console.log(answer);',
      'await backend.close();',
    );
  }
  return lines(
    '// `client` is a client of @rallypoint/sdk in which the player is signed in.',
    `const answer = await ${call.code};`,
    'console.log(answer);',
  );
}

/** For calls that no method of the SDK makes alone. */
export function fetchCodeOf({ entry, request }: TrafficDetails, origin: string): string {
  if (entry.kind !== 'request' && entry.kind !== 'oauth') return '';
  const type = request?.headers['content-type'];
  const body = request?.body;
  const isForm = type?.includes('x-www-form-urlencoded') === true;
  const headers = [
    ...(entry.caller ? [`    authorization: ${authorizationOf(entry.caller.kind)},`] : []),
    ...(type && !isForm ? [`    'content-type': ${literal(type)},`] : []),
  ];
  return lines(
    `const response = await fetch(${literal(`${origin}${entry.target}`)}, {`,
    `  method: ${literal(entry.method)},`,
    ...(headers.length > 0 ? ['  headers: {', ...headers, '  },'] : []),
    ...(body === null || body === undefined
      ? []
      : [
          `  body: ${isForm ? `new URLSearchParams(${literalOf(body)})` : typeof body === 'string' ? literal(body) : `JSON.stringify(${literalOf(body)})`},`,
        ]),
    '});',
    'console.log(response.status, await response.text());',
  );
}

function authorizationOf(kind: string): string {
  if (kind === 'session') return 'process.env.SESSION_TOKEN';
  const [scheme, name] =
    kind === 'bot' ? ['Bot', 'BOT_TOKEN'] : ['Bearer', kind === 'control' ? 'CONTROL_TOKEN' : 'ACCESS_TOKEN'];
  return `'${scheme} ' + process.env.${name}`;
}

/** What fills the path of the route. */
export function paramsOf({ path }: Route, target: string): Readonly<Record<string, string>> {
  const parts = (target.split('?')[0] ?? '').replace(/^\/api(?:\/v\d+)?/, '').split('/');
  const params: Record<string, string> = {};
  path.split('/').forEach((part, at) => {
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    if (name !== undefined) params[name] = decode(parts[at] ?? '');
  });
  return params;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function lines(...text: readonly string[]): string {
  return `${text.join('\n')}\n`;
}
