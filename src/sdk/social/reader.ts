import { relationshipTypes } from '../../model/relationship.ts';
import { isSnowflake, type UserId } from '../../model/snowflake.ts';
import { asRecord } from '../../wire/http/codec.ts';
import type { Fields } from '../lobby/fields.ts';
import { readFlags, readMetadata, readText } from '../lobby/lobby-reader.ts';
import type {
  ActivitySnapshot,
  ApplicationProfileSnapshot,
  RelationshipKind,
  RelationshipSnapshot,
  SocialUserSnapshot,
  UserStatus,
} from './snapshot.ts';

/*
 * Readers of the social layer's payloads: here the wire's shapes become snapshots. They take the plain form and the one in which
 * users are listed apart, ignore what they do not know, and leave out what cannot be read.
 */

/** What is known of one user, as it came. It is read when somebody looks. */
export interface PersonFields {
  readonly id: UserId;
  readonly user: Fields | undefined;
  readonly relationship: Fields | undefined;
  readonly gameRelationship: Fields | undefined;
  readonly presence: Fields | undefined;
  /** By their applications. */
  readonly profiles: Fields | undefined;
}

/** Whose game it is that asks: its application, and the publisher's. */
export interface GameIdentity {
  readonly applicationId: unknown;
  readonly familyId: unknown;
}

/** The records of a list; what is no record is left out. */
export function recordsIn(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.filter(one => asRecord(one) !== undefined) : [];
}

/** The id of the user that a relationship, a presence or a user itself is about. */
export function userIdIn({ user, user_id, id }: Fields): UserId | undefined {
  const read = asRecord(user)?.id ?? id ?? user_id;
  return isSnowflake<'user'>(read) ? read : undefined;
}

const kinds: readonly RelationshipKind[] = ['none', 'friend', 'blocked', 'incoming', 'outgoing'];

function kindOf(fields: Fields | undefined): RelationshipKind {
  return kinds[readFlags(fields?.type)] ?? 'none';
}

export const noRelationship: RelationshipSnapshot = Object.freeze({
  type: 'none',
  gameType: 'none',
  sinceMs: undefined,
  note: undefined,
  isSpamRequest: false,
});

export function readRelationship({ relationship, gameRelationship }: PersonFields): RelationshipSnapshot {
  const gameType = kindOf(gameRelationship);
  const since = Date.parse(readText((relationship ?? gameRelationship)?.since) ?? '');
  return {
    type: kindOf(relationship),
    gameType: gameType === 'blocked' ? 'none' : gameType,
    sinceMs: Number.isNaN(since) ? undefined : since,
    note: readText(relationship?.note),
    isSpamRequest: relationship?.is_spam_request === true,
  };
}

export function isFriend({ relationship, gameRelationship }: PersonFields): boolean {
  return [relationship, gameRelationship].some(fields => fields?.type === relationshipTypes.FRIEND);
}

/** What is known of a person, in a snapshot that is not frozen yet. @param web where pictures are */
export function readPerson(person: PersonFields, game: GameIdentity, web: string): SocialUserSnapshot {
  const { id, user = {}, relationship, gameRelationship, presence, profiles } = person;
  const username = readText(user.username) ?? id;
  const globalName = readText(user.global_name);
  const status = readStatus(presence?.status);
  const hidden = presence?.hidden_activities;
  const shown = status === 'offline' ? none : readActivities(presence?.activities);
  // Hidden ones are sent to users who were invited to them.
  const activities = hidden === undefined || status === 'offline' ? shown : [...shown, ...readActivities(hidden)];
  const activity = activities.find(one => isOfGame(one, game));
  const played = [relationship, gameRelationship, presence].some(fields => fields?.has_played_game === true);
  return {
    id,
    username,
    globalName,
    displayName: globalName ?? username,
    avatarUrl: pictureOf(id, user.avatar, web),
    isProvisional: ((readFlags(user.public_flags) | readFlags(user.flags)) & provisionalFlag) !== 0,
    status,
    activity,
    activities,
    profiles: profiles ? recordsIn(Object.values(profiles)).map(readProfile) : none,
    hasPlayedGame: played || kindOf(gameRelationship) === 'friend' || activity !== undefined,
    relationship: readRelationship(person),
    group: isFriend(person)
      ? status === 'offline'
        ? 'offline'
        : activity
          ? 'onlinePlayingGame'
          : 'onlineElsewhere'
      : undefined,
  };
}

const none: readonly never[] = Object.freeze([]);

function readProfile({ user_id, metadata, ...fields }: Fields): ApplicationProfileSnapshot {
  return { ...(inCamelCase(fields) as ApplicationProfileSnapshot), metadata: readMetadata(metadata) };
}

const provisionalFlag = 1 << 23;
const pictureCount = 6n;

function pictureOf(id: UserId, avatar: unknown, web: string): string {
  if (typeof avatar !== 'string') return `${web}/embed/avatars/${(BigInt(id) >> 22n) % pictureCount}.png`;
  // Half of a surrogate pair cannot be encoded.
  const name = encodeURIComponent(avatar.toWellFormed());
  return `${web}/avatars/${id}/${name}.${avatar.startsWith('a_') ? 'gif' : 'png'}`;
}

export function readStatus(value: unknown): UserStatus {
  return value === 'online' || value === 'idle' || value === 'dnd' ? value : 'offline';
}

export function readActivities(value: unknown): readonly ActivitySnapshot[] {
  const read = recordsIn(value).map(fields => inCamelCase(fields) as ActivitySnapshot);
  return read.filter(({ name, type }) => typeof name === 'string' && typeof type === 'number');
}

const customStatus = 4;

function isOfGame({ type, applicationId, parentApplicationId }: ActivitySnapshot, game: GameIdentity): boolean {
  if (type === customStatus || applicationId === undefined) return false;
  return applicationId === game.applicationId || (parentApplicationId ?? applicationId) === game.familyId;
}

// Activities and profiles have four levels. Much deeper ones would exhaust the stack.
const levelsMax = 64;

/** The value with the names of its fields in camel case, and without those that are null or nested too deeply. */
export function inCamelCase(value: unknown): unknown {
  return renamed(value, name =>
    name.includes('_') ? name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()) : name,
  );
}

/** The value with the names of its fields as the wire has them, and without those that are undefined. */
export function inSnakeCase(value: unknown): unknown {
  return renamed(value, name => name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`));
}

function renamed(value: unknown, rename: (name: string) => string, levels = levelsMax): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (levels === 0) return undefined;
  if (Array.isArray(value)) return value.map(one => renamed(one, rename, levels - 1));
  const fields = value as Fields;
  const present = Object.entries(fields).filter(([, one]) => one !== undefined && one !== null);
  return Object.fromEntries(present.map(([name, one]) => [rename(name), renamed(one, rename, levels - 1)]));
}

/** Freezes a new value of plain records and lists all the way down. */
export function frozen<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    for (const inner of Object.values(value)) frozen(inner);
    Object.freeze(value);
  }
  return value;
}
