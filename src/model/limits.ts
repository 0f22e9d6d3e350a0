/**
 * Every bound of the interface, once. Lengths of text count Unicode code points.
 *
 * Fewer than 128, because V8 keeps a larger literal as a dictionary and reads every bound by a look-up; those of components stand
 * apart therefore.
 *
 * @see interface.md, "Limits"
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
  /** Commands of each type in one scope; a guild has no entry point. Keys are command types. */
  commandsPerScope: { 1: 100, 2: 15, 3: 15, 4: 1 } as Readonly<Record<1 | 2 | 3 | 4, number>>,
  /** Items of one bulk PUT: 100 + 15 + 15. */
  commandsPerBulkMax: 130,
  commandCreatesPerDay: 200,

  lobbyMetadataLengthMax: 1000,
  lobbyMembersPerRequestMax: 25,
  lobbyMembersMax: 1000,
  lobbyIdleTimeoutSecondsMin: 5,
  lobbyIdleTimeoutSecondsMax: 604_800,
  lobbyIdleTimeoutSecondsDefault: 300,
  lobbyAdditionalNameLengthMax: 80,
  lobbyWebhooksUrlLengthMax: 512,
  lobbySecretLengthMax: 250,
  lobbySecretLifeMs: 30 * 24 * 3_600_000,
  lobbyMessageMetadataEntriesMax: 25,
  /** Of each key and each value. */
  lobbyMessageMetadataLengthMax: 1024,
  lobbyModerationEntriesMax: 5,
  lobbyModerationKeyLengthMax: 1024,
  lobbyModerationValueLengthMax: 2000,
  /** How many messages, and how old ones, a lobby still shows. */
  lobbyHistoryMessagesMax: 200,
  lobbyHistoryAgeMaxMs: 72 * 3_600_000,
  lobbyHistoryMessagesDefault: 50,
  lobbyInviteLifeMs: 3_600_000,
  /** Calls that a session is in at a time. Our choice: all of them fit into one frame, of the size that clients may send. */
  lobbyCallsPerSessionMax: 25,
  /** Of a region's id, and of a list of them. Our choice, both: the interface names no bounds. */
  voiceRegionLengthMax: 100,
  voiceRegionsMax: 100,
  /** How long a token opens the voice server's door. Our choice: as long as it takes to knock. */
  voiceTokenLifeMs: 5 * 60_000,

  /** How long an application's server may take to acknowledge a webhook event, and how long it is tried again. */
  webhookEventAnswerMs: 3_000,
  webhookEventRetryMs: 10 * 60_000,

  interactionAnswerMs: 3_000,
  interactionTokenLifeMs: 15 * 60_000,
  /** An application's answer in the HTTP response to an interaction. Our choice: many times the size of a real one. */
  interactionReplyBytesMax: 256 * 1024,
  /** Interactions that an application's server may have before it at a time. Our choice: the interface names no number. */
  interactionsUnderWayMax: 1000,
  /** An interaction as a server receives it. Our choice: room for the largest use of a command. */
  interactionBytesMax: 1024 * 1024,
  /** How far the time of a signed interaction may be from the server's own. Our choice: what clocks drift apart. */
  interactionTimestampDriftMs: 5 * 60_000,
  /** Messages after the first where the application is there for the user alone. @see commands.md 3.4 */
  followUpsByUserInstallMax: 5,
  messageContentLengthMax: 2000,
  nonceLengthMax: 25,
  messageEmbedsMax: 10,
  messageAttachmentsMax: 10,
  messageComponentsMax: 40,
  /** How long a message keeps components that can be used, beyond the interaction it answers. Our choice: a day. */
  messageComponentsLifeMs: 24 * 3_600_000,
  attachmentBytesMax: 10 * 1024 * 1024,
  /** Files of messages that are kept at a time. Our choice: what a process can spare. */
  filesKeptBytesMax: 64 * 1024 * 1024,

  applicationDescriptionLengthMax: 400,
  usernameLengthMin: 2,
  usernameLengthMax: 32,
  /** Of an application: what guilds can ask of its users' role connections. */
  roleConnectionMetadataMax: 5,
  roleConnectionKeyLengthMax: 50,
  roleConnectionNameLengthMax: 100,
  roleConnectionDescriptionLengthMax: 200,
  roleConnectionValueLengthMax: 100,
  platformNameLengthMax: 50,
  platformUsernameLengthMax: 100,
  /** Ids of one query for entitlements. */
  skuIdsMax: 100,
  interactionsEndpointUrlLengthMax: 2048,
  redirectUrisMax: 10,
  authorizationCodeLifeMs: 100_000,
  deviceCodeLifeMs: 300_000,
  /** Between two polls of a device; each one too early adds as much again. */
  devicePollIntervalMs: 5_000,
  userCodeLength: 8,
  accessTokenLifeMs: 604_800_000,
  clientSecretLengthMax: 1024,
  externalUserIdLengthMax: 1024,
  globalNameLengthMax: 32,
  /** How long ago an ID token from elsewhere may have been issued. */
  identityTokenAgeMaxMs: 7 * 24 * 3_600_000,
  /** Identities of one application that lead to one account. Our choice: the interface names no number. */
  externalIdentitiesPerUserMax: 10,
  /** Of a user who signs in by password. Our choice, both: what NIST SP 800-63B (3.1.1.2) asks for, and room to breathe. */
  passwordLengthMin: 8,
  passwordLengthMax: 256,
  codeVerifierLengthMin: 43,
  codeVerifierLengthMax: 128,
  /** Of the name a client gives a refresh, to ask for its answer again. Our choice, both: as long as a verifier at most. */
  idempotencyKeyLengthMin: 16,
  idempotencyKeyLengthMax: 128,

  /** Our choice: room for the largest valid bulk of commands in some locales; the interface names no bound. */
  requestBodyBytesMax: 10 * 1024 * 1024,
  /** A form with files. Our choice: room for two of the largest, and many small ones. */
  formBodyBytesMax: 25 * 1024 * 1024,
  /** How long a request may take to arrive. Our choice: as above. */
  requestMs: 60_000,

  gatewayPayloadBytesMax: 4096,
  gatewayHeartbeatIntervalMs: 41_250,
  gatewaySendsPerMinute: 120,
  /** How long a session waits for its client to resume it. Our choice: the interface says "a few minutes". */
  gatewayResumeWindowMs: 180_000,
  /** What a session keeps for a client that has to catch up; older events make room. Our choice, both. */
  gatewayReplayEventsMax: 4096,
  gatewayReplayBytesMax: 2 * 1024 * 1024,
  /** Identifies of a bot that may go on side by side, one for each `shard id mod` this. */
  gatewayMaxConcurrency: 1,
  gatewayGuildsPerShardMax: 2500,
  gatewayMembersPerChunk: 1000,
  /** Members of a guild that one GET answers with. */
  guildMembersPerPageMax: 1000,
  /** Members that a request by name or by ids gets at most. */
  gatewayMembersPerRequestMax: 100,
  gatewayNonceBytesMax: 32,
  gatewayLargeThresholdMin: 50,
  gatewayLargeThresholdMax: 250,
  gatewayShardsMax: 16_384,
  /** Sessions one user (or one bot) holds at a time. Our choice: the interface names no number. */
  gatewaySessionsPerUserMax: 100,
  /** What may wait for a client that reads too slowly. Our choice: as above. */
  gatewayBacklogBytesMax: 1024 * 1024,
} as const;

