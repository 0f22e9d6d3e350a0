import type { DirectChannel } from '../../../model/direct-message.ts';
import { capabilities, intents, type PlayerReady, type Ready, type ReadySupplemental } from '../../../model/gateway.ts';
import type { GameRelationship, Relationship } from '../../../model/relationship.ts';
import type { ApplicationId, UserId } from '../../../model/snowflake.ts';
import type { User } from '../../../model/user.ts';
import type { Core } from '../../core.ts';
import { topics } from '../../events/announcement.ts';
import { userView } from '../../features/accounts/user-view.ts';
import { applicationsOf } from '../../features/social/family.ts';
import { readDirectChannels } from '../../features/social/messages/channels.ts';
import { familyOf } from '../../features/social/pair.ts';
import {
  createPlayedCheck,
  gameRelationshipsOf,
  readRelationshipsAtOnce,
  relationshipsOf,
  relationshipsVersion,
} from '../../features/social/relationships/records.ts';
import { gameRelationshipView, relationshipView } from '../../features/social/relationships/view.ts';
import { readProfiles } from '../../features/social/users/profiles.ts';
import type { UserRecord } from '../../store/records.ts';
import type { Identity, SessionPrincipal } from '../identify.ts';
import { readFriendsPresences, readOwn, supplementalOf } from './presence-ready.ts';
import type { Session } from './session.ts';

/** Whose session it is, and what its credential lets it read. */
export interface SocialViewer {
  readonly user: UserRecord;
  /** What the game shares relationships by; null: the user's own client, which sees all games. */
  readonly familyId: ApplicationId | null;
  /** Whether the session has one of the scopes. A user's own client has all. */
  may(...scopes: readonly string[]): boolean;
}

export function socialViewer(principal: Extract<SessionPrincipal, { kind: 'user' | 'session' }>): SocialViewer {
  if (principal.kind === 'session') return { user: principal.user, familyId: null, may: () => true };
  const { user, application, scopes } = principal;
  return { user, familyId: familyOf(application), may: (...names) => names.some(name => scopes.has(name)) };
}

/** The users of READY: in their entries or, with the capability DEDUPE_USER_OBJECTS, apart and each once. */
export class ReadyUsers {
  readonly areApart: boolean;
  readonly #byId = new Map<UserId, User>();
  readonly #ids = new Set<UserId>();

  constructor({ capabilities: bits }: Identity) {
    this.areApart = (bits & capabilities.DEDUPE_USER_OBJECTS) !== 0;
  }

  add(user: UserRecord): void {
    this.#ids.add(user.id);
    if (this.areApart && !this.#byId.has(user.id)) this.#byId.set(user.id, userView(user));
  }

  get ids(): readonly UserId[] {
    return [...this.#ids];
  }

  /** READY's `users`, where it has them. */
  get field(): Pick<Ready, 'users'> {
    return this.areApart ? { users: [...this.#byId.values()] } : {};
  }
}

/**
 * Lets a session follow its user's part of the social layer, and then reads it for READY.
 *
 * @see docs/spec/social.md#ready
 */
export async function readSocial(
  core: Core,
  session: Session,
  viewer: SocialViewer,
  identity: Identity,
): Promise<SocialReading> {
  const users = new ReadyUsers(identity);
  await session.follow(topics.sessions(viewer.user.id));
  // Read again, because its changes are received only from here on.
  const user = userView((await core.store.get('users', viewer.user.id)) ?? viewer.user);
  const relationships = await readRelationships(core, session, viewer, users);
  const channels = await readChannels(core, session, viewer, users);
  const own = await readOwn(core, session, viewer);
  const presences = await readFriendsPresences(core, session, viewer);
  // Profiles that are written from here on come by events, as all these users are followed.
  const known = [viewer.user.id, ...users.ids];
  const applications = viewer.familyId === null ? undefined : await applicationsOf(core.store, viewer.familyId);
  const user_application_profiles = await readProfiles(core.store, known, applications);
  const lists = {
    ...{ ...relationships, ...channels, ...own, user_application_profiles },
    ...(!users.areApart && { presences }),
  };
  return { ready: { user, ...lists, ...users.field }, supplemental: supplementalOf(presences) };
}

/** What READY and READY_SUPPLEMENTAL tell of the social layer. */
export interface SocialReading {
  readonly ready: Partial<Ready> & Pick<Ready, 'user'> & Pick<PlayerReady, 'user_application_profiles'>;
  readonly supplemental: ReadySupplemental;
}

/** Also what the session needs to know of whose presence to follow. */
async function readRelationships(
  { store }: Core,
  session: Session,
  { user: { id }, familyId, may }: SocialViewer,
  users: ReadyUsers,
): Promise<Pick<Ready, 'relationships' | 'game_relationships'>> {
  if (!may('relationships.read')) return { relationships: [], game_relationships: [] };
  await session.follow(topics.relationships(id));
  const { value, revision } = await readRelationshipsAtOnce(store, id, async view =>
    Promise.all([relationshipsOf(view, id), gameRelationshipsOf(view, id, familyId)]),
  );
  session.saw(relationshipsVersion(id), revision);
  const [full, games] = value;
  const others = await readUsers(store, new Set([...full, ...games].map(({ target_id }) => target_id)));
  const hasPlayed = familyId === null ? undefined : createPlayedCheck(store, familyId);
  const played = hasPlayed && (await Promise.all(full.map(({ target_id }) => hasPlayed(target_id))));
  const relationships = full.flatMap((record, at): Relationship[] => {
    const user = others.get(record.target_id);
    if (!user) return [];
    users.add(user);
    const shown = relationshipView(record, users.areApart ? undefined : user);
    return [played ? { ...shown, has_played_game: played[at] === true } : shown];
  });
  const game_relationships = games.flatMap((record): GameRelationship[] => {
    const user = others.get(record.target_id);
    if (!user) return [];
    users.add(user);
    return [gameRelationshipView(record, users.areApart ? undefined : user)];
  });
  return { relationships, game_relationships };
}

/**
 * The user's direct channels. A session that does not receive messages receives invites. A channel that is opened meanwhile may be in
 * READY and be announced, too.
 */
async function readChannels(
  { store }: Core,
  session: Session,
  { user: { id }, may }: SocialViewer,
  users: ReadyUsers,
): Promise<Pick<Ready, 'private_channels'>> {
  // A user's own client has no intents, and receives everything.
  const receivesMessages =
    may('dm_channels.messages.read') && ((session.record.intents ?? -1) & intents.DIRECT_MESSAGES) !== 0;
  await session.follow(receivesMessages ? topics.directMessages(id) : topics.invites(id));
  if (!may('dm_channels.read')) return { private_channels: [] };
  const found = await readDirectChannels(store, id);
  for (const { other } of found) users.add(other);
  const private_channels = found.map(({ channel, other }): DirectChannel => {
    if (!users.areApart) return channel;
    const { recipients: _, ...apart } = channel;
    return { ...apart, recipient_ids: [other.id] };
  });
  return { private_channels };
}

async function readUsers(view: Core['store'], ids: ReadonlySet<UserId>): Promise<ReadonlyMap<UserId, UserRecord>> {
  const found = await Promise.all([...ids].map(id => view.get('users', id)));
  return new Map(found.flatMap(user => (user ? [[user.id, user] as const] : [])));
}
