import { gatewayPayloadBytesMax } from '../../model/gateway.ts';

/**
 * Bounds of the service: lifetimes, windows and queues. Bounds on callers' values are in {@link limits}.
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
  /** Invites of one application that are valid. Unspecified: the interface names a number for each guild only. */
  lobbyInvitesPerApplicationMax: 50_000,
  lobbyHistoryAgeMaxMs: 72 * 3_600_000,
  /** How many messages between two users, and how old ones, are shown. */
  directHistoryMessagesMax: 200,
  directHistoryMessagesDefault: 50,
  directHistoryAgeMaxMs: 72 * 3_600_000,
  /** How long an invite, or a request to join, is valid. */
  activityInviteLifeMs: 6 * 3_600_000,
  /** How long an ephemeral message can be edited and deleted. Unspecified: as long as an invite, which may be one, is valid. */
  ephemeralMessageLifeMs: 6 * 3_600_000,
  /** How long a token for the voice server is valid. Unspecified: as long as connecting takes. */
  voiceTokenLifeMs: 5 * 60_000,
  /** How long an application's server may take to acknowledge a webhook event, and how long it is retried. */
  webhookEventAnswerMs: 3_000,
  webhookEventRetryMs: 10 * 60_000,
  /** Bytes of webhook events that wait for one application's server, and in total; further events are dropped. Unspecified, both. */
  webhookWaitingBytesPerApplicationMax: 128 * 1024 * 1024,
  webhookWaitingBytesMax: 256 * 1024 * 1024,
  /** An application's answer in the HTTP response to an interaction. Unspecified: many times the size of a real one. */
  interactionReplyBytesMax: 256 * 1024,
  /** Interactions that may be under way to an application's server at a time. Unspecified: the interface names no number. */
  interactionsUnderWayMax: 1000,
  /** Follow-up messages if only the user has installed the application. @see docs/spec/interactions.md#after-the-answer */
  followUpsByUserInstallMax: 5,
  /** Messages that an application has sent to one user's interactions, as JSON, while they are kept. Unspecified: the bound. */
  interactionMessagesBytesMax: 16 * 1024 * 1024,
  /** How long a message keeps components that can be used, beyond the interaction it answers. Unspecified: a day. */
  messageComponentsLifeMs: 24 * 3_600_000,
  /** Files of messages that are kept at a time. Unspecified: what a process can spare. */
  filesKeptBytesMax: 64 * 1024 * 1024,
  /** Those of one application, or of one user who uploads. Unspecified: more than one form. */
  filesKeptBytesPerOwnerMax: 32 * 1024 * 1024,
  /** As above, on a cluster, where they are kept in the database; and how long. Unspecified, all of them. */
  sharedFilesBytesMax: 1024 * 1024 * 1024,
  sharedFilesBytesPerOwnerMax: 256 * 1024 * 1024,
  sharedFilesLifeMs: 24 * 3_600_000,
  /** Commands of one place as JSON, all translations included. Unspecified: what clients of this package accept, with room for the rest. */
  commandsBytesMax: 7 * 1024 * 1024,
  /** Ids of one query for entitlements. */
  skuIdsMax: 100,
  redirectUrisMax: 10,
  /** Up to this many users of an application are counted for each request; a larger count may be this old. Unspecified, both. */
  usersCountedMax: 1000,
  usersCountAgeMaxMs: 60_000,
  authorizationCodeLifeMs: 100_000,
  deviceCodeLifeMs: 300_000,
  userCodeLength: 8,
  /**
   * A refresh token that is unused for this long expires. Unspecified (November 2026): the hosted service names no expiry; three months
   * keep occasional players signed in.
   */
  refreshTokenIdleMs: 90 * 24 * 3_600_000,
  /**
   * Reusing a refresh token within this time, before its successor was used, is rejected without revoking the grant, because windows of
   * one game may refresh concurrently. Unspecified (November 2026): as long as a client waits for an answer and retries.
   */
  refreshGraceMs: 60_000,
  /**
   * Live tokens of one user with one application: access tokens, refresh tokens (one for each sign-in), and access tokens of all child
   * applications together; tokens of an application itself; authorization codes; and browsers that are signed in to the pages. The
   * oldest makes room for a new one. Unspecified, all of them: the interface names no numbers; a person has far fewer devices.
   */
  accessTokensPerAuthorizationMax: 100,
  refreshTokensPerAuthorizationMax: 100,
  childTokensPerAuthorizationMax: 100,
  tokensPerApplicationMax: 250,
  codesPerAuthorizationMax: 20,
  signInsPerUserMax: 100,
  /** How long ago an ID token from elsewhere may have been issued. */
  identityTokenAgeMaxMs: 7 * 24 * 3_600_000,
  /** Identities of one application that lead to one account. Unspecified: the interface names no number. */
  externalIdentitiesPerUserMax: 10,
  /** Of a user who signs in by password. Unspecified, both: what NIST SP 800-63B (3.1.1.2) requires, and ample room. */
  passwordLengthMin: 8,
  passwordLengthMax: 256,
  /** Unspecified: room for the largest valid bulk of commands in some locales; the interface names no bound. */
  requestBodyBytesMax: 10 * 1024 * 1024,
  /** A form with files. Unspecified: room for two of the largest, and many small ones. */
  formBodyBytesMax: 25 * 1024 * 1024,
  /** How long a request may take to arrive. Unspecified: as above. */
  requestMs: 60_000,
  gatewayPayloadBytesMax,
  gatewayHeartbeatIntervalMs: 41_250,
  gatewaySendsPerMinute: 120,
  /** How long a session waits for its client to resume it. Unspecified: the interface says "a few minutes". */
  gatewayResumeWindowMs: 180_000,
  /** Bounds of a session's replay buffer; older events make room. Unspecified, both. */
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
  /** Sessions one user (or one bot) holds at a time. Unspecified: the interface names no number. */
  gatewaySessionsPerUserMax: 100,
  /** Sessions in SESSIONS_REPLACE, besides the one called `all`. */
  ownSessionsListedMax: 15,
  /** Activities of a user that others see; newer ones replace older ones. Unspecified: twice what one session may show. */
  shownActivitiesMax: 20,
  /** How long a session without a connection shows what its user plays, and how many a user has; the oldest makes room. Unspecified: the number. */
  headlessSessionLifeMs: 20 * 60_000,
  headlessSessionsPerUserMax: 10,
  /**
   * What READY has of others' activities, and of their profiles; friends beyond are shown without activities. Lobbies are in READY while
   * it has at most this many bytes, and `frameValuesMax` values; the others follow as events. Clients of this package accept such frames.
   * Unspecified: all three.
   */
  shownActivitiesBytesMax: 1024 * 1024,
  readyProfilesBytesMax: 1024 * 1024,
  readyWithLobbiesBytesMax: 24 * 1024 * 1024,
  /** Of a list of messages, which is shorter instead. Unspecified: half of what clients of this package accept. */
  messageListBytesMax: 4 * 1024 * 1024,
  /** Bytes that may wait for a client that reads too slowly. Unspecified: as above. */
  gatewayBacklogBytesMax: 1024 * 1024,
} as const;

