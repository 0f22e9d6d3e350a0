import type { ControlCallName } from '../../../wire/control/calls.ts';
import {
  anyObject,
  boolean,
  dictionary,
  type Fields,
  integer,
  type JsonSchema,
  list,
  nullable,
  object,
  text,
} from '../../http/json-schema.ts';
import { pageMax } from '../request.ts';

/** What the document says of a call beside its path. */
export interface Description {
  readonly id: string;
  readonly summary: string;
  readonly query?: Fields;
  /** Absent: the call has no body. */
  readonly body?: JsonSchema;
  /** The body may be left out. */
  readonly isBodyOptional?: true;
  /** Absent: 204. */
  readonly answer?: JsonSchema;
  /** Statuses of errors beside 400 and 401. */
  readonly errors?: readonly number[];
}

/** Calls that are older than the types of the console's calls. */
type OtherCall = 'GET /log' | 'GET /openapi.json' | 'GET /stream';

const id = text();
const orNull = nullable;
const milliseconds = integer();
const any: JsonSchema = {};
const objects = list(anyObject);
const answerOf = (required: Fields, optional: Fields = {}) => object('', required, optional);

const page: Fields = { limit: { ...integer(1, pageMax), default: 100 }, after: text() };
const search: Fields = { search: text(), application_id: id };
const paged = (name: string, more: Fields = {}) =>
  answerOf({ [name]: objects, next: orNull(text()) }, { searched: integer(), truncated: boolean, ...more });
const traffic: Fields = {
  ...{ kind: text(), route: text(), status: text(), event: text(), search: text(), chain: text() },
  ...{ application_id: id, user_id: id, lobby_id: id, guild_id: id },
};
const fixtures = object(
  'A fixtures document, as `Fixtures` of the package has it.',
  {},
  {
    ...{ applications: objects, users: objects, guilds: objects },
    ...{ relationships: objects, social_settings: objects, direct_messages: objects, application_profiles: objects },
  },
);
const faults = answerOf({ faults: objects });
const clock = answerOf({ now_ms: milliseconds }, { timer: orNull(anyObject) });
const token = answerOf({ token: text() });
const actor = object(
  'Who acts: `bot`, `application`, `user` (in a game), `session` (an own client) or `none`.',
  {
    kind: { enum: ['bot', 'application', 'user', 'session', 'none'] },
  },
  { application_id: id, user_id: id, scopes: list(text()) },
);

