import type { User } from '../../../model/user.ts';
import type { ApplicationRecord, UserRecord } from '../../store/records.ts';

/**
 * Marks an account as provisional: it exists for one application only. @see docs/spec/oauth2.md#provisional-accounts
 */
const provisionalAccountFlag = 1 << 23;

/** A user as others see it. */
export function userView({ id, username, global_name, provisional_of }: UserRecord): User {
  const flags = provisional_of === null ? 0 : provisionalAccountFlag;
  return { id, username, global_name, discriminator: '0', ...unset, public_flags: flags, flags };
}

/**
 * The user that represents an application's bot: it has the application's id and, until it chooses another, its name.
 */
export function botUserView({ id, name, bot_username }: ApplicationRecord): User {
  const username = bot_username ?? name;
  const bot = { bot: true, public_flags: 0, flags: 0 };
  return { id: id as string, username, global_name: null, discriminator: '0000', ...unset, ...bot };
}

/** Fields of users that nothing here can set. */
const unset = { avatar: null, primary_guild: null } as const;