/** Bounds of the running service. Unspecified, all of them. */
export const runtimeLimits = {
  /**
   * Connections that may wait at each listening socket to be accepted, or as many as the system allows (Linux: `net.core.somaxconn`).
   * Where they do not fit, clients that reconnect together after a restart retry after 1, 3, 7 and 15 s.
   */
  listenBacklog: 65_535,
  /** Sockets that listen on the port of a service whose sessions survive a restart. */
  listenSockets: 8,
  /** How long a start waits for an answer from its port before it considers the port in use. */
  portCheckMs: 250,
  /** How long a service that is stopped waits for requests under way. */
  drainTimeoutMs: 10_000,
  drainTimeoutMsMax: 3_600_000,
  /** How long a node whose start failed waits until its engines know. */
  failedStartMs: 300,
  /** The share of that time that is reserved for closing the store, and for what follows. */
  drainRestShare: 0.1,
  /** The share of that time in which the process ends, when closing the store takes too long. */
  drainExitShare: 0.03,
  /** How long an idle connection may still send requests after the service was stopped. */
  drainIdleMs: 100,
  /** How often a stopping service checks which connections have become idle. */
  drainLookMs: 50,
  /** How long READY waits at most until another process could continue the session. */
  gatewayWithheldMs: 2000,
  /** How long a gateway connection may be without a session, and how many there may be; the oldest make room. */
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
  /** The Retry-After of what the service cannot do now, for example because its store fails. */
  retryMs: 5000,
} as const;

/**
 * Bounds on the resources that callers can occupy, so that none keeps the service from the others. Unspecified, all of them: the
 * interface names no bounds.
 */
