import { ArgumentError } from '../model/errors/errors.ts';
import type {
  ApplicationFixture,
  ChannelFixture,
  Fixtures,
  UserFixture,
} from '../service/testing/fixtures/document.ts';
import { parseOptions, requireList } from '../wire/arguments.ts';

/** What a world consists of. Everything has a default. */
export interface WorldFixturesOptions {
  /** Usernames, or users with more than a name; at least one. Default: `ada`, `grace`. The first owns the application and the guild. */
  readonly users?: readonly (string | (UserFixture & { readonly username: string }))[];
  /** Names, or channels with more than a name. Default: `general`. */
  readonly channels?: readonly (string | (ChannelFixture & { readonly name: string }))[];
  /** What differs from a public client with a bot and a loopback redirect. */
  readonly application?: ApplicationFixture;
}

const ids = { application: '1', guild: '2', firstChannel: 100, firstUser: 1000 };

/**
 * The fixtures of a world: an application with a bot, users, and a guild with the application, all users and some channels.
 * Ids are the same every time. Also good for `rallypoint serve --fixtures`.
 *
 * @throws ArgumentError `not_in_world`: there is no user; `invalid_argument`
 * @example
 * const fixtures = createFixtures({ users: ['ada', 'grace'], channels: ['harbour'] });
 */
export function createFixtures(options?: WorldFixturesOptions): Fixtures {
  const {
    users: givenUsers = ['ada', 'grace'],
    channels: givenChannels = ['general'],
    application = {},
  } = parseOptions(options);
  requireList('users', givenUsers);
  requireList('channels', givenChannels);
  const users = givenUsers.map((user, at) => ({
    id: String(ids.firstUser + at),
    ...(typeof user === 'string' ? { username: user, global_name: capitalized(user) } : user),
  }));
  const channels = givenChannels.map((channel, at) => ({
    id: String(ids.firstChannel + at),
    ...(typeof channel === 'string' ? { name: channel } : channel),
  }));
  const [owner] = users;
  if (!owner) throw new ArgumentError('not_in_world', 'A world needs at least one user.');
  const applicationId = application.id ?? ids.application;
  return {
    applications: [
      {
        id: applicationId,
        name: 'Game',
        owner_id: owner.id,
        bot_token: 'bot-token-of-the-world',
        public_client: true,
        redirect_uris: ['http://127.0.0.1/callback'],
        ...application,
      },
    ],
    users,
    guilds: [
      {
        id: ids.guild,
        name: 'Guild',
        owner_id: owner.id,
        applications: [applicationId],
        channels,
        members: users.map(({ id }) => ({ user_id: id })),
      },
    ],
  };
}

function capitalized(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
