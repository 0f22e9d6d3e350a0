import type { KeyPart } from './contract.ts';
import { keyOf, keyText } from './keys.ts';
import { shareRecord } from './overlay.ts';
import type { CollectionName, Records } from './records.ts';

/**
 * Reads what an engine has written down.
 *
 * @param key what it was found by, if that is known: a record that calls itself otherwise is not the one
 * @returns the record, or why it is none; that quotes nothing of it
 */
export function decodeRecord(collection: CollectionName, body: string, key?: readonly KeyPart[]): object | string {
  let record: unknown;
  try {
    record = JSON.parse(body);
  } catch {
    // The parser's own words quote the text.
    return 'it is not JSON';
  }
  if (typeof record !== 'object' || record === null || Array.isArray(record)) return 'it is not a JSON object';
  try {
    const own = keyOf(collection, record);
    if (key && keyText(own) !== keyText(key)) return 'it names another record';
  } catch {
    return 'a field that it is found by is missing or of another type';
  }
  const bad = checksOf[collection]?.find(
    ([name, isFit]) => !isFit((record as Readonly<Record<string, unknown>>)[name]),
  );
  if (bad) return `its field ${bad[0]} is missing or of another type`;
  return shareRecord(record);
}

type Check = (value: unknown) => boolean;

const isText: Check = value => typeof value === 'string';
const isNumber: Check = value => typeof value === 'number';
const isFlag: Check = value => typeof value === 'boolean';
const isList: Check = value => Array.isArray(value);
const isObject: Check = value => typeof value === 'object' && value !== null && !Array.isArray(value);
const isObjectList: Check = value => Array.isArray(value) && value.every(isObject);
const orNull =
  (isFit: Check): Check =>
  value =>
    value === null || isFit(value);
const orNone =
  (isFit: Check): Check =>
  value =>
    value === undefined || value === null || isFit(value);
const objectWith =
  (fields: Readonly<Record<string, Check>>): Check =>
  value =>
    isObject(value) &&
    Object.entries(fields).every(([name, isFit]) => isFit((value as Readonly<Record<string, unknown>>)[name]));

const isOfKind = {
  number: isNumber,
  numberOrNone: orNone(isNumber),
  flag: isFlag,
  text: isText,
  textOrNull: orNull(isText),
  textOrNone: orNone(isText),
  list: isList,
  listOrNone: orNone(isList),
  texts: value => Array.isArray(value) && value.every(isText),
  textsOrNone: orNone(value => Array.isArray(value) && value.every(isText)),
  object: isObject,
  objectOrNone: orNone(isObject),
  objects: isObjectList,
  objectsOrNone: orNone(isObjectList),
  textsByName: value => isObject(value) && Object.values(value as object).every(isText),
  link: orNone(objectWith({ by: isText, at_ms: isNumber, channel: isObject })),
  sessionBase: orNone(objectWith({ sequence: isNumber, position: isNumber, following: isList })),
  source: orNone(objectWith({ message_id: isText, interaction_id: isText })),
  modal: orNone(objectWith({ open: isFlag, components: isObjectList })),
  usedToken: orNone(objectWith({ hash: isText, at_ms: isNumber, sealed: orNone(isText) })),
} as const satisfies Readonly<Record<string, Check>>;

type Fields = {
  readonly [Name in CollectionName]?: { readonly [Field in keyof Records[Name]]?: keyof typeof isOfKind };
};

/**
 * Fields without which a record would stop what reads it together with others: the lists of an application's commands, users and guilds,
 * the sessions of a guild's members or of a former process, a user's relationships, presences and messages, or the events that wait. And
 * those without which an application, a credential, a lobby, an interaction or the rules for a command only cause errors, or never expire.
 * Only fields that every version has written.
 */
