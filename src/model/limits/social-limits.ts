/**
 * Bounds of the social layer. They are not part of the entry point `./model`, whose size is bounded.
 *
 * @see docs/spec/social.md#limits-of-the-social-layer
 */
export const socialLimits = {
  friendsMax: 1000,
  blocksMax: 5000,
  /** Of one user in one game. Unspecified: the sources name no number. */
  gameFriendsMax: 1000,
  relationshipNoteLengthMax: 120,
  nicknameLengthMax: 32,
  messageNonceLengthMax: 25,
  partyIdLengthMax: 128,
  /** Of the id of a session in an invite. Unspecified: the bound. */
  sessionIdLengthMax: 200,
} as const;
