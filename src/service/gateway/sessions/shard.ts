import type { GuildId } from '../../../model/snowflake.ts';
import { serviceLimits } from '../../support/service-limits.ts';

/** The part of a bot's guilds that a session serves. */
export type Shard = readonly [id: number, count: number];

/** Reads Identify's `shard`; undefined when it is not a pair `[id, count]` with 0 ≤ id < count. */
export function readShard(value: unknown): Shard | undefined {
  if (!Array.isArray(value) || value.length !== 2) return undefined;
  const [id, count] = value as readonly unknown[];
  if (!isWhole(id) || !isWhole(count)) return undefined;
  return id < count && count <= serviceLimits.gatewayShardsMax ? [id, count] : undefined;
}

/**
 * Whether the shard serves the guild; events outside guilds belong to shard 0.
 *
 * @param shard null for a session that is not sharded
 * @see docs/spec/gateway.md#sharding
 */
export function servesGuild(shard: Shard | null, guild: GuildId | undefined): boolean {
  if (!shard) return true;
  const [id, count] = shard;
  return id === (guild === undefined ? 0 : Number((BigInt(guild) >> 22n) % BigInt(count)));
}

function isWhole(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