const fieldsOf: Readonly<Partial<Record<CollectionName, Readonly<Record<string, keyof typeof isOfKind>>>>> = {
  applications: {
    ...{ name: 'text', owner_id: 'text', redirect_uris: 'texts', integration_types: 'list' },
    event_webhooks_url: 'textOrNull',
  },
  users: { username: 'text', global_name: 'textOrNull', credentials_epoch: 'numberOrNone' },
  passwords: { hash: 'text' },
  account_moves: { application_id: 'text', source_id: 'text', destination_id: 'text' },
  guilds: { name: 'text', applications: 'texts', roles: 'objects', channels: 'objects' },
  guild_members: { joined_at_ms: 'number', roles: 'texts' },
  commands: { contexts: 'listOrNone', integration_types: 'listOrNone', options: 'objectsOrNone' },
  command_overwrites: { permissions: 'objects' },
  lobbies: { idle_timeout_seconds: 'number', link: 'link' },
  lobby_invites: { application_id: 'text', guild_id: 'text', channel_id: 'text', user_id: 'text' },
  authorizations: { scopes: 'texts', credentials_epoch: 'numberOrNone', codes: 'textsOrNone' },
  codes: {
    ...{ authorization_id: 'text', application_id: 'text', user_id: 'text', scopes: 'texts', redirect_uri: 'text' },
    ...{ code_challenge: 'textOrNull', nonce: 'textOrNull', used: 'flag' },
  },
  device_codes: {
    ...{
      application_id: 'text',
      scopes: 'texts',
      state: 'text',
      user_id: 'textOrNull',
      authorization_id: 'textOrNull',
    },
    ...{ redeemed: 'flag', interval_ms: 'number', polled_at_ms: 'numberOrNone' },
  },
  sign_ins: { user_id: 'text', credentials_epoch: 'numberOrNone' },
  interactions: {
    ...{ application_id: 'text', user_id: 'text', guild_id: 'textOrNull', channel_id: 'text', token_hash: 'text' },
    ...{ type: 'number', owners: 'textsByName', state: 'text', created_at_ms: 'number' },
    ...{ original_id: 'textOrNull', follow_ups: 'number', source: 'source', trigger: 'objectOrNone', modal: 'modal' },
  },
  lobby_messages: { message: 'object' },
  interaction_messages: { message: 'object' },
  tokens: {
    ...{ scopes: 'texts', application_id: 'textOrNull', current_hash: 'textOrNone', previous: 'usedToken' },
    ...{ credentials_epoch: 'numberOrNone', serial: 'textOrNone' },
  },
  relationships: { type: 'number', since_ms: 'number', nickname: 'textOrNull', origin_application_id: 'textOrNull' },
  game_relationships: { type: 'number', since_ms: 'number' },
  relationship_totals: { friends: 'number', blocks: 'number', changes: 'number' },
  social_settings: { settings: 'object' },
  social_presences: { sessions: 'objects', revision: 'number' },
  headless_sessions: { session_id: 'text', user_id: 'text', application_id: 'text' },
  application_profiles: { identity_hash: 'text', identity: 'object', username: 'textOrNull' },
  direct_channels: { user_ids: 'list', last_message_id: 'textOrNull', message_count: 'number' },
  direct_recipients: { other_id: 'text' },
  direct_messages: { author_id: 'text', recipient_id: 'text', application_id: 'textOrNull', message: 'object' },
  gateway_sessions: { client: 'object', base: 'sessionBase', detached_at_ms: 'numberOrNone', scopes: 'listOrNone' },
  gateway_events: { announced: 'object' },
  presences: { sessions: 'objects' },
  webhook_queues: { scope: 'text', application_id: 'text', failures: 'number', first: 'number', next: 'number' },
  webhook_events: { name: 'text', url: 'text', body: 'text', about: 'object', sent_at_ms: 'number' },
} satisfies Fields;

type FieldCheck = readonly [name: string, isFit: Check];

const checksOf = Object.fromEntries(
  Object.entries(fieldsOf).map(([collection, fields]): [string, readonly FieldCheck[]] => [
    collection,
    Object.entries(fields).map(([name, kind]): FieldCheck => [name, isOfKind[kind]]),
  ]),
) as Readonly<Partial<Record<CollectionName, readonly FieldCheck[]>>>;
