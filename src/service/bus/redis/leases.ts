import { randomBytes } from 'node:crypto';
import type { Lease } from '../contract.ts';
import { oddAnswer } from '../errors.ts';
import type { RedisConnection } from './connection.ts';
import type { Keys } from './keys.ts';
import { run, type Script, scripts } from './scripts.ts';

/** Acquires a lease for this node; undefined while it is held. @throws BusError `bus_unavailable` */
export async function takeLease(
  connection: RedisConnection,
  keys: Keys,
  name: string,
  termMs: number,
): Promise<Lease | undefined> {
  const key = keys.lease(name);
  // New for each lease: a former one of this node must not renew it.
  const token = randomBytes(12).toString('base64url');
  const ask = async (script: Script, ...more: string[]) => {
    const values = [token, termMs, keys.time(), keys.lifeMsMin];
    const answer = await connection.call(client => run(client, script, [key, ...more], values));
    if (typeof answer !== 'number') throw oddAnswer();
    return answer;
  };
  const fence = await ask(scripts.takeLease, keys.fence);
  if (fence === 0) return undefined;
  let isReleased = false;
  return {
    name,
    fence,
    renew: async () => !isReleased && (await ask(scripts.renewLease)) === 1,
    release: async () => {
      if (isReleased) return;
      isReleased = true;
      // If it cannot be released, it ends with its term.
      await ask(scripts.releaseLease).catch(() => {});
    },
  };
}
