import type { UserId } from './snowflake.ts';

/** A user as other users see it. */
export interface User {
  id: UserId;
  username: string;
  global_name: string | null;
  discriminator: string;
  avatar: string | null;
  /** Bits that everybody sees. */
  public_flags: number;
  flags: number;
  /** The guild whose tag is shown beside the name: there are no tags. */
  primary_guild: null;
  bot?: boolean;
}

/** What a bot may change of its own user; what is left out stays. @see docs/spec/http.md#users-and-guilds */
export interface UserEdit {
  /** 2 to 32 characters. */
  username?: string | null;
  /** Pictures as data URIs. They are checked and ignored, because this service stores no pictures. */
  avatar?: string | null;
  banner?: string | null;
}
