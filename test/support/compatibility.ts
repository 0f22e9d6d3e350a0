import { GatewayDispatchEvents, GatewayOpcodes } from 'discord.js';
import { closeCodes, type DispatchName, opcodes } from '../../src/model/gateway.ts';
import { webhookEventNames } from '../../src/service/features/webhooks/events.ts';
import { type Route, type RouteName, routes } from '../../src/wire/routes.ts';
import { routeNames } from './http/every-route.ts';
import { type OfficialSpec, type RouteKey, routeKey } from './official-spec.ts';

/**
 * The tables of docs/compatibility.md: what of the hosted service's interface this service serves. They follow from the
 * route table, the types of the gateway's events, the public OpenAPI file and what discord.js knows of the gateway; only
 * the notes stand here.
 */

/** Routes that serve a part of what they are for, and which. */
const partly: Readonly<Partial<Record<RouteName, string>>> = {
  getGuild: 'what cannot be set in a guild here has the value of a new guild',
  listActiveThreads: 'threads come from fixtures; nobody joins one',
  getChannel: 'guild channels, threads and direct messages; the messages in them cannot be read',
  openDirectChannel: 'one user at a time: there are no group chats',
  createFollowUp: 'for interactions only; `wait` and `thread_id` change nothing',
  editCurrentUser: 'the name; pictures are checked and not kept',
  editOwnApplication: '`description` and `interactions_endpoint_url`; other fields are ignored',
  editApplication: '`description` and `interactions_endpoint_url`; other fields are ignored',
  listOwnConnections: 'always empty: nobody connects accounts here',
  listOwnEntitlements: 'always empty: nothing is sold here',
};

/** Routes of the file that are not served, where the reason is not that this service has no such thing. */
const reasons: Readonly<Partial<Record<RouteKey, string>>> = {
  'PATCH /guilds/{}': 'guilds come from fixtures',
  'POST /guilds/{}/channels': 'channels come from fixtures',
  'PATCH /channels/{}': 'channels come from fixtures',
  'DELETE /channels/{}': 'channels come from fixtures',
  'POST /guilds/{}/roles': 'roles come from fixtures',
  'PATCH /guilds/{}/roles/{}': 'roles come from fixtures',
  'DELETE /guilds/{}/roles/{}': 'roles come from fixtures',
  'PUT /guilds/{}/members/{}': 'members come from fixtures',
  'PATCH /guilds/{}/members/{}': 'members come from fixtures',
  'DELETE /guilds/{}/members/{}': 'members come from fixtures',
  'PUT /guilds/{}/members/{}/roles/{}': 'roles of members come from fixtures',
  'DELETE /guilds/{}/members/{}/roles/{}': 'roles of members come from fixtures',
  'POST /channels/{}/messages': 'bots answer interactions; they do not write to channels by themselves',
};

