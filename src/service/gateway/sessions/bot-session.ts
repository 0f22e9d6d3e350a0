import { setImmediate as nextTurn } from 'node:timers/promises';
import { intents } from '../../../model/gateway.ts';
import type { Guild } from '../../../model/guild.ts';
import type { GuildId } from '../../../model/snowflake.ts';
import type { Core } from '../../core.ts';
import { topics } from '../../events/announcement.ts';
import { botUserView } from '../../features/accounts/user-view.ts';
import { viewMembers } from '../../features/guilds/people.ts';
import { guildIdsOf, guildMembers, guildScope } from '../../features/guilds/records.ts';
import { botUserId, guildView, impliedBotMember, memberView } from '../../features/guilds/view.ts';
import { linkedLobbies } from '../../features/lobbies/records.ts';
import { readAtOnce } from '../../store/consistent-read.ts';
import type { StoreView } from '../../store/contract.ts';
import type { ApplicationRecord } from '../../store/records.ts';
import { serviceLimits } from '../../support/service-limits.ts';
import type { Identity } from '../identify.ts';
import type { Presences } from '../presence/presences.ts';
import { readyApplication, readyBase } from './ready.ts';
import type { Session } from './session.ts';
import { servesGuild } from './shard.ts';

/** Guilds read together; other work runs in between. */
const guildsPerRead = 100;
/** How often a guild is read until no fixtures were written meanwhile. */
const triesMax = 3;

/** A bot, and how it sees its guilds. */
interface Bot {
  readonly application: ApplicationRecord;
  readonly identity: Identity;
  readonly presences: Presences;
}

/**
 * Starts a bot's session: READY, then GUILD_CREATE for each guild of its shard.
 *
 * @returns false when there are more guilds than `serviceLimits.gatewayGuildsPerShardMax`
 * @see docs/spec/gateway.md#sessions; docs/spec/gateway.md#sharding
 */
export async function startBotSession(core: Core, session: Session, bot: Bot): Promise<boolean> {
  const { application, identity } = bot;
  session.introduce = async (_, { guild }) => {
    if (guild !== undefined) await showGuilds(core, session, bot, [guild]);
  };
  await session.follow(session.home);
  const all = await guildIdsOf(core.store, application.id);
  const guilds = all.filter(id => servesGuild(identity.shard, id));
  if (guilds.length > serviceLimits.gatewayGuildsPerShardMax) return false;
  for (const id of guilds) await session.follow(topics.guild(id));
  session.emit('READY', {
    ...readyBase(core, session),
    user: botUserView(application),
    guilds: guilds.map(id => ({ id, unavailable: true as const })),
    application: readyApplication(application),
    ...(identity.shard && { shard: identity.shard }),
  });
  for (let at = 0; at < guilds.length; at += guildsPerRead) {
    if (at > 0) await nextTurn();
    await showGuilds(core, session, bot, guilds.slice(at, at + guildsPerRead));
  }
  session.release();
  return true;
}

/** Sends the guilds in their present state; guilds that the application has left are omitted. */
async function showGuilds(core: Core, session: Session, bot: Bot, ids: readonly GuildId[]): Promise<void> {
  const readings = await Promise.all(ids.map(id => readLatest(core, id, bot)));
  for (const [index, id] of ids.entries()) {
    const reading = readings[index];
    if (!reading?.guild) continue;
    session.emit('GUILD_CREATE', reading.guild);
    session.saw(guildScope(id), reading.revision);
    session.saw(fixturesScope, reading.fixtures, id);
  }
}

/** A guild, and the revisions of its own scope and of the fixtures' scope up to which it contains every change. */
async function readLatest({ store }: Core, id: GuildId, bot: Bot) {
  for (let tries = 1; ; tries++) {
    const fixtures = await store.revision(fixturesScope);
    const { revision, value: guild } = await readAtOnce(store, guildScope(id), view => readGuild(view, id, bot));
    if (tries === triesMax || (await store.revision(fixturesScope)) === fixtures) return { guild, revision, fixtures };
  }
}

/** The store scope of fixtures, which write many guilds in one transaction. */
const fixturesScope = 'fixtures';

/**
 * Unspecified: the members are listed for a session with the GUILD_MEMBERS intent, in a guild with at most
 * `large_threshold` members; otherwise only the bot itself, because gateway clients look for it there.
 */
async function readGuild(
  view: StoreView,
  id: GuildId,
  { application, identity: { intents: wanted = 0, largeThreshold }, presences }: Bot,
): Promise<Guild | undefined> {
  const guild = await view.get('guilds', id);
  if (!guild?.applications.includes(application.id)) return undefined;
  const records = await guildMembers(view, guild);
  const own = records.find(({ user_id }) => user_id === botUserId(application)) ?? impliedBotMember(guild, application);
  const others = records.filter(record => record !== own);
  const memberCount = others.length + 1;
  const self = memberView(own, botUserView(application));
  const areListed = wanted & intents.GUILD_MEMBERS && memberCount <= largeThreshold;
  return guildView(guild, {
    self,
    members: areListed ? [self, ...(await viewMembers(view, others))] : [self],
    memberCount,
    linked: await linkedLobbies(view, id),
    presences: wanted & intents.GUILD_PRESENCES ? await presences.within(view, id, [own, ...others]) : [],
  });
}