/**
 * What the service holds and does for callers, so that no one of them keeps it from the others. Our choice, all of them: the
 * interface names no bounds.
 */
export const intakeLimits = {
  /** Connections on which nobody has proved who they are, all together and from one address. */
  unprovenConnectionsMax: 40_000,
  unprovenConnectionsPerAddressMax: 1000,
  /** As above, from an address of a private network: many may stand behind it, as behind a proxy or a container's gateway. */
  unprovenConnectionsPerPrivateAddressMax: 20_000,
  /** How long the head of a request may take to arrive, and how often that is looked at. */
  requestHeadMs: 15_000,
  requestCheckMs: 5_000,
  /** How long a connection is kept whose peer neither sends nor reads what it is sent. */
  stillMs: 120_000,
  /** A peer that does not close a connection which was given up is cut off after so long. */
  lingerMs: 1000,
  /** Passwords that are looked at on threads beside; others wait. Half of the threads that a process has, which serve others, too. */
  passwordsUnderWayMax: 2,
  /** Sign-ins under way, those included that wait, and those from one address. More are refused at once. */
  signInsMax: 128,
  signInsPerAddressMax: 32,
  /** A body whose sender has proved nothing: forms of OAuth2, and JSON that carries its own proof. */
  unprovenBodyBytesMax: 64 * 1024,
  /** Bytes of such bodies in memory, of all callers together; the body that arrives for longest makes room. */
  unprovenBytesMax: 32 * 1024 * 1024,
  /** As above, of callers who proved who they are: ten of the largest forms. */
  provenBytesMax: 256 * 1024 * 1024,
  /** Fields of a URL-encoded form or of a query. */
  formFieldsMax: 100,
  /** Parts of a multipart form, its files included. */
  formPartsMax: 50,
  /** The head of one part. */
  formPartHeadBytesMax: 4096,
  /** Values of a JSON body: of all of it, and of what is read without a pause (an item of a list, or what is no list). */
  jsonValuesMax: 400_000,
  jsonValuesPerItemMax: 32_000,
  jsonDepthMax: 1000,
} as const;

