import type { User } from '../../model/user.ts';
import type { ApplicationRecord, UserRecord } from '../store/records.ts';

/** A user as others see it. */
export function userView({ id, username, global_name }: UserRecord): User {
  return { id, username, global_name, discriminator: '0', avatar: null };
}

/** The user that an application's bot appears as: same id and name as the application. */
export function botUserView({ id, name }: ApplicationRecord): User {
  return { id: id as string, username: name, global_name: null, discriminator: '0000', avatar: null, bot: true };
}
