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

const isText = (value: unknown) => typeof value === 'string';
const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);

const isOfKind = {
  number: (value: unknown) => typeof value === 'number',
  text: isText,
  textOrNull: (value: unknown) => value === null || isText(value),
  list: (value: unknown) => Array.isArray(value),
  listOrNone: (value: unknown) => value === undefined || value === null || Array.isArray(value),
  texts: (value: unknown) => Array.isArray(value) && value.every(isText),
  object: isObject,
  objects: (value: unknown) => Array.isArray(value) && value.every(isObject),
  objectsOrNone: (value: unknown) =>
    value === undefined || value === null || (Array.isArray(value) && value.every(isObject)),
} as const;

type Fields = {
  readonly [Name in CollectionName]?: { readonly [Field in keyof Records[Name]]?: keyof typeof isOfKind };
};

/**
 * Fields without which a record would stop what reads it together with others: the lists of an application's commands, users and guilds,
 * the sessions of a guild's members, a user's relationships, presences and messages, or the events that wait. And those without which
 * an application, a token or a sign-in only causes errors. Only fields that every version has written.
 */
const fieldsOf: Readonly<Partial<Record<CollectionName, Readonly<Record<string, keyof typeof isOfKind>>>>> = {
  applications: {
    ...{ name: 'text', owner_id: 'text', redirect_uris: 'texts', integration_types: 'list' },
    event_webhooks_url: 'textOrNull',
  },
  users: { username: 'text', global_name: 'textOrNull' },
  guilds: { name: 'text', applications: 'texts', roles: 'objects', channels: 'objects' },
  guild_members: { joined_at_ms: 'number', roles: 'texts' },
  commands: { contexts: 'listOrNone', integration_types: 'listOrNone', options: 'objectsOrNone' },
  authorizations: { scopes: 'texts' },
  sign_ins: { user_id: 'text' },
  lobby_messages: { message: 'object' },
  interaction_messages: { message: 'object' },
  tokens: { scopes: 'texts', application_id: 'textOrNull' },
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
  gateway_events: { announced: 'object' },
  presences: { sessions: 'objects' },
  webhook_queues: { scope: 'text', application_id: 'text', failures: 'number', first: 'number', next: 'number' },
  webhook_events: { name: 'text', url: 'text', body: 'text', about: 'object', sent_at_ms: 'number' },
} satisfies Fields;

type Check = readonly [name: string, isFit: (value: unknown) => boolean];

const checksOf = Object.fromEntries(
  Object.entries(fieldsOf).map(([collection, fields]): [string, readonly Check[]] => [
    collection,
    Object.entries(fields).map(([name, kind]): Check => [name, isOfKind[kind]]),
  ]),
) as Readonly<Partial<Record<CollectionName, readonly Check[]>>>;
