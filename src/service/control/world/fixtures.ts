import type { FixturesDocument } from '../../../wire/control/calls.ts';
import type { Core } from '../../core.ts';
import type { ControlDeps } from '../deps.ts';
import { type ControlCall, ControlRefusal, call } from '../request.ts';

const fixturesBytesMax = 64 * 1024 * 1024;

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

/** The present applications, users and guilds, without secrets: where the document is posted they keep theirs or get new ones. */
async function presentFixtures({ store }: Core): Promise<FixturesDocument> {
  for (const name of ['applications', 'users', 'guilds', 'guild_members'] as const) {
    if ((await store.count(name, entriesMax + 1)) <= entriesMax) continue;
    throw new ControlRefusal(413, `There are more than ${entriesMax} ${name}; take GET /control/snapshot instead.`);
  }
  const applications = await store.list('applications');
  const users = await store.list('users');
  const guilds = await store.list('guilds');
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
  };
}