export const intakeLimits = {
  /** Connections without a valid credential, in all and from one address. */
  unprovenConnectionsMax: 40_000,
  unprovenConnectionsPerAddressMax: 1000,
  /** As above, from an address of a private network: many clients may share it, behind a proxy or a container's gateway. */
  unprovenConnectionsPerPrivateAddressMax: 20_000,
  /** Connections on which the credential of one user, or of one application, was accepted; the longest idle one makes room. */
  connectionsPerUserMax: 100,
  connectionsPerApplicationMax: 10_000,
  /** How long connections without a valid credential are read in one turn of the event loop before they are paused. */
  strangersTurnMs: 20,
  /**
   * Pipelined requests that are handled at a time, of one connection, and that begin in one turn of the event loop, of all; and that
   * wait for earlier ones, of all connections.
   */
  pipelinedRunningMax: 16,
  pipelinedWaitingMax: 20_000,
  /** Headers of a request. Node.js keeps each as texts of its own, which take many times their bytes. */
  headersMax: 100,
  /** How long the head of a request may take to arrive, and how often that is checked. */
  requestHeadMs: 15_000,
  requestCheckMs: 5_000,
  /** Fragments of a WebSocket message, and pieces in which one of them arrives: each takes some 150 bytes until the message is complete. */
  messagePiecesMax: 400,
  /** How long a connection is kept whose client neither sends nor reads. */
  stillMs: 120_000,
  /** How long the client of a rejected connection may take to close it before it is destroyed. */
  lingerMs: 1000,
  /** Passwords that are hashed at a time, on worker threads; others wait. Half of Node's thread pool, which other work needs, too. */
  passwordsUnderWayMax: 2,
  /** Sign-ins under way, those included that wait, and those from one address. More are rejected immediately. */
  signInsMax: 128,
  signInsPerAddressMax: 32,
  /** A body of an unidentified caller: OAuth2 forms, and JSON that contains its own proof. */
  unprovenBodyBytesMax: 64 * 1024,
  /** Bytes of such bodies in memory, of all callers together; the oldest body makes room. */
  unprovenBytesMax: 32 * 1024 * 1024,
  /** As above, of identified callers: ten of the largest forms. */
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

/** What the console keeps and reads, while it is on. Unspecified, all of them. */
export const consoleLimits = {
  /** The traffic that is kept: entries and bytes; older entries make room. */
  trafficEntriesMax: 10_000,
  trafficBytesMax: 16 * 1024 * 1024,
  /** The same before the console is first used: what somebody who opens it after something happened wants to see. */
  trafficUnreadEntriesMax: 2000,
  trafficUnreadBytesMax: 4 * 1024 * 1024,
  /** A body that is kept as a whole. */
  trafficBodyBytesMax: 64 * 1024,
  /** Text that one search reads, and records that one list looks at. */
  searchedBytesMax: 8 * 1024 * 1024,
  searchedRecordsMax: 2000,
  /** Streams that are open at a time, and entries that may wait for one of them. */
  streamsMax: 32,
  streamEntriesMax: 2000,
  streamBytesMax: 1024 * 1024,
  streamBatchMs: 100,
  /** How many records are counted at most, and how old a count may be. */
  countedMax: 10_000,
  countAgeMs: 5000,
  /** Former versions of commands. */
  commandVersionsMax: 20,
  commandVersionsInAllMax: 2000,
  commandVersionsBytesMax: 8 * 1024 * 1024,
  /** Metrics samples that a new reader receives. */
  samplesMax: 300,
  /** How long a credential for acting is valid. */
  actingLifeMs: 60_000,
} as const;

/** How the store on disk is run. Unspecified, all of them. */
export const storeLimits = {
  /** Statements that take this long or longer are logged. */
  slowStatementMs: 250,
  slowStatementMsMax: 600_000,
  /** PostgreSQL: how long a read may take, and a transaction with all its attempts. Together they stay below 10 s. */
  readMs: 3000,
  transactMs: 6000,
  /** PostgreSQL: how long opening one connection may take, and what the server itself grants a statement and a lock. */
  connectMs: 2500,
  statementMs: 5000,
  lockMs: 2000,
  /** PostgreSQL: a migration, or each step of a copy. */
  wholeStoreMs: 60_000,
  /** PostgreSQL: each statement of a dump or a load; of a server that does not answer, the caller must hear in time. */
  wholeStatementMs: 4000,
  statementsPerConnectionMax: 64,
  /** PostgreSQL: how long events, outcomes of commits and revisions of scopes are kept, and how much of events at most. */
  kept: { eventsMs: 900_000, eventsBytesMax: 1024 ** 3, commitsMs: 600_000, scopesMs: 3_600_000 },
} as const;