/** Bounds of components and modals. @see commands.md 3.3 */
export const componentLimits = {
  /** What applications call components and modals by. */
  customIdLengthMax: 100,
  modalTitleLengthMax: 45,
  modalComponentsMax: 5,
  /** Numbers of components: 32 bits with a sign. */
  componentIdMax: 2 ** 31 - 1,
  rowButtonsMax: 5,
  buttonLabelLengthMax: 80,
  buttonUrlLengthMax: 512,
  selectOptionsMax: 25,
  selectPlaceholderLengthMax: 150,
  /** Of the label, the value and the description of a choice. */
  componentChoiceLengthMax: 100,
  radioOptionsMin: 2,
  /** Of a radio group and of a checkbox group. */
  groupOptionsMax: 10,
  textInputLengthMax: 4000,
  textInputLabelLengthMax: 45,
  textInputPlaceholderLengthMax: 100,
  labelLengthMax: 45,
  labelDescriptionLengthMax: 100,
  textDisplayLengthMax: 4000,
  sectionTextsMax: 3,
  galleryItemsMax: 10,
  mediaUrlLengthMax: 2048,
  mediaDescriptionLengthMax: 1024,
  containerColorMax: 0xffffff,
  separatorSpacingMax: 2,
  uploadedFilesMax: 10,
} as const;

/** `requests` calls within any window of `windowMs` that begins with the first of them. */
export interface RateLimit {
  readonly requests: number;
  readonly windowMs: number;
  /** All users of an application count together. */
  readonly perApplication?: true;
}

/**
 * What a limit counts. Each bucket is counted apart for every application, or every user, by whose credential came;
 * `global` spans all routes of it, or without credential of the caller's address.
 */
export type RateLimitBucket =
  | 'global'
  | 'lobby-create'
  | 'lobby-edit'
  | 'lobby-delete'
  | 'lobby-get'
  | 'lobby-member-add'
  | 'lobby-member-remove'
  | 'lobby-member-bulk'
  | 'lobby-join'
  | 'lobby-message'
  | 'lobby-link'
  | 'lobby-invite'
  | 'lobby-invite-own'
  | 'command-read'
  | 'command-write'
  | 'command-bulk'
  /** Not a route's: counts the commands that a scope gains, one call may add many. */
  | 'command-create'
  | 'interaction-invoke'
  | 'gateway-identify'
  /** Counted for every key of {@link limits.gatewayMaxConcurrency}. */
  | 'gateway-identify-pace'
  /** As the two above, of a user's sessions. */
  | 'gateway-identify-user'
  | 'gateway-identify-user-pace'
  /** Counted for every session. */
  | 'gateway-presence'
  /** Requests for all members, counted for every guild. */
  | 'gateway-all-members'
  /** Not a route's: failed proofs at the token endpoints, counted for every application and address. */
  | 'oauth-proof'
  /** Not a route's: codes of devices that a user typed in and that nobody had given out. */
  | 'oauth-user-code'
  /** Not a route's: wrong passwords, counted for every name given, there or not. */
  | 'sign-in-user'
  /** As above, counted for every address. */
  | 'sign-in-address';

/** A dated set of rate limits: data, so that they can change without the code. A bucket without a row is unlimited. */
export interface LimitProfile {
  readonly name: LimitProfileName;
  /** The day its figures were read, ISO 8601. */
  readonly asOf: string;
  readonly buckets: Readonly<Partial<Record<RateLimitBucket, RateLimit>>>;
  /** Lobbies that one user can be in with one application; absent: any number. */
  readonly lobbiesPerUserMax?: number;
  /** Absent: nobody is blocked. */
  readonly invalidRequests?: InvalidRequestLimit;
}

/**
 * Answers of 401, 403 and 429 to requests without a valid credential, within a window; after so many of them such requests of the
 * address are blocked.
 */
