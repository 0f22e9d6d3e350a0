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
  profileUsernameLengthMax: 1024,
  profileMetadataEntriesMax: 25,
  profileMetadataLengthMax: 1024,
  /** Of the data as JSON, in bytes. */
  profileDataBytesMax: 10 * 1024,
  profileFieldsMax: 30,
  /** Of the name of a field, and of a text. */
  profileFieldLengthMax: 100,
  /** Of the address of a picture. Unspecified: the bound. */
  profileUrlLengthMax: 2048,
} as const;
