import type { ApplicationId, UserId } from '../../../../model/snowflake.ts';
import type { Core } from '../../../core.ts';
import type { StoreView } from '../../../store/contract.ts';
import type { UserRecord } from '../../../store/records.ts';
import { RequestError } from '../../../support/request-error.ts';

const nameBytes = 8;
const drawsMax = 5;

/**
 * Creates a provisional account, to be stored within {@link usernameScope}. Its username is random text that no other
 * user has.
 *
 * @param name the display name; absent: the username
 * @throws RequestError `no_unique_username`
 * @see docs/spec/client.md#functions
 */
export async function drawAccount(core: Core, applicationId: ApplicationId, name?: string): Promise<UserRecord> {
  return {
    id: core.ids.next(),
    username: await drawUsername(core),
    global_name: name ?? null,
    locale: 'en-US',
    // Unspecified: the player's age is unknown, so the account counts as a minor's.
    adult: false,
    banned: false,
    provisional_of: applicationId,
  };
}

async function drawUsername({ entropy, store }: Core): Promise<string> {
  for (let draws = 0; draws < drawsMax; draws++) {
    const username = `player_${Buffer.from(entropy.bytes(nameBytes)).toString('hex')}`;
    if (await isFree(store, username)) return username;
  }
  throw new RequestError('no_unique_username');
}

/** Transactions that assign a username run one after another in this store scope. */
export function usernameScope({ username }: UserRecord): string {
  return `username/${username}`;
}

/** @throws RequestError `no_unique_username` when another account took it first */
export async function requireFreeUsername(view: StoreView, { username }: UserRecord): Promise<void> {
  if (!(await isFree(view, username))) throw new RequestError('no_unique_username');
}

async function isFree(view: StoreView, username: string): Promise<boolean> {
  return (await view.list('users', { index: 'byUsername', equals: [username], limit: 1 })).length === 0;
}

/** Transactions that change a user run one after another in this store scope. */
export function userScope(userId: UserId): string {
  return `user/${userId}`;
}
