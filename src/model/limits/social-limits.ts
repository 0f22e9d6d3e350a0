/**
 * Bounds of the social layer. They are not part of the entry point `./model`, whose size is bounded.
 *
 * @see docs/spec/social.md#limits-of-the-social-layer
 */
export const socialLimits = {
  friendsMax: 1000,
  blocksMax: 5000,
  /** Requests of a user that wait, received and sent, and as many in each game. Unspecified: the sources name no number. */
  requestsReceivedMax: 1000,
  requestsSentMax: 1000,
  /** Of those received, the ones through one application once they come from its provisional accounts, of which it can have any number. */
  requestsPerApplicationMax: 100,
  /** Conversations of a user, and how many of them, the newest, are listed. Unspecified: the sources name no numbers. */
  conversationsMax: 5000,
  conversationsListedMax: 1000,
  /** Of one user in one game. Unspecified: the sources name no number. */
  gameFriendsMax: 1000,
  relationshipNoteLengthMax: 120,
  nicknameLengthMax: 32,
  messageNonceLengthMax: 25,
  partyIdLengthMax: 128,
  /** Of the id of a session in an invite. Unspecified: the bound. */
  sessionIdLengthMax: 200,
} as const;
