import type { UserId } from './snowflake.ts';

/** A user as other users see it. */
export interface User {
  id: UserId;
  username: string;
  global_name: string | null;
  discriminator: string;
  avatar: string | null;
  bot?: boolean;
}
