import { Buffer } from 'node:buffer';
import { type GuildMembersChunk, intents, opcodes, type RequestGuildMembers } from '../../../model/gateway.ts';
import { readSnowflake, type UserId } from '../../../model/snowflake.ts';
import { asRecord } from '../../../wire/http/codec.ts';
import type { Core } from '../../core.ts';
import { membersNamed, viewMembers } from '../../features/guilds/people.ts';
import { guildMembers, guildScope } from '../../features/guilds/records.ts';
import type { StoreView } from '../../store/contract.ts';
import type { GuildMemberRecord } from '../../store/records.ts';
import { serviceLimits } from '../../support/service-limits.ts';
import type { Presences } from '../presence/presences.ts';
import { notifySession, type Session } from './session.ts';
import { servesGuild } from './shard.ts';

/**
 * Reads op 8's `d`; undefined when it is malformed. A nonce that is too long, or no well-formed text, is ignored. Ids may be
 * numbers, and null counts as absent, because over ETF clients send it so.
 *
 * Unspecified: with both `user_ids` and `query`, the ids count.
 */
export function readMembersRequest(d: unknown): RequestGuildMembers | undefined {
  const { guild_id: guild, query, limit, user_ids, presences, nonce } = asRecord(d) ?? {};
  const guild_id = readSnowflake<'guild'>(guild);
  if (guild_id === undefined) return undefined;
  const shared = {
    guild_id,
    presences: presences === true,
    ...(isNonce(nonce) && { nonce }),
  };
  if (user_ids != null) {
    const asked: readonly unknown[] = Array.isArray(user_ids) ? user_ids : [user_ids];
    const ids = asked.map(id => readSnowflake<'user'>(id)).filter(id => id !== undefined);
    const areIds = asked.length <= serviceLimits.gatewayMembersPerRequestMax && ids.length === asked.length;
    return areIds ? { ...shared, user_ids: ids } : undefined;
  }
  if (!isWellFormed(query) || !Number.isSafeInteger(limit) || (limit as number) < 0) return undefined;
  return { ...shared, query, limit: limit as number };
}

function isNonce(nonce: unknown): nonce is string {
  return isWellFormed(nonce) && Buffer.byteLength(nonce) <= serviceLimits.gatewayNonceBytesMax;
}

function isWellFormed(value: unknown): value is string {
  return typeof value === 'string' && value.isWellFormed();
}

/**
 * Answers a bot's request for members: GUILD_MEMBERS_CHUNK, as often as needed, or RATE_LIMITED.
 *
 * Unspecified: a request for a guild that the session does not serve, or for all members without the GUILD_MEMBERS
 * intent, gets no answer, as on the hosted service.
 *
 * @see docs/spec/gateway.md#rates
 */
export async function answerMembersRequest(
  core: Core,
  presences: Presences,
  session: Session,
  request: RequestGuildMembers,
): Promise<void> {
  const { guild_id, nonce } = request;
  const { record } = session;
  if (record.kind !== 'bot' || !servesGuild(record.shard, guild_id)) return;
  if (asksForAll(request)) {
    if (!hasIntent(session, intents.GUILD_MEMBERS)) return;
    const waitMs = await countAll(core, session, request);
    if (waitMs !== undefined) {
      const meta = { guild_id, ...(nonce !== undefined && { nonce }) };
      const limited = { opcode: opcodes.REQUEST_GUILD_MEMBERS, retry_after: waitMs / 1000, meta };
      await core.store.transact(guildScope(guild_id), work => notifySession(work, session, 'RATE_LIMITED', limited));
      return;
    }
  }
  // Read and sent within one transaction, so that no change of a member comes in between.
  await core.store.transact(guildScope(guild_id), async work => {
    const members = await membersOf(work, session, request);
    for (const chunk of await chunksOf(work, presences, session, request, members ?? [])) {
      if (members) notifySession(work, session, 'GUILD_MEMBERS_CHUNK', chunk);
    }
  });
}

function asksForAll({ query, limit }: RequestGuildMembers): boolean {
  return query === '' && limit === 0;
}

function hasIntent({ record: { intents: wanted } }: Session, bit: number): boolean {
  return ((wanted ?? 0) & bit) !== 0;
}

/** @returns how long to wait, if requests came too often */
async function countAll(core: Core, { record }: Session, { guild_id }: RequestGuildMembers) {
  const limit = core.limits.buckets['gateway-all-members'];
  if (!limit) return undefined;
  const { allowed, resetAtMs } = await core.bus.count(`gateway-all-members/${record.user_id}/${guild_id}`, limit);
  return allowed ? undefined : resetAtMs - core.clock.now();
}

/** Undefined when the bot is not in the guild. */
async function membersOf(
  view: StoreView,
  { record }: Session,
  request: RequestGuildMembers,
): Promise<readonly GuildMemberRecord[] | undefined> {
  const application = await view.get('applications', record.application_id ?? '');
  const guild = await view.get('guilds', request.guild_id);
  if (!application || !guild?.applications.includes(application.id)) return undefined;
  const all = await guildMembers(view, guild);
  if (request.user_ids !== undefined) {
    const wanted = new Set<UserId>(Array.isArray(request.user_ids) ? request.user_ids : [request.user_ids]);
    return all.filter(({ user_id }) => wanted.has(user_id));
  }
  if (asksForAll(request)) return all;
  const { gatewayMembersPerRequestMax: max } = serviceLimits;
  return (await membersNamed(view, all, request.query ?? '')).slice(0, Math.min(request.limit || max, max));
}

async function chunksOf(
  view: StoreView,
  presences: Presences,
  session: Session,
  { guild_id, user_ids, presences: wantsPresences, nonce }: RequestGuildMembers,
  members: readonly GuildMemberRecord[],
): Promise<GuildMembersChunk[]> {
  const size = serviceLimits.gatewayMembersPerChunk;
  const chunk_count = Math.max(1, Math.ceil(members.length / size));
  const found = new Set(members.map(({ user_id }) => user_id));
  const asked = user_ids === undefined ? [] : [user_ids].flat();
  const showsPresences = wantsPresences && hasIntent(session, intents.GUILD_PRESENCES);
  const chunks: GuildMembersChunk[] = [];
  for (let chunk_index = 0; chunk_index < chunk_count; chunk_index++) {
    const part = members.slice(chunk_index * size, (chunk_index + 1) * size);
    chunks.push({
      guild_id,
      members: await viewMembers(view, part),
      chunk_index,
      chunk_count,
      ...(user_ids !== undefined && { not_found: asked.filter(id => !found.has(id)) }),
      ...(showsPresences && { presences: await presences.within(view, guild_id, part) }),
      ...(nonce !== undefined && { nonce }),
    });
  }
  return chunks;
}
