import { intents } from '../../model/gateway.ts';
import type { Guild, GuildMember } from '../../model/guild.ts';
import { topics } from '../announcement.ts';
import type { Core } from '../core.ts';
import { botUserId, guildView, impliedBotMember, memberView } from '../domain/guild-view.ts';
import { botUserView, userView } from '../domain/user-view.ts';
import type { ApplicationRecord, GuildMemberRecord, GuildRecord } from '../store/records.ts';
import type { Identity } from './identify.ts';
import { readyApplication, readyBase } from './ready.ts';
import type { Session } from './session.ts';
import { servesGuild } from './shard.ts';

/** Starts a bot's session: READY, then GUILD_CREATE for each guild of its shard. @see gateway.md 3 */
export async function startBotSession(
  core: Core,
  session: Session,
  application: ApplicationRecord,
  identity: Identity,
): Promise<void> {
  await session.follow(session.home);
  const guilds = await guildsOf(core, application, identity);
  for (const { id } of guilds) await session.follow(topics.guild(id));
  session.emit('READY', {
    ...readyBase(core, session),
    user: botUserView(application),
    guilds: guilds.map(({ id }) => ({ id, unavailable: true })),
    application: readyApplication(application),
    ...(identity.shard && { shard: identity.shard }),
  });
  for (const guild of guilds) session.emit('GUILD_CREATE', await viewGuild(core, guild, application, identity));
  session.release();
}

async function guildsOf(core: Core, { id }: ApplicationRecord, { shard }: Identity): Promise<readonly GuildRecord[]> {
  const guilds = await core.store.list('guilds');
  return guilds.filter(guild => guild.applications.includes(id) && servesGuild(shard, guild.id));
}

/**
 * Our choice: the members are listed for a session that has the GUILD_MEMBERS intent, in a guild with no more of them
 * than its `large_threshold`; otherwise only the bot itself is, as gateway clients look for it there.
 */
async function viewGuild(
  core: Core,
  guild: GuildRecord,
  application: ApplicationRecord,
  { intents: wanted = 0, largeThreshold }: Identity,
): Promise<Guild> {
  const records = await core.store.list('guild_members', { equals: [guild.id] });
  const own = records.find(({ user_id }) => user_id === botUserId(application)) ?? impliedBotMember(guild, application);
  const others = records.filter(record => record !== own);
  const memberCount = others.length + 1;
  const self = memberView(own, botUserView(application));
  const listed = wanted & intents.GUILD_MEMBERS && memberCount <= largeThreshold ? await viewMembers(core, others) : [];
  return guildView(guild, self, [self, ...listed], memberCount);
}

async function viewMembers(core: Core, records: readonly GuildMemberRecord[]): Promise<GuildMember[]> {
  const members: GuildMember[] = [];
  for (const record of records) {
    const user = await core.store.get('users', record.user_id);
    if (user) members.push(memberView(record, userView(user)));
  }
  return members;
}
