import type { Locale } from '../../model/locale.ts';
import type { ApplicationRecord, GuildMemberRecord, GuildRecord } from '../store/records.ts';
import type { FilledApplication, FilledFixtures, FilledGuild } from './fixtures-document.ts';
import type { GuildPlan } from './fixtures-plan.ts';
import { type FixtureRecords, memberKey } from './fixtures-records.ts';

/** Gives the secret whose hash is kept: null when there is none, undefined when it is not known in clear. */
export type Reveal = (hash: string | null) => string | null | undefined;

/**
 * The document with everything filled in: the plan's entries in the plan's order, with the values that are stored.
 *
 * @param guilds the plan's, in the order of the records
 */
export function fillIn(guilds: readonly GuildPlan[], records: FixtureRecords, reveal: Reveal): FilledFixtures {
  const plans = new Map(guilds.map(guild => [guild.id, guild]));
  const members = new Map(records.guild_members.map(member => [memberKey(member.guild_id, member.user_id), member]));
  return {
    applications: records.applications.map(application => showApplication(application, reveal)),
    users: records.users.map(({ provisional_of: _, ...user }) => ({ ...user, locale: user.locale as Locale })),
    guilds: records.guilds.map(guild => showGuild(guild, plans.get(guild.id), members)),
  };
}

function showApplication(record: ApplicationRecord, reveal: Reveal): FilledApplication {
  const { bot_token_hash, client_secret_hash, verify_key: _, signing_key: __, ...known } = record;
  // What its bot says of it itself is no part of a document.
  const { bot_username: ___, role_connection_metadata: ____, ...shown } = known;
  const bot_token = reveal(bot_token_hash);
  const client_secret = reveal(client_secret_hash);
  return {
    ...shown,
    ...(bot_token !== undefined && { bot_token }),
    ...(client_secret !== undefined && { client_secret }),
  };
}

function showGuild(
  record: GuildRecord,
  plan: GuildPlan | undefined,
  members: ReadonlyMap<string, GuildMemberRecord>,
): FilledGuild {
  return {
    ...record,
    locale: record.locale as Locale,
    roles: inOrderOf(plan?.roles, record.roles),
    channels: inOrderOf(plan?.channels, record.channels),
    members: (plan?.members ?? []).flatMap(({ user_id }) => {
      const member = members.get(memberKey(record.id, user_id));
      return member ? [{ user_id, roles: member.roles, nick: member.nick }] : [];
    }),
  };
}

/** Those of `items` that the plan names, in its order. */
function inOrderOf<Item extends { readonly id: string }>(
  named: readonly { readonly id: string }[] = [],
  items: readonly Item[],
): Item[] {
  const byId = new Map(items.map(item => [item.id, item]));
  return named.flatMap(({ id }) => byId.get(id) ?? []);
}
