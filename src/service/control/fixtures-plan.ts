import type { GuildId, RoleId, UserId } from '../../model/snowflake.ts';
import type {
  ApplicationFixture,
  ChannelFixture,
  Fixtures,
  GuildFixture,
  MemberFixture,
  RoleFixture,
  UserFixture,
} from './fixtures-document.ts';

type Identified<Fixture extends { id?: string }> = Fixture & { readonly id: NonNullable<Fixture['id']> };

export interface GuildPlan extends Omit<Identified<GuildFixture>, 'roles' | 'channels' | 'members'> {
  readonly roles: readonly Identified<RoleFixture>[];
  readonly channels: readonly Identified<ChannelFixture>[];
  readonly members: readonly MemberFixture[];
}

/** A fixtures document in which everything has an id. Entries keep their places, so that paths into it stay true. */
export interface FixturesPlan {
  readonly applications: readonly Identified<ApplicationFixture>[];
  readonly users: readonly Identified<UserFixture>[];
  readonly guilds: readonly GuildPlan[];
}

/**
 * Gives an id to whatever has none, to every guild its @everyone role, and makes owners members. A plan
 * is a document too, and comes out as it went in.
 */
export function identify({ applications = [], users = [], guilds = [] }: Fixtures, nextId: () => string): FixturesPlan {
  const identified = <Fixture extends { id?: string }>(fixture: Fixture): Identified<Fixture> => ({
    ...fixture,
    id: fixture.id ?? nextId(),
  });
  return {
    applications: applications.map(identified),
    users: users.map(identified),
    guilds: guilds.map(identified).map(guild => ({
      ...guild,
      roles: withEveryone(guild.id, (guild.roles ?? []).map(identified)),
      channels: (guild.channels ?? []).map(identified),
      members: withOwner(guild.owner_id, guild.members ?? []),
    })),
  };
}

/** @everyone is the role with the guild's own id. */
export function everyoneRoleId(guildId: GuildId): RoleId {
  return String(guildId);
}

/** The owners of the applications and guilds that are already there. */
export interface KnownOwners {
  readonly applications: ReadonlyMap<string, { readonly owner_id: UserId }>;
  readonly guilds: ReadonlyMap<string, { readonly owner_id: UserId }>;
}

export interface OwnedPlan extends FixturesPlan {
  readonly applications: readonly (FixturesPlan['applications'][number] & { readonly owner_id: UserId })[];
  readonly guilds: readonly (GuildPlan & { readonly owner_id: UserId })[];
}

/**
 * Gives an owner to every application and guild without one: that it already has, else the plan's first user; a plan
 * without users gets one.
 */
export function assignOwners(plan: FixturesPlan, known: KnownOwners, nextId: () => string): OwnedPlan {
  const users = [...plan.users];
  const firstUser = (): UserId => {
    const [first = { id: nextId(), username: 'owner' }] = users;
    if (users.length === 0) users.push(first);
    return first.id;
  };
  const applications = plan.applications.map(application => ({
    ...application,
    owner_id: application.owner_id ?? known.applications.get(application.id)?.owner_id ?? firstUser(),
  }));
  const guilds = plan.guilds.map(guild => {
    const before = guild.owner_id ?? known.guilds.get(guild.id)?.owner_id;
    if (before !== undefined) return { ...guild, owner_id: before };
    const owner_id = firstUser();
    return { ...guild, owner_id, members: withOwner(owner_id, guild.members) };
  });
  return { applications, users, guilds };
}

function withEveryone(guildId: GuildId, roles: readonly Identified<RoleFixture>[]): readonly Identified<RoleFixture>[] {
  const id = everyoneRoleId(guildId);
  return roles.some(role => role.id === id) ? roles : [...roles, { id }];
}

function withOwner(ownerId: UserId | undefined, members: readonly MemberFixture[]): readonly MemberFixture[] {
  if (ownerId === undefined || members.some(member => member.user_id === ownerId)) return members;
  return [...members, { user_id: ownerId }];
}
