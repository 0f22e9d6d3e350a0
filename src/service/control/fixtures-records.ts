import { integrationTypes } from '../../model/command.ts';
import { permissionBits } from '../../model/guild.ts';
import type { Locale } from '../../model/locale.ts';
import type { GuildId } from '../../model/snowflake.ts';
import type {
  ApplicationRecord,
  ChannelRecord,
  GuildMemberRecord,
  GuildRecord,
  IdentityProvider,
  PasswordRecord,
  RoleRecord,
  UserRecord,
} from '../store/records.ts';
import type { IdentityProviderFixture, MemberFixture } from './fixtures-document.ts';
import { type GivenPasswords, passwordRecords } from './fixtures-passwords.ts';
import { everyoneRoleId, type GuildPlan, type OwnedPlan } from './fixtures-plan.ts';

/** What the store already has of all that a plan names. */
export interface Known {
  readonly applications: ReadonlyMap<string, ApplicationRecord>;
  readonly users: ReadonlyMap<string, UserRecord>;
  /** By user. */
  readonly passwords: ReadonlyMap<string, PasswordRecord>;
  readonly guilds: ReadonlyMap<string, GuildRecord>;
  /** By {@link memberKey}. */
  readonly members: ReadonlyMap<string, GuildMemberRecord>;
  /** Bot token → the application whose it is. */
  readonly tokenOwners: ReadonlyMap<string, ApplicationRecord>;
}

export function memberKey(guildId: string, userId: string): string {
  return `${guildId}/${userId}`;
}

/** The collections that fixtures fill. */
export interface FixtureRecords {
  readonly applications: readonly ApplicationRecord[];
  readonly users: readonly UserRecord[];
  readonly passwords: readonly PasswordRecord[];
  readonly guilds: readonly GuildRecord[];
  readonly guild_members: readonly GuildMemberRecord[];
}

/** Secrets of an application as they are kept, and the key pair of its outgoing requests. */
export type ApplicationSecrets = Pick<
  ApplicationRecord,
  'bot_token_hash' | 'client_secret_hash' | 'verify_key' | 'signing_key'
>;

/** What @everyone may do in a guild whose fixtures do not say. Our choice: what a member of a chat usually may. */
export const everyonePermissions = (
  permissionBits.VIEW_CHANNEL |
  permissionBits.SEND_MESSAGES |
  permissionBits.SEND_MESSAGES_IN_THREADS |
  permissionBits.EMBED_LINKS |
  permissionBits.ATTACH_FILES |
  permissionBits.USE_EXTERNAL_EMOJIS |
  permissionBits.USE_APPLICATION_COMMANDS
).toString();

const defaultLocale: Locale = 'en-US';

/** What is to be stored: each thing as it was, changed by what the plan says of it, defaults for the rest. */
export function recordsOf(
  plan: OwnedPlan,
  known: Known,
  nowMs: number,
  settle: (application: OwnedPlan['applications'][number], before?: ApplicationRecord) => ApplicationSecrets,
  givenPasswords: GivenPasswords,
): FixtureRecords {
  const users = plan.users.map(user => userRecord(user, known.users.get(user.id)));
  return {
    applications: plan.applications.map(application => {
      const before = known.applications.get(application.id);
      return { ...applicationRecord(application, before), ...settle(application, before) };
    }),
    users,
    passwords: passwordRecords(users, known.passwords, givenPasswords),
    guilds: plan.guilds.map(guild => guildRecord(guild, known.guilds.get(guild.id))),
    guild_members: plan.guilds.flatMap(guild =>
      guild.members.map(member =>
        memberRecord(guild.id, member, known.members.get(memberKey(guild.id, member.user_id)), nowMs),
      ),
    ),
  };
}

