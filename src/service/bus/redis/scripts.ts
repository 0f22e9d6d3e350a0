import { createHash } from 'node:crypto';
import { ErrorReply } from '@redis/client';
import type { RedisClient } from './connection.ts';

/**
 * The scripts that Redis runs atomically.
 *
 * An epoch is the time in which Redis has lost nothing: a hash with a random `id` and the `run` of the server. When Redis was emptied
 * or restarted, the first node that notices begins another epoch. A node writes back what it has counted before it counts in the
 * new epoch, and nobody is let through until the nodes that were alive have done so (a field `w:<node>` for each that has not), or
 * until `until`.
 *
 * A window is a hash: its end `e`, `n:<node>` with the calls that each node has counted, and, once written back, the lower bound `f`
 * of all calls, which counts on as well: it holds what a node that is gone has counted.
 */
const time = `
local function clock()
  local t = redis.call('TIME')
  return t[1] * 1000 + math.floor(t[2] / 1000)
end
`;

/** KEYS: epoch. ARGV: run, new id, least and longest time to settle, channel, other nodes alive. @returns id, time */
const beginEpoch = script(`${time}
local real = clock()
local kept = redis.call('HMGET', KEYS[1], 'id', 'run')
if kept[1] and kept[2] == ARGV[1] then return { kept[1], real } end
redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[1], 'id', ARGV[2], 'run', ARGV[1])
if #ARGV > 5 then
  redis.call('HSET', KEYS[1], 'from', real + ARGV[3], 'until', real + ARGV[4])
  for i = 6, #ARGV do redis.call('HSET', KEYS[1], 'w:' .. ARGV[i], 1) end
end
redis.call('PUBLISH', ARGV[5], ARGV[2])
return { ARGV[2], real }
`);

/** KEYS: epoch, windows. ARGV: id, node, least life of a key, then for each window its end, the node's calls, all calls. @returns 0: another epoch */
const writeBack = script(`${time}
if redis.call('HGET', KEYS[1], 'id') ~= ARGV[1] then return 0 end
local field = 'n:' .. ARGV[2]
local real = clock()
for i = 2, #KEYS do
  local at = 3 * i - 2
  local ends, own, all = tonumber(ARGV[at]), tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2])
  local kept = redis.call('HMGET', KEYS[i], 'e', field, 'f')
  local e = tonumber(kept[1] or -1)
  if e < ends then
    redis.call('DEL', KEYS[i])
    redis.call('HSET', KEYS[i], 'e', ends, field, own, 'f', all)
    redis.call('PEXPIRE', KEYS[i], math.max(ends - real, ARGV[3], 1))
  elseif e == ends then
    redis.call('HSET', KEYS[i], field, math.max(own, kept[2] or 0), 'f', math.max(all, kept[3] or 0))
  end
end
return 1
`);

/** KEYS: epoch. ARGV: id, node. The node has written everything back. */
const wroteBack = script(`
if redis.call('HGET', KEYS[1], 'id') ~= ARGV[1] then return 0 end
redis.call('HDEL', KEYS[1], 'w:' .. ARGV[2])
return 1
`);

/**
 * KEYS: epoch, windows. ARGV: id, node, the time or '', least life of a key, then for each window its requests, its length, and calls.
 * @returns -1: another epoch; -2 and the time until it has settled; else the time, and for each window: allowed, calls of all nodes, end,
 *   calls of the node
 */
