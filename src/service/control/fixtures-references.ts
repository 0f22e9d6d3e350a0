import { threadTypes } from '../../model/guild.ts';
import type { Issue } from '../../model/issue.ts';
import { hashSecret } from '../secret.ts';
import type { MaybePromise, StoreView } from '../store/contract.ts';
import type { GuildRecord } from '../store/records.ts';
import { issue } from './check.ts';
import type { FixturesPlan, GuildPlan } from './fixtures-plan.ts';
import { type Known, memberKey } from './fixtures-records.ts';

/** Reads what `plan` names. */
export async function readKnown(view: StoreView, plan: FixturesPlan): Promise<Known> {
  // A bot is a user with its application's id, so every id is looked for among both.
  const accounts = [...namedAccounts(plan)];
  const members = plan.guilds.flatMap(guild => guild.members.map(member => [guild.id, member.user_id] as const));
  const tokens = plan.applications.flatMap(({ bot_token: token }) => (token ? [token] : []));
  return {
    applications: await readAll(accounts, String, id => view.get('applications', id)),
    users: await readAll(accounts, String, id => view.get('users', id)),
    passwords: await readPasswords(view, plan),
    guilds: await readAll(
      plan.guilds,
      guild => guild.id,
      guild => view.get('guilds', guild.id),
    ),
    members: await readAll(
      members,
      key => memberKey(...key),
      key => view.get('guild_members', ...key),
    ),
    tokenOwners: await readAll(tokens, String, async token => {
      const query = { index: 'byBotToken', equals: [hashSecret(token)], limit: 1 } as const;
      return (await view.list('applications', query))[0];
    }),
  };
}

/** Every id of the plan that leads nowhere, or to something that is another's. */
export function checkReferences(plan: FixturesPlan, known: Known): Issue[] {
  const issues: Issue[] = [];
  const ids: AccountIds = {
    applications: new Set([...plan.applications.map(({ id }) => id), ...known.applications.keys()]),
    users: new Set([...plan.users.map(({ id }) => id), ...known.users.keys()]),
  };
  plan.applications.forEach((application, index) => {
    const path = ['applications', String(index)];
    const holder = known.tokenOwners.get(application.bot_token ?? '');
    if (known.users.has(application.id)) issues.push(issue('taken', [...path, 'id'], 'the id'));
    if (holder && holder.id !== application.id) issues.push(issue('taken', [...path, 'bot_token'], 'the token'));
    expectIn(ids.users, application.owner_id, 'user', [...path, 'owner_id'], issues);
    const isOwnParent = application.parent_id === application.id;
    const parents: ReadonlySet<string> = isOwnParent ? new Set() : ids.applications;
    expectIn(parents, application.parent_id, 'other application', [...path, 'parent_id'], issues);
  });
  plan.users.forEach(({ id }, index) => {
    if (known.applications.has(id)) issues.push(issue('taken', ['users', String(index), 'id'], 'the id'));
  });
  plan.guilds.forEach((guild, index) => {
    checkGuild(guild, known.guilds.get(guild.id), ids, ['guilds', String(index)], issues);
  });
  return issues;
}

interface AccountIds {
  readonly applications: ReadonlySet<string>;
  readonly users: ReadonlySet<string>;
}

function checkGuild(
  guild: GuildPlan,
  before: GuildRecord | undefined,
  { applications, users }: AccountIds,
  path: readonly string[],
  issues: Issue[],
): void {
  const roles = new Set([...guild.roles, ...(before?.roles ?? [])].map(({ id }) => id));
  const channelTypes = channelTypesOf(guild, before);
  expectIn(users, guild.owner_id, 'user', [...path, 'owner_id'], issues);
  guild.applications?.forEach((id, at) => {
    expectIn(applications, id, 'application', [...path, 'applications', String(at)], issues);
  });
  guild.members.forEach((member, at) => {
    const memberPath = [...path, 'members', String(at)];
    expectIn(users, member.user_id, 'user', [...memberPath, 'user_id'], issues);
    member.roles?.forEach((id, nth) => {
      expectIn(roles, id, 'role of the guild', [...memberPath, 'roles', String(nth)], issues);
    });
  });
  guild.channels.forEach((channel, at) => {
    const channelPath = [...path, 'channels', String(at)];
    const [parents, kind] = parentsFor(channel.id, channelTypes);
    expectIn(parents, channel.parent_id, kind, [...channelPath, 'parent_id'], issues);
    channel.permission_overwrites?.forEach(({ id, type }, nth) => {
      const [ids, what] = type === 0 ? ([roles, 'role of the guild'] as const) : ([users, 'user'] as const);
      expectIn(ids, id, what, [...channelPath, 'permission_overwrites', String(nth), 'id'], issues);
    });
  });
}

function expectIn(
  ids: ReadonlySet<string>,
  id: string | null | undefined,
  what: string,
  path: readonly string[],
  issues: Issue[],
): void {
  if (id !== null && id !== undefined && !ids.has(id)) issues.push(issue('unknown_reference', path, what));
}

const categoryType = 4;

type ChannelTypes = ReadonlyMap<string, number>;

function channelTypesOf(guild: GuildPlan, before: GuildRecord | undefined): ChannelTypes {
  const types = new Map(before?.channels.map(({ id, type }) => [id as string, type] as const));
  for (const { id, type } of guild.channels) types.set(id, type ?? types.get(id) ?? 0);
  return types;
}

/** What a channel can hang below: a thread below a channel, anything else below a category. */
function parentsFor(id: string, types: ChannelTypes): readonly [ReadonlySet<string>, string] {
  const withType = (fits: (type: number) => boolean) =>
    new Set([...types].filter(([, type]) => fits(type)).map(([other]) => other));
  if (!threadTypes.has(types.get(id) ?? 0)) return [withType(type => type === categoryType), 'category of the guild'];
  return [withType(type => type !== categoryType && !threadTypes.has(type)), 'channel of the guild'];
}

/** The ids of applications and users that stand anywhere in the plan. */
function namedAccounts({ applications, users, guilds }: FixturesPlan): ReadonlySet<string> {
  const ids = new Set<string>();
  const name = (id: string | null | undefined) => {
    if (id != null) ids.add(id);
  };
  for (const application of applications) {
    name(application.id);
    name(application.owner_id);
    name(application.parent_id);
  }
  for (const user of users) name(user.id);
  for (const guild of guilds) {
    name(guild.owner_id);
    guild.applications?.forEach(name);
    for (const member of guild.members) name(member.user_id);
    for (const channel of guild.channels)
      for (const overwrite of channel.permission_overwrites ?? []) name(overwrite.id);
  }
  return ids;
}

/** Most services have no passwords at all, and then not one of perhaps a million users is looked up. */
async function readPasswords(view: StoreView, { users }: FixturesPlan): Promise<Known['passwords']> {
  const [any] = await view.list('passwords', { limit: 1 });
  return readAll(
    any ? users : [],
    ({ id }) => id,
    ({ id }) => view.get('passwords', id),
  );
}

async function readAll<Key, Found>(
  keys: readonly Key[],
  nameOf: (key: Key) => string,
  read: (key: Key) => MaybePromise<Found | undefined>,
): Promise<Map<string, Found>> {
  const found = new Map<string, Found>();
  for (const key of keys) {
    const one = await read(key);
    if (one !== undefined) found.set(nameOf(key), one);
  }
  return found;
}
