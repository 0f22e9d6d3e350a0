/** Bounds of an application's profile of a user, which only its server sets. @see docs/spec/social.md#application-profiles */
export const profileLimits = {
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
