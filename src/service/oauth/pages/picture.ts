import type { UserId } from '../../../model/snowflake.ts';

/** Where pictures of users are, below the web address. */
export const picturesPath = '/embed/avatars';

/** Red, green and blue. */
export const pictureColours = ['5865f2', '3ba55d', 'faa61a', 'ed4245', 'eb459e', '747f8d'] as const;

/**
 * The picture of a user.
 *
 * Our choice: nobody here has one of their own, so everybody has a plain one, always in the same colour.
 */
export function pictureAddress(web: string, userId: UserId): string {
  return `${web}${picturesPath}/${BigInt(userId) % BigInt(pictureColours.length)}.png`;
}