/** What the service sends, complete by its type; a note where it is sent in fewer cases than on the hosted service. */
const sent: Readonly<Record<DispatchName, string>> = {
  READY: '',
  RESUMED: '',
  RATE_LIMITED: 'for op 8',
  USER_UPDATE: '',
  GUILD_CREATE: '',
  GUILD_UPDATE: '',
  GUILD_DELETE: 'the bot left; guilds are never unavailable',
  GUILD_ROLE_CREATE: '',
  GUILD_ROLE_UPDATE: '',
  GUILD_ROLE_DELETE: '',
  GUILD_MEMBER_ADD: '',
  GUILD_MEMBER_UPDATE: '',
  GUILD_MEMBER_REMOVE: '',
  GUILD_MEMBERS_CHUNK: '',
  PRESENCE_UPDATE: 'once a session of the user has said a presence',
  READY_SUPPLEMENTAL: 'for players',
  RELATIONSHIP_ADD:
    'for players and users’ own clients, as the events of presences, invites and messages between users',
  RELATIONSHIP_UPDATE: '',
  RELATIONSHIP_REMOVE: '',
  GAME_RELATIONSHIP_ADD: '',
  GAME_RELATIONSHIP_REMOVE: '',
  SESSIONS_REPLACE: '',
  ACTIVITY_INVITE_CREATE: '',
  INTERACTION_CREATE: '',
  APPLICATION_COMMAND_PERMISSIONS_UPDATE: '',
  APPLICATION_COMMAND_INDEX_UPDATE: 'an event of our own, for users’ clients',
  INTERACTION_SUCCESS: 'for users’ own clients',
  INTERACTION_FAILURE: 'for users’ own clients',
  APPLICATION_COMMAND_AUTOCOMPLETE_RESPONSE: 'for users’ own clients',
  INTERACTION_MODAL_CREATE: 'for users’ own clients',
  MESSAGE_CREATE: 'answers to interactions for users’ own clients, and messages of lobbies in linked channels',
  MESSAGE_UPDATE: 'of answers to interactions, for users’ own clients',
  MESSAGE_DELETE: 'of answers to interactions, for users’ own clients',
  CHANNEL_CREATE: '',
  CHANNEL_UPDATE: '',
  CHANNEL_DELETE: '',
  THREAD_CREATE: '',
  THREAD_UPDATE: '',
  THREAD_DELETE: '',
  INVITE_CREATE: 'invites of lobbies',
  LOBBY_CREATE: '',
  LOBBY_UPDATE: '',
  LOBBY_DELETE: '',
  LOBBY_MEMBER_ADD: '',
  LOBBY_MEMBER_UPDATE: '',
  LOBBY_MEMBER_REMOVE: '',
  LOBBY_MEMBER_CONNECT: '',
  LOBBY_MEMBER_DISCONNECT: '',
  LOBBY_MESSAGE_CREATE: '',
  LOBBY_MESSAGE_UPDATE: '',
  LOBBY_VOICE_STATE_UPDATE: '',
  LOBBY_VOICE_SERVER_UPDATE: '',
  USER_MERGE_OPERATION_COMPLETED: '',
  USER_APPLICATION_IDENTITY_UPDATE: '',
  USER_APPLICATION_IDENTITY_REMOVE: '',
};

/** Events that are sent in fewer cases than on the hosted service. */
const sentPartly: ReadonlySet<DispatchName> = new Set([
  'RATE_LIMITED',
  'GUILD_DELETE',
  'PRESENCE_UPDATE',
  'MESSAGE_CREATE',
  'MESSAGE_UPDATE',
  'MESSAGE_DELETE',
  'INVITE_CREATE',
]);

const withoutEffect = 'accepted, without effect: guilds have neither voice nor sounds';
const opcodeNotes: Readonly<Record<keyof typeof opcodes, string>> = {
  DISPATCH: 'the events below',
  HEARTBEAT: '',
  IDENTIFY: '',
  PRESENCE_UPDATE: '',
  VOICE_STATE_UPDATE: withoutEffect,
  RESUME: '',
  RECONNECT: '',
  REQUEST_GUILD_MEMBERS: '',
  INVALID_SESSION: '',
  HELLO: '',
  HEARTBEAT_ACK: '',
  LOBBY_VOICE_STATES: '',
  REQUEST_SOUNDBOARD_SOUNDS: withoutEffect,
  LOBBY_VOICE_SERVER_PING: '',
  REQUEST_CHANNEL_INFO: withoutEffect,
};

type Row = readonly string[];

/** Every table, by the name between the marks in the page. */
export function compatibilityTables(spec: OfficialSpec): Readonly<Record<string, string>> {
  return {
    routes: routeTables(spec),
    opcodes: table(['Op', 'Name', 'Served', 'Note'], opcodeRows()),
    'close codes': table(
      ['Code', 'Name', 'Afterwards a client'],
      Object.entries(closeCodes).map(([name, { code, remedy }]) => [String(code), name, remedies[remedy]]),
    ),
    events: table(['Event', 'Sent', 'Note'], eventRows()),
    'webhook events': table(['Event', 'Sent'], webhookRows(spec)),
  };
}

const remedies = { resume: 'resumes', identify: 'identifies again', stop: 'stops' } as const;

