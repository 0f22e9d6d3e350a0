import type { User } from '../../../model/user.ts';
import type { ApplicationRecord, UserRecord } from '../../store/records.ts';

/** A user as others see it. */
export function userView({ id, username, global_name }: UserRecord): User {
  return { id, username, global_name, discriminator: '0', avatar: null };
}

/** The user that an application's bot appears as: of the application's id and, until it chose another, its name. */
export function botUserView({ id, name, bot_username }: ApplicationRecord): User {
  const username = bot_username ?? name;
  return { id: id as string, username, global_name: null, discriminator: '0000', avatar: null, bot: true };
}
