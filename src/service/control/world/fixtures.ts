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
  for (const name of exported) {
    if ((await store.count(name, entriesMax + 1)) <= entriesMax) continue;
    throw new ControlRefusal(413, `There are more than ${entriesMax} ${name}; take GET /control/snapshot instead.`);
  }
  const applications = await store.list('applications');
  const users = await store.list('users');
  const guilds = await store.list('guilds');
  const social = await presentSocial({ store });
  const members = Map.groupBy(await store.list('guild_members'), ({ guild_id }) => guild_id);
  return {
    applications: applications.map(application => {
      const { bot_token_hash, client_secret_hash, verify_key: _, signing_key: __, ...rest } = application;
      const { bot_username: ___, role_connection_metadata: ____, ...shown } = rest;
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
      members: (members.get(guild.id) ?? []).map(({ user_id, roles, nick }) => ({ user_id, roles, nick })),
    })),
    ...social,
  };
}

/** What the users have with each other, without provisional accounts. */
async function presentSocial({ store }: Pick<Core, 'store'>): Promise<FixturesDocument> {
  const provisional = new Set(
    (await store.list('users')).filter(user => user.provisional_of !== null).map(({ id }) => id),
  );
  const isBetweenUsers = (...ids: readonly UserId[]) => !ids.some(id => provisional.has(id));
  const relationships = [
    ...(await store.list('relationships')).map(record => ({ ...record, family_id: null })),
    ...(await store.list('game_relationships')),
  ]
    .filter(({ user_id, target_id }) => isBetweenUsers(user_id, target_id))
    .flatMap(({ user_id, target_id, type, family_id }) => {
      const kind = kindOf(type, user_id, target_id);
      const application = family_id === null ? {} : { application_id: family_id };
      return kind ? [{ users: [user_id, target_id], type: kind, ...application }] : [];
    });
  const settings = (await store.list('social_settings'))
    .filter(({ user_id }) => isBetweenUsers(user_id))
    .map(({ user_id, settings, accept_friend_requests }) => ({
      ...{ user_id, ...settings },
      ...(accept_friend_requests !== undefined && { accept_friend_requests }),
    }));
  const messages = (await store.list('direct_messages'))
    .filter(({ is_ephemeral, message }) => !is_ephemeral && message.activity === undefined)
    .filter(({ author_id, recipient_id }) => isBetweenUsers(author_id, recipient_id))
    .map(({ id, author_id, recipient_id, message, application_id }) => {
      return { id, author_id, recipient_id, content: message.content, application_id };
    });
  return { relationships, social_settings: settings, direct_messages: messages };
}

/** Each pair is named once: a request by who sent it. */
function kindOf(type: RelationshipType, userId: UserId, targetId: UserId): 'friend' | 'request' | 'block' | undefined {
  if (type === relationshipTypes.BLOCKED) return 'block';
  if (type === relationshipTypes.OUTGOING) return 'request';
  return type === relationshipTypes.FRIEND && BigInt(userId) < BigInt(targetId) ? 'friend' : undefined;
}
