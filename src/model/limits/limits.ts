/**
 * The bounds of callers' values, each once. Lengths of text count Unicode code points. The service's own limits (lifetimes,
 * windows, queues) are in the service.
 *
 * The literal has fewer than 128 entries, because V8 stores a larger one as a dictionary, which makes every read a look-up.
 * The other tables beside it have files of their own, so that a bundler drops the ones that a program does not use.
 *
 * @see docs/spec/limits.md
 */
export const limits = {
  commandNameLengthMax: 32,
  commandDescriptionLengthMax: 100,
  commandOptionsMax: 25,
  commandTextLengthMax: 8000,
  commandPermissionsMax: 100,
  optionChoicesMax: 25,
  choiceNameLengthMax: 100,
  choiceValueLengthMax: 100,
  optionLengthMax: 6000,
  /** Largest whole number an INTEGER option can carry: 2^53 − 1. */
  integerMax: Number.MAX_SAFE_INTEGER,
  /** Largest double a NUMBER option can carry: 2^53. */
  numberMax: 2 ** 53,
  permissionBitsMax: 2n ** 54n - 1n,
  fileTypesMax: 10,
  /** Of each of them. Unspecified: the bound. */
  fileTypeLengthMax: 100,
  /** Commands of each type in one scope; a guild has no entry point. Keys are command types. */
  commandsPerScope: { 1: 100, 2: 15, 3: 15, 4: 1 } as Readonly<Record<1 | 2 | 3 | 4, number>>,
  /** Items of one bulk PUT: 100 + 15 + 15. */
  commandsPerBulkMax: 130,
  commandCreatesPerDay: 200,

  lobbyMetadataLengthMax: 1000,
  /** Unspecified: with more, clients could not parse a lobby of 1,000 members. */
  lobbyMetadataEntriesMax: 250,
  lobbyMembersPerRequestMax: 25,
  lobbyMembersMax: 1000,
  lobbyIdleTimeoutSecondsMin: 5,
  lobbyIdleTimeoutSecondsMax: 604_800,
  lobbyIdleTimeoutSecondsDefault: 300,
  lobbyAdditionalNameLengthMax: 80,
  lobbyWebhooksUrlLengthMax: 512,
  lobbySecretLengthMax: 250,
  lobbyMessageMetadataEntriesMax: 25,
  /** Of each key and each value. */
  lobbyMessageMetadataLengthMax: 1024,
  lobbyModerationEntriesMax: 5,
  lobbyModerationKeyLengthMax: 1024,
  lobbyModerationValueLengthMax: 2000,
  /** How many messages, and how old ones, a lobby still shows. */
  lobbyHistoryMessagesMax: 200,
  lobbyHistoryMessagesDefault: 50,
  lobbyInviteLifeMs: 3_600_000,
  /** Calls that a session can be in at a time. Unspecified: this many fit into one frame of the size that clients may send. */
  lobbyCallsPerSessionMax: 25,
  /** Of a region's id, and of a list of them. Unspecified: both. */
  voiceRegionLengthMax: 100,
  voiceRegionsMax: 100,

  interactionAnswerMs: 3_000,
  interactionTokenLifeMs: 15 * 60_000,
  /** Of one interaction. Unspecified: the bound. */
  followUpsMax: 100,
  messageContentLengthMax: 2000,
  messageEmbedsMax: 10,
  messageAttachmentsMax: 10,
  messageComponentsMax: 40,
  /** Of a message as JSON. Unspecified: the bound. */
  messageBytesMax: 256 * 1024,
  /** Unspecified: what file systems allow, and what fits into the head of a form's part. */
  attachmentNameLengthMax: 255,
  attachmentBytesMax: 10 * 1024 * 1024,

  applicationDescriptionLengthMax: 400,
  usernameLengthMin: 2,
  usernameLengthMax: 32,
  interactionsEndpointUrlLengthMax: 2048,
  /** Between two polls of a device; each one too early adds as much again. */
  devicePollIntervalMs: 5_000,
  accessTokenLifeMs: 604_800_000,
  clientSecretLengthMax: 1024,
  externalUserIdLengthMax: 1024,
  globalNameLengthMax: 32,
  codeVerifierLengthMin: 43,
  codeVerifierLengthMax: 128,
} as const;

/** The default limit over all routes of one application. @see docs/spec/limits.md */
export const globalLimit = { requests: 50, windowMs: 1_000 } as const;