const count = script(`${time}
local epoch = redis.call('HMGET', KEYS[1], 'id', 'from', 'until')
if epoch[1] ~= ARGV[1] then return { -1 } end
local real = clock()
if epoch[3] then
  local from, last = tonumber(epoch[2]), tonumber(epoch[3])
  local waits = redis.call('HLEN', KEYS[1]) > 4
  if real < from or (waits and real < last) then return { -2, (waits and last or from) - real } end
  for _, name in ipairs(redis.call('HKEYS', KEYS[1])) do
    if name ~= 'id' and name ~= 'run' then redis.call('HDEL', KEYS[1], name) end
  end
end
local now = ARGV[3] == '' and real or tonumber(ARGV[3])
local field = 'n:' .. ARGV[2]
local answer = { now }
for i = 2, #KEYS do
  local key, at = KEYS[i], 3 * i - 1
  local requests, length, calls = tonumber(ARGV[at]), tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2])
  local ends, floor
  local sum, own = 0, 0
  local kept = redis.call('HGETALL', key)
  for j = 1, #kept, 2 do
    local name, value = kept[j], tonumber(kept[j + 1])
    if name == 'e' then ends = value
    elseif name == 'f' then floor = value
    else
      sum = sum + value
      if name == field then own = value end
    end
  end
  local used = math.max(sum, floor or 0)
  local isNew = not ends or now >= ends or ends - now > length
  if isNew then ends, own, used, floor = now + length, 0, 0, nil end
  local allowed = used < requests
  if isNew and calls > 0 then
    if #kept > 0 then redis.call('DEL', key) end
    if allowed then redis.call('HSET', key, 'e', ends, field, calls) else redis.call('HSET', key, 'e', ends) end
    redis.call('PEXPIRE', key, math.max(length, ARGV[4]))
  elseif allowed and calls > 0 then
    redis.call('HSET', key, field, own + calls)
    if floor then redis.call('HSET', key, 'f', used + calls) end
  end
  if allowed then used, own = used + calls, own + calls end
  local to = #answer
  answer[to + 1], answer[to + 2], answer[to + 3], answer[to + 4] = allowed and 1 or 0, used, ends, own
end
return answer
`);

/** KEYS: lease, last fence. ARGV: token, term, the time or '', least life of a key. @returns the fence; 0: it is held */
const takeLease = script(`${time}
local t = redis.call('TIME')
local now = ARGV[3] == '' and clock() or tonumber(ARGV[3])
local kept = redis.call('HGET', KEYS[1], 'e')
if kept and now < tonumber(kept) then return 0 end
local fence = math.max(t[1] * 1000000 + t[2], (redis.call('GET', KEYS[2]) or 0) + 1)
redis.call('SET', KEYS[2], string.format('%.0f', fence))
redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[1], 'token', ARGV[1], 'e', now + ARGV[2])
redis.call('PEXPIRE', KEYS[1], math.max(ARGV[2], ARGV[4]))
return fence
`);

/** As {@link takeLease}, without the last fence. @returns 1; 0: it was lost */
const renewLease = script(`${time}
local now = ARGV[3] == '' and clock() or tonumber(ARGV[3])
local kept = redis.call('HMGET', KEYS[1], 'token', 'e')
if kept[1] ~= ARGV[1] or now >= tonumber(kept[2]) then return 0 end
redis.call('HSET', KEYS[1], 'e', now + ARGV[2])
redis.call('PEXPIRE', KEYS[1], math.max(ARGV[2], ARGV[4]))
return 1
`);

/** KEYS: lease. ARGV: token. */
const releaseLease = script(`
if redis.call('HGET', KEYS[1], 'token') == ARGV[1] then redis.call('DEL', KEYS[1]) end
return 1
`);

export const scripts = { beginEpoch, writeBack, wroteBack, count, takeLease, renewLease, releaseLease };

export interface Script {
  readonly text: string;
  readonly sha1: string;
}

/** Runs a script by its hash; a server that does not know it yet is sent the text. */
export async function run(
  client: RedisClient,
  { text, sha1 }: Script,
  keys: readonly string[],
  values: readonly (string | number)[],
): Promise<unknown> {
  const rest = [String(keys.length), ...keys, ...values.map(String)];
  try {
    return await client.sendCommand(['EVALSHA', sha1, ...rest]);
  } catch (error) {
    if (!(error instanceof ErrorReply && error.message.startsWith('NOSCRIPT'))) throw error;
    return client.sendCommand(['EVAL', text, ...rest]);
  }
}

function script(text: string): Script {
  return { text, sha1: createHash('sha1').update(text).digest('hex') };
}