export interface InvalidRequestLimit extends RateLimit {
  /** Of the first block; each that follows before as long as `blockMaxMs` has passed is twice as long as the one before. */
  readonly blockMs: number;
  /** The longest; `blockMs` when absent. */
  readonly blockMaxMs?: number;
}

export type LimitProfileName = 'standard' | 'development' | 'off';

const second = 1000;
const minute = 60_000;
const hour = 3_600_000;
const day = 24 * hour;

/** @see gateway.md 3 and 5 */
const gatewayBuckets = {
  'gateway-identify': { requests: 1000, windowMs: day },
  'gateway-identify-pace': { requests: 1, windowMs: 5 * second },
  // Our choice: the references have figures for bots alone. A user may have several games, windows and devices.
  'gateway-identify-user': { requests: 1000, windowMs: day },
  'gateway-identify-user-pace': { requests: 10, windowMs: 10 * second },
  'gateway-presence': { requests: 5, windowMs: 20 * second },
  // Our choice: the figure is not in the references.
  'gateway-all-members': { requests: 1, windowMs: 30 * second },
} as const;

/** Our choice: of the two figures, 100 in the guides and 200 in the client's header, the one that is documented. */
const lobbiesPerUserMax = 100;

/** @see lobbies.md 7.1 */
const hundredInTwoHours = { requests: 100, windowMs: 2 * hour, perApplication: true } as const;

const commandBuckets = {
  // Our choice, after the "about 5 per 20 s" seen on the hosted service; reads and bulk writes count apart.
  'command-write': { requests: 5, windowMs: 20 * second },
  'command-create': { requests: limits.commandCreatesPerDay, windowMs: day },
} as const;

/**
 * Our choice: blocks are short, grow, and leave whoever has a valid credential alone. The hosted service shuts an address out for a
 * day; behind a proxy that would be everybody.
 *
 * @see commands.md 5.3, "Invalid requests"
 */
const invalidRequests: InvalidRequestLimit = {
  requests: 10_000,
  windowMs: 10 * minute,
  blockMs: 30 * second,
  blockMaxMs: 15 * minute,
};

/**
 * What may be guessed wrong. Our choice: the references have no figures; they leave a person room for slips and, to one
 * who guesses at the code of a device while it lives, one chance in some 400 million.
 */
const guessBuckets = {
  'oauth-proof': { requests: 30, windowMs: minute },
  'oauth-user-code': { requests: 10, windowMs: minute },
  'sign-in-user': { requests: 5, windowMs: 5 * minute },
  'sign-in-address': { requests: 30, windowMs: 5 * minute },
} as const;

/**
 * - `standard`: the figures of the base description
 * - `development`: what the hosted service allows an application that is not approved
 * - `off`: nothing is limited
 *
 * @see interface.md, "Limits"; lobbies.md 7
 */
export const limitProfiles: Readonly<Record<LimitProfileName, LimitProfile>> = {
  standard: {
    name: 'standard',
    asOf: '2026-11-20',
    buckets: {
      global: { requests: 50, windowMs: second },
      'lobby-create': { requests: 500, windowMs: 10 * second },
      'lobby-delete': { requests: 500, windowMs: 10 * second },
      'lobby-get': { requests: 500, windowMs: 10 * second },
      'lobby-member-add': { requests: 5000, windowMs: 10 * second },
      'lobby-member-remove': { requests: 5000, windowMs: 10 * second },
      'lobby-join': { requests: 10, windowMs: 60 * second },
      'lobby-message': { requests: 3000, windowMs: 2 * hour },
      ...commandBuckets,
      ...gatewayBuckets,
      ...guessBuckets,
    },
    invalidRequests,
    lobbiesPerUserMax,
  },
  development: {
    name: 'development',
    asOf: '2026-08-06',
    buckets: {
      global: { requests: 50, windowMs: second },
      'lobby-create': hundredInTwoHours,
      'lobby-edit': hundredInTwoHours,
      'lobby-member-add': hundredInTwoHours,
      'lobby-member-remove': hundredInTwoHours,
      'lobby-member-bulk': hundredInTwoHours,
      'lobby-join': hundredInTwoHours,
      'lobby-message': hundredInTwoHours,
      'lobby-link': { ...hundredInTwoHours, requests: 20 },
      'lobby-invite': hundredInTwoHours,
      'lobby-invite-own': hundredInTwoHours,
      ...commandBuckets,
      ...gatewayBuckets,
      ...guessBuckets,
    },
    invalidRequests,
    lobbiesPerUserMax,
  },
  off: { name: 'off', asOf: '2026-11-20', buckets: {} },
};
