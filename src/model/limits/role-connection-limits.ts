/** Bounds of role connections. @see docs/spec/http.md#role-connections */
export const roleConnectionLimits = {
  /** Fields that an application can define for guilds to require. */
  roleConnectionMetadataMax: 5,
  roleConnectionKeyLengthMax: 50,
  roleConnectionNameLengthMax: 100,
  roleConnectionDescriptionLengthMax: 200,
  roleConnectionValueLengthMax: 100,
  platformNameLengthMax: 50,
  platformUsernameLengthMax: 100,
} as const;