/** The page with each table as it should be. */
export function withTables(page: string, tables: Readonly<Record<string, string>>): string {
  return Object.entries(tables).reduce((text, [name, rendered]) => {
    const marked = new RegExp(`<!-- ${name} -->\\n[^]*?<!-- end of ${name} -->`);
    if (!marked.test(text)) throw new Error(`The page has no place for ${name}.`);
    return text.replace(marked, () => `<!-- ${name} -->\n\n${rendered}\n\n<!-- end of ${name} -->`);
  }, page);
}

function routeTables(spec: OfficialSpec): string {
  const ours = new Map(routeNames.map(name => [routeKey(routes[name]), name]));
  const families = new Set(routeNames.map(name => familyOf(routes[name].path)));
  const theirs = [...spec.routes.keys()].filter(key => families.has(familyOf(key.split(' ')[1] ?? '')));
  const keys = [...new Set([...ours.keys(), ...theirs])];
  return [...families]
    .sort()
    .map(family => {
      const rows = keys
        .filter(key => familyOf(key.split(' ')[1] ?? '') === family)
        .map(key => routeRow(spec, key, ours.get(key)))
        .sort((a, b) => compare(a[0], b[0]));
      return `### /${family}\n\n${table(['Route', 'Served', 'Note'], rows)}`;
    })
    .join('\n\n');
}

function compare(a = '', b = ''): number {
  const [methodA = '', pathA = ''] = a.replaceAll('`', '').split(' ');
  const [methodB = '', pathB = ''] = b.replaceAll('`', '').split(' ');
  return pathA < pathB ? -1 : pathA > pathB ? 1 : methodA < methodB ? -1 : 1;
}

function familyOf(path: string): string {
  return path.split('/')[1] ?? '';
}

function routeRow(spec: OfficialSpec, key: RouteKey, name: RouteName | undefined): Row {
  const [method = ''] = key.split(' ');
  if (!name) return [`\`${method} ${spec.pathOf(key)}\``, 'no', reasons[key] ?? ''];
  const route: Route = routes[name];
  const shown = `\`${method} ${route.path}\``;
  const notes = [partly[name], spec.routes.has(key) ? undefined : 'not in the public file'];
  if (route.success.length === 0) return [shown, 'no', 'answers 10015: only interactions have webhooks'];
  return [shown, partly[name] ? 'partly' : 'yes', notes.filter(note => note !== undefined).join('; ')];
}

function opcodeRows(): Row[] {
  const known = Object.entries(opcodes).map(([name, op]): Row => {
    const note = opcodeNotes[name as keyof typeof opcodes];
    return [String(op), name, note === withoutEffect ? 'partly' : 'yes', note];
  });
  const others = Object.values(GatewayOpcodes).filter(
    op => typeof op === 'number' && !Object.values<number>(opcodes).includes(op),
  );
  return [...known, ...others.map((op): Row => [String(op), GatewayOpcodes[Number(op)] ?? '', 'no', ''])];
}

function eventRows(): Row[] {
  const names = new Set([...Object.keys(sent), ...Object.values<string>(GatewayDispatchEvents)]);
  return [...names].sort().map(name => {
    const note = sent[name as DispatchName];
    if (note === undefined) return [`\`${name}\``, 'no', ''];
    return [`\`${name}\``, sentPartly.has(name as DispatchName) ? 'partly' : 'yes', note];
  });
}

/** The events that the file's application can subscribe to. */
function webhookRows(spec: OfficialSpec): Row[] {
  const isWebhook = (event: string) =>
    !spec
      .complaints('PrivateApplicationResponse', { event_webhooks_types: [event] })
      .some(complaint => complaint.startsWith('.event_webhooks_types'));
  const ours: readonly string[] = webhookEventNames;
  return [...new Set([...ours, ...spec.events.filter(isWebhook)])]
    .sort()
    .map(name => [`\`${name}\``, ours.includes(name) ? 'yes' : 'no']);
}

function table(head: Row, rows: readonly Row[]): string {
  const line = (cells: Row) => `| ${cells.join(' | ')} |`.replaceAll('|  |', '| |');
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}