function applicationRecord(
  { bot_token: _, client_secret: __, identity_providers: providers, ...application }: OwnedPlan['applications'][number],
  before: ApplicationRecord | undefined,
): Omit<ApplicationRecord, keyof ApplicationSecrets> {
  return {
    name: `application-${application.id}`,
    description: '',
    bot_username: null,
    public_client: false,
    redirect_uris: [],
    bot_require_code_grant: false,
    install_params: null,
    embedded: false,
    discoverable: false,
    integration_types: Object.values(integrationTypes),
    interactions_endpoint_url: null,
    event_webhooks_url: null,
    role_connection_metadata: [],
    parent_id: null,
    provisional_accounts: true,
    identity_providers: [],
    ...before,
    ...application,
    ...(providers && { identity_providers: providers.map(providerRecord) }),
  };
}

function providerRecord(provider: IdentityProviderFixture): IdentityProvider {
  return 'issuer' in provider ? { jwks_uri: null, ...provider } : provider;
}

function userRecord({ password: _, ...user }: OwnedPlan['users'][number], before: UserRecord | undefined): UserRecord {
  return {
    username: `user-${user.id}`,
    global_name: null,
    locale: defaultLocale,
    adult: true,
    banned: false,
    provisional_of: null,
    ...before,
    ...user,
  };
}

function memberRecord(
  guildId: GuildId,
  { roles, ...member }: MemberFixture,
  before: GuildMemberRecord | undefined,
  nowMs: number,
): GuildMemberRecord {
  const everyone = everyoneRoleId(guildId);
  return {
    guild_id: guildId,
    nick: null,
    joined_at_ms: nowMs,
    ...before,
    ...member,
    // Everybody has @everyone, so it is never listed.
    roles: (roles ?? before?.roles ?? []).filter(id => id !== everyone),
  };
}

function guildRecord(guild: OwnedPlan['guilds'][number], before: GuildRecord | undefined): GuildRecord {
  return {
    id: guild.id,
    name: guild.name ?? before?.name ?? `guild-${guild.id}`,
    owner_id: guild.owner_id,
    locale: guild.locale ?? before?.locale ?? defaultLocale,
    applications: guild.applications ?? before?.applications ?? [],
    roles: roleRecords(guild, before?.roles ?? []),
    channels: channelRecords(guild, before?.channels ?? []),
  };
}

function roleRecords(guild: GuildPlan, before: readonly RoleRecord[]): readonly RoleRecord[] {
  const everyone = everyoneRoleId(guild.id);
  const roles = mergeById(before, guild.roles, (role, known, place) => {
    const defaults =
      role.id === everyone
        ? { name: '@everyone', permissions: everyonePermissions, position: 0 }
        : { name: `role-${role.id}`, permissions: '0', position: place + 1 };
    return { ...defaults, ...known, ...role };
  });
  return [...roles.filter(({ id }) => id === everyone), ...roles.filter(({ id }) => id !== everyone)];
}

function channelRecords(guild: GuildPlan, before: readonly ChannelRecord[]): readonly ChannelRecord[] {
  return mergeById(before, guild.channels, ({ permission_overwrites: overwrites, ...channel }, known, place) => ({
    type: 0,
    name: `channel-${channel.id}`,
    nsfw: false,
    position: place,
    parent_id: null,
    permission_overwrites: [],
    ...known,
    ...channel,
    ...(overwrites && { permission_overwrites: overwrites.map(one => ({ allow: '0', deny: '0', ...one })) }),
  }));
}

/** What was there in its order, changed where `given` names it, then the rest of `given` in its order. */
function mergeById<Item extends { readonly id: string }, Given extends { readonly id: string }>(
  before: readonly Item[],
  given: readonly Given[],
  merge: (given: Given, known: Item | undefined, place: number) => Item,
): Item[] {
  const places = new Map(before.map((item, place) => [item.id, place]));
  const merged = [...before];
  for (const one of given) {
    const place = places.get(one.id) ?? merged.length;
    merged[place] = merge(one, before[place], place);
  }
  return merged;
}
