import { type RelationshipType, relationshipTypes } from '../../../model/relationship.ts';
import type { UserId } from '../../../model/snowflake.ts';
import type { FixturesDocument } from '../../../wire/control/calls.ts';
import type { Core } from '../../core.ts';
import type { ControlDeps } from '../deps.ts';
import { type ControlCall, ControlRefusal, call } from '../request.ts';

const fixturesBytesMax = 64 * 1024 * 1024;

const exported = [
  ...(['applications', 'users', 'guilds', 'guild_members', 'relationships', 'game_relationships'] as const),
  ...(['social_settings', 'direct_messages'] as const),
  'application_profiles' as const,
];

/** A world larger than this is no document that somebody edits. */
const entriesMax = 50_000;

/** Calls that bring the world in and out as a fixtures document. */
export function fixturesCalls({ core, fixtures }: ControlDeps): readonly ControlCall[] {
  return [
    call('GET /fixtures', () => presentFixtures(core)),
    call(
      'POST /fixtures',
      ({ body, query }) => fixtures.apply(body, { keepUnknownSecrets: query.keep_secrets === 'true' }),
      fixturesBytesMax,
    ),
  ];
}

/** The present world, without secrets and provisional accounts: where the document is posted they keep theirs or get new ones. */
async function presentFixtures({ store }: Core): Promise<FixturesDocument> {
  const counts = await Promise.all(exported.map(name => store.count(name, entriesMax + 1)));
  const tooMany = exported.find((_, at) => (counts[at] ?? 0) > entriesMax);
  if (tooMany) {
    throw new ControlRefusal(413, `There are more than ${entriesMax} ${tooMany}; take GET /control/snapshot instead.`);
  }
  const [applications, users, guilds, guildMembers, social] = await Promise.all([
    store.list('applications'),
    store.list('users'),
    store.list('guilds'),
    store.list('guild_members'),
    presentSocial({ store }),
  ]);
  const members = Map.groupBy(guildMembers, ({ guild_id }) => guild_id);
  return {
    applications: applications.map(application => {
      const { bot_token_hash, client_secret_hash, verify_key: _, signing_key: __, ...shown } = application;
      return {
        ...shown,
        ...(bot_token_hash === null && { bot_token: null }),
        ...(client_secret_hash === null && { client_secret: null }),
      };
    }),
    // Provisional accounts belong to players who come back by themselves.
    users: users.filter(user => user.provisional_of === null).map(({ provisional_of: _, ...user }) => user),
    guilds: guilds.map(guild => ({
      ...guild,
      members: (members.get(guild.id) ?? []).map(({ user_id, roles, nick, joined_at_ms }) => {
        return { user_id, roles, nick, joined_at: timeOf(joined_at_ms) };
      }),
    })),
    ...social,
  };
}

/** What the users have with each other, without provisional accounts. */
async function presentSocial({ store }: Pick<Core, 'store'>): Promise<FixturesDocument> {
  const [users, full, inGames, ownSettings, sent, ownProfiles] = await Promise.all([
    store.list('users'),
    store.list('relationships'),
    store.list('game_relationships'),
    store.list('social_settings'),
    store.list('direct_messages'),
    store.list('application_profiles'),
  ]);
  const provisional = new Set(users.filter(user => user.provisional_of !== null).map(({ id }) => id));
  const isBetweenUsers = (...ids: readonly UserId[]) => !ids.some(id => provisional.has(id));
  const nicknames = new Map(full.map(({ user_id, target_id, nickname }) => [`${user_id}/${target_id}`, nickname]));
  const relationships = [...full.map(record => ({ ...record, family_id: null })), ...inGames]
    .filter(({ user_id, target_id }) => isBetweenUsers(user_id, target_id))
    .flatMap(({ user_id, target_id, type, family_id, since_ms }) => {
      const kind = kindOf(type, user_id, target_id);
      if (!kind) return [];
      const application = family_id === null ? {} : { application_id: family_id };
      const pair = [`${user_id}/${target_id}`, `${target_id}/${user_id}`];
      const names = family_id === null && kind === 'friend' ? pair.map(key => nicknames.get(key) ?? null) : [];
      const named = names.some(name => name !== null) && { nicknames: names };
      return [{ users: [user_id, target_id], type: kind, ...application, since: timeOf(since_ms), ...named }];
    });
  const settings = ownSettings
    .filter(({ user_id }) => isBetweenUsers(user_id))
    .map(({ user_id, settings, accept_friend_requests }) => ({
      ...{ user_id, ...settings },
      ...(accept_friend_requests !== undefined && { accept_friend_requests }),
    }));
  const messages = sent
    .filter(({ is_ephemeral, message }) => !is_ephemeral && message.activity === undefined)
    .filter(({ author_id, recipient_id }) => isBetweenUsers(author_id, recipient_id))
    .map(({ id, channel_id, author_id, recipient_id, message, application_id, edited_at_ms, moderation_metadata }) => {
      const edited = edited_at_ms !== null && { edited_at: timeOf(edited_at_ms) };
      const noted = moderation_metadata !== null && { moderation_metadata };
      const { content } = message;
      return { ...{ id, channel_id, author_id, recipient_id, content, application_id }, ...edited, ...noted };
    });
  const profiles = ownProfiles
    .filter(({ user_id }) => isBetweenUsers(user_id))
    .map(({ application_id, user_id, identity, username, metadata, data }) => {
      const external_user_id = identity.provider_issued_user_id;
      return { application_id, user_id, external_user_id, username, metadata, data };
    });
  return { relationships, social_settings: settings, direct_messages: messages, application_profiles: profiles };
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}

/** Each pair is named once: a request by who sent it. */
function kindOf(type: RelationshipType, userId: UserId, targetId: UserId): 'friend' | 'request' | 'block' | undefined {
  if (type === relationshipTypes.BLOCKED) return 'block';
  if (type === relationshipTypes.OUTGOING) return 'request';
  return type === relationshipTypes.FRIEND && BigInt(userId) < BigInt(targetId) ? 'friend' : undefined;
}
