/**
 * How the service runs: lives, windows and what it lets wait. What a caller's values must keep to is in {@link limits}.
 *
 * @see docs/spec/limits.md
 */
export const serviceLimits = {
  nonceLengthMax: 25,
  /** Length of a refresh's idempotency key. Unspecified: both; at most the length of a code verifier. */
  idempotencyKeyLengthMin: 16,
  idempotencyKeyLengthMax: 128,
  /** How many Identifies of a bot may run concurrently: one for each value of `shard id mod` this. */
  gatewayMaxConcurrency: 1,
  gatewayMembersPerChunk: 1000,
  lobbySecretLifeMs: 30 * 24 * 3_600_000,
  lobbyHistoryAgeMaxMs: 72 * 3_600_000,
  /** How long a token for the voice server is valid. Our choice: as long as connecting takes. */
  voiceTokenLifeMs: 5 * 60_000,
  /** How long an application's server may take to acknowledge a webhook event, and how long it is tried again. */
  webhookEventAnswerMs: 3_000,
  webhookEventRetryMs: 10 * 60_000,
  /** An application's answer in the HTTP response to an interaction. Our choice: many times the size of a real one. */
  interactionReplyBytesMax: 256 * 1024,
  /** Interactions that an application's server may have before it at a time. Our choice: the interface names no number. */
  interactionsUnderWayMax: 1000,
  /** Messages after the first where the application is there for the user alone. @see docs/spec/interactions.md#after-the-answer */
  followUpsByUserInstallMax: 5,
  /** How long a message keeps components that can be used, beyond the interaction it answers. Our choice: a day. */
  messageComponentsLifeMs: 24 * 3_600_000,
  /** Files of messages that are kept at a time. Our choice: what a process can spare. */
  filesKeptBytesMax: 64 * 1024 * 1024,
  /** Ids of one query for entitlements. */
  skuIdsMax: 100,
  redirectUrisMax: 10,
  /** Users of an application that are counted whenever somebody asks; of more, the count may be so old. Our choice, both. */
  usersCountedMax: 1000,
  usersCountAgeMaxMs: 60_000,
  authorizationCodeLifeMs: 100_000,
  deviceCodeLifeMs: 300_000,
  userCodeLength: 8,
  /**
   * A refresh token that nobody used for so long ends. Our choice (November 2026): the hosted service names no end; three months
   * keep those signed in who play now and then.
   */
  refreshTokenIdleMs: 90 * 24 * 3_600_000,
  /**
   * Who uses a refresh token again so shortly after, before its successor was used, is refused and no more: windows of one game
   * may refresh at the same moment. Our choice (November 2026): as long as a client waits for an answer and tries again.
   */
  refreshGraceMs: 60_000,
  /** How long ago an ID token from elsewhere may have been issued. */
  identityTokenAgeMaxMs: 7 * 24 * 3_600_000,
  /** Identities of one application that lead to one account. Our choice: the interface names no number. */
  externalIdentitiesPerUserMax: 10,
  /** Of a user who signs in by password. Our choice, both: what NIST SP 800-63B (3.1.1.2) asks for, and room to breathe. */
  passwordLengthMin: 8,
  passwordLengthMax: 256,
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
  gatewayGuildsPerShardMax: 2500,
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

/** Bounds by which a service keeps itself in hand. Our choice, all of them: the interface is silent. */
export const runtimeLimits = {
  /**
   * Connections that may wait to be accepted, or as many as the system allows (Linux: `net.core.somaxconn`). Where they do not
   * fit, those who all come back after a restart try again after 1, 2, 4, 8 and 16 s.
   */
  listenBacklog: 65_535,
  /** How long a service that was told to end waits for what is under way. */
  drainTimeoutMs: 10_000,
  drainTimeoutMsMax: 3_600_000,
  /** How much of that is left for the state when the connections have had theirs. */
  drainRestShare: 0.1,
  /** How long a connection on which nothing is asked may still ask, after the service was told to end. */
  drainIdleMs: 100,
  /** How often an ending service looks which connections have become idle. */
  drainLookMs: 50,
  /** How long a gateway connection may be without a session, and how many may be so at a time: those there longest make room. */
  gatewayIdentifyMs: 10_000,
  gatewayUnidentifiedMax: 5000,
  /**
   * How fast a client must read what it asked for and what has no bound, like READY, and what it has beside that: less is too
   * slow. What comes behind counts against `limits.gatewayBacklogBytesMax`.
   */
  gatewayOwedBytesPerSecondMin: 32 * 1024,
  gatewayOwedMs: 30_000,
  /** What is kept of events, so that gateway sessions can be resumed after a restart; older events make room. */
  eventLogBytesMax: 64 * 1024 * 1024,
  /** How many deliveries those events stand for, each to one session: what a start takes grows with them. */
  eventLogDeliveriesMax: 4_000_000,
  /** The Retry-After of a request that failed in the store. */
  storeRetryMs: 5000,
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
  /** Sign-ins under way, those included that wait, and those from one address. More are rejected immediately. */
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
  /** JSON that is parsed without a pause: a body up to this size as a whole, a larger list in portions of about this size. */
  jsonPortionBytes: 256 * 1024,
  /** Values of a larger JSON body: of all of it, and of what is read without a pause (an item of a list, or what is no list). */
  jsonValuesMax: 400_000,
  jsonValuesPerItemMax: 32_000,
  jsonDepthMax: 1000,
} as const;

/** How the store on disk is run. Our choice, all of them. */
export const storeLimits = {
  /** Statements that take this long or longer are logged. */
  slowStatementMs: 250,
  slowStatementMsMax: 600_000,
} as const;