export const descriptions: Readonly<Record<ControlCallName | OtherCall, Description>> = {
  'GET /openapi.json': { id: 'get_document', summary: 'Get this document', answer: anyObject },
  'GET /status': {
    ...{ id: 'get_status', summary: 'Say what runs, what it holds, and what is wrong now' },
    answer: answerOf({ version: text(), problems: objects }),
  },
  'GET /stream': {
    ...{ id: 'stream', summary: 'Follow what happens, by server-sent events that do not end' },
    query: { ...traffic, events: text(), lobby: id, after: text() },
  },
  'GET /traffic': {
    ...{
      id: 'list_traffic',
      summary: 'List requests, events, deliveries, connections, OAuth2 steps, timers and faults',
    },
    query: { ...traffic, ...page, before: text() },
    answer: answerOf({
      entries: objects,
      next: integer(),
      previous: orNull(integer()),
      first: integer(),
      last: integer(),
    }),
    errors: [409],
  },
  'DELETE /traffic': { id: 'forget_traffic', summary: 'Forget the traffic', errors: [409] },
  'GET /traffic/{id}': {
    ...{ id: 'get_traffic', summary: 'Get an entry with headers, bodies, causes and effects; secrets are masked' },
    answer: answerOf({ entry: anyObject, causes: objects, effects: objects }),
    errors: [404, 409],
  },
  'GET /traffic/recording': {
    ...{ id: 'export_traffic', summary: 'Export entries as a recording of the testing kit' },
    query: traffic,
    answer: answerOf({ recording: text() }),
    errors: [409],
  },
  'POST /traffic/replay': {
    ...{ id: 'replay_traffic', summary: 'Make the requests of a recording again' },
    body: object('', { recording: text() }, { requests: { enum: ['writes', 'all'] }, application_id: id }),
    answer: answerOf({ requests: objects, skipped: integer() }),
    errors: [409],
  },
  'GET /applications': {
    ...{ id: 'list_applications', summary: 'List applications without their secrets', query: { ...page, ...search } },
    answer: paged('applications'),
  },
  'GET /applications/{id}': {
    ...{ id: 'get_application', summary: 'Get an application', answer: answerOf({ id, name: text() }), errors: [404] },
  },
  'DELETE /applications/{id}': {
    ...{ id: 'delete_application', summary: 'Delete an application with all that belongs to it', errors: [404, 409] },
  },
  'POST /applications/{id}/rotate': {
    ...{ id: 'rotate_credential', summary: 'Replace a credential, which is shown this once' },
    body: object('', { credential: { enum: ['bot_token', 'client_secret'] } }),
    answer: object('', {}, { bot_token: text(), client_secret: text() }),
    errors: [404, 409],
  },
  'GET /users': {
    ...{ id: 'list_users', summary: 'List users', query: { ...page, ...search, username: text() } },
    answer: paged('users'),
  },
  'GET /users/{id}': {
    ...{ id: 'get_user', summary: 'Get a user with guilds, lobbies, grants and sessions', errors: [404] },
    answer: answerOf({ id, username: text(), guilds: objects, lobbies: objects, authorizations: objects }),
  },
  'DELETE /users/{id}': {
    ...{ id: 'delete_user', summary: 'Delete a user with all that belongs to it', errors: [404, 409] },
  },
  'GET /users/{id}/social': {
    ...{ id: 'get_user_social', summary: 'Get what a user is to others, shows and has set', errors: [404] },
    answer: answerOf({
      ...{
        relationships: objects,
        blocked_by: objects,
        presence: anyObject,
        settings: anyObject,
        conversations: objects,
      },
    }),
  },
  'GET /users/{id}/conversations/{other}': {
    ...{
      id: 'get_conversation',
      summary: 'List messages and invites between two users, the newest first',
      query: page,
    },
    answer: paged('messages', { channel_id: id }),
    errors: [404],
  },
  'GET /users/{id}/authorizations': {
    ...{
      id: 'list_authorizations',
      summary: 'List what a user has granted',
      answer: answerOf({ authorizations: objects }),
    },
  },
  'POST /users/{id}/session': {
    ...{ id: 'create_session', summary: 'Create a token of a user’s own client or, with a body, of a game' },
    ...{ body: object('', { application_id: id }, { scopes: list(text()) }), isBodyOptional: true },
    answer: token,
    errors: [403, 404, 409],
  },
  'DELETE /users/{id}/tokens': { id: 'end_tokens', summary: 'End all authorizations of a user', errors: [404] },
  'DELETE /authorizations/{id}': {
    ...{ id: 'delete_authorization', summary: 'End one authorization with all its tokens', errors: [404] },
  },
  'GET /guilds': {
    ...{ id: 'list_guilds', summary: 'List guilds', query: { ...page, ...search }, answer: paged('guilds') },
  },
  'GET /guilds/{id}': {
    ...{ id: 'get_guild', summary: 'Get a guild with roles, channels and overwrites', errors: [404] },
    answer: answerOf({ id, name: text(), roles: objects, channels: objects }),
  },
  'GET /guilds/{id}/members': {
    ...{ id: 'list_members', summary: 'List members', query: { ...page, search: text() }, errors: [404] },
    answer: paged('members'),
  },
  'DELETE /guilds/{id}': {
    ...{ id: 'delete_guild', summary: 'Delete a guild with all that belongs to it', errors: [404] },
  },
  'DELETE /guilds/{id}/roles/{role}': { id: 'delete_role', summary: 'Delete a role', errors: [404, 409] },
  'DELETE /guilds/{id}/channels/{channel}': {
    ...{ id: 'delete_channel', summary: 'Delete a channel with its threads', errors: [404] },
  },
  'DELETE /guilds/{id}/members/{user}': {
    ...{ id: 'delete_member', summary: 'Take a member out of a guild', errors: [404, 409] },
  },
  'GET /lobbies': {
    ...{ id: 'list_lobbies', summary: 'List lobbies', query: { ...page, ...search, user_id: id } },
    answer: paged('lobbies', { total: orNull(integer()) }),
  },
  'GET /lobbies/{id}': {
    ...{ id: 'get_lobby', summary: 'Get a lobby with members, presence, call, messages and timers', errors: [404] },
    answer: answerOf({ id, members: objects, messages: objects, timers: objects }),
  },
  'GET /commands': {
    ...{ id: 'list_commands', summary: 'List the commands of an application by scope' },
    query: { application_id: id, guild_id: id },
    answer: answerOf({ application_id: id, scopes: objects }),
    errors: [404],
  },
  'GET /commands/{id}/versions': {
    ...{ id: 'list_versions', summary: 'List the versions that were written while traffic was recorded' },
    answer: answerOf({ versions: objects }),
  },
  'POST /permissions/explain': {
    ...{ id: 'explain_permissions', summary: 'Say whether a user may use a command, and which rule decides' },
    body: object('', { command_id: id, guild_id: id, user_id: id }, { channel_id: orNull(id) }),
    answer: answerOf({ allowed: boolean, decided_by: text(), reason: text(), steps: objects }),
    errors: [404],
  },
  'GET /sessions': {
    ...{ id: 'list_sessions', summary: 'List the gateway sessions of this node' },
    query: { ...page, ...search, user_id: id },
    answer: paged('sessions', { node: orNull(text()) }),
  },
  'GET /sessions/{id}': {
    ...{ id: 'get_session', summary: 'Get a gateway session', answer: answerOf({ id: text() }), errors: [404] },
  },
  'POST /sessions/{id}': {
    ...{ id: 'disturb_session', summary: 'Disturb or end a gateway session' },
    body: object(
      '',
      { action: { enum: ['drop', 'freeze', 'thaw', 'reconnect', 'invalidate', 'end'] } },
      { resumable: boolean },
    ),
    errors: [404, 409],
  },
  'GET /timers': {
    ...{
      id: 'list_timers',
      summary: 'List what is due, next first',
      query: { limit: integer(1, pageMax), kind: text() },
    },
    answer: answerOf({ now_ms: milliseconds, timers: objects, truncated: boolean }),
  },
  'GET /clock': { id: 'get_clock', summary: 'Get the time', answer: clock },
  'POST /clock': {
    ...{ id: 'move_clock', summary: 'Move a virtual clock', answer: clock, errors: [409] },
    body: {
      oneOf: [
        object('By a duration.', { advance_ms: integer(0) }),
        object('To what is due next.', { to_next: { const: true } }, { kinds: list(text()) }),
        object('To a time.', { to_ms: integer(0) }),
      ],
    },
  },
  'POST /call': {
    ...{ id: 'call', summary: 'Make a call of the API as somebody', errors: [404, 409] },
    body: object(
      '',
      { as: actor, method: { enum: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] }, path: text() },
      { body: any, form: dictionary(text()), files: objects, locale: text() },
    ),
    answer: answerOf({ status: integer(), headers: anyObject, body: any, traffic_id: orNull(integer()) }),
  },
  'GET /fixtures': {
    ...{
      id: 'export_fixtures',
      summary: 'Get the present world as fixtures without secrets',
      answer: fixtures,
      errors: [413],
    },
  },
  'POST /fixtures': {
    ...{ id: 'add_fixtures', summary: 'Add fixtures, or change what they name', body: fixtures, answer: fixtures },
    query: { keep_secrets: boolean },
  },
  'POST /consent': {
    ...{ id: 'decide_consent', summary: 'Decide as a user about an application, or about a device (204)' },
    body: object(
      '',
      { user_id: id, decision: { enum: ['approve', 'deny'] } },
      {
        ...{ authorize_url: text(), user_code: text(), guild_id: orNull(id) },
      },
    ),
    answer: answerOf({ redirect_to: text() }),
    errors: [404],
  },
  'GET /log': {
    ...{ id: 'read_log', summary: 'Read the log', query: { after: text() } },
    answer: answerOf({ entries: objects, next: integer() }),
  },
  'GET /faults': { id: 'list_faults', summary: 'List the faults that are armed', answer: faults },
  'POST /faults': {
    ...{ id: 'arm_faults', summary: 'Arm a fault, or a list of them', answer: faults },
    body: { oneOf: [anyObject, objects] },
  },
  'DELETE /faults': { id: 'disarm_faults', summary: 'Disarm all faults' },
  'DELETE /faults/{id}': { id: 'disarm_fault', summary: 'Disarm a fault', errors: [404] },
  'GET /snapshot': {
    ...{ id: 'take_snapshot', summary: 'Get the whole state; it holds keys' },
    answer: answerOf({ version: integer(), at_ms: milliseconds, content: anyObject }),
  },
  'PUT /snapshot': { id: 'load_snapshot', summary: 'Replace the whole state', body: anyObject },
  'POST /reset': { id: 'reset', summary: 'Go back to the fixtures given at the start' },
};
