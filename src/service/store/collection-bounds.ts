import { limitProfiles } from '../../model/limits/limit-profiles.ts';
import { globalLimit, limits } from '../../model/limits/limits.ts';
import { profileLimits } from '../../model/limits/profile-limits.ts';
import { roleConnectionLimits } from '../../model/limits/role-connection-limits.ts';
import { socialLimits } from '../../model/limits/social-limits.ts';
import { intakeLimits, runtimeLimits, serviceLimits } from '../support/service-limits.ts';
import type { CollectionName } from './records.ts';

/** What keeps a collection from growing without end. docs/security.md shows it as a table. */
export interface CollectionBound {
  /** Who can make it grow. */
  readonly grownBy: string;
  /** How far, for each owner, and how large one record is. */
  readonly bound: string;
  /** What the one beyond the bound gets. */
  readonly beyond: string;
  /** What removes records. */
  readonly cleanedBy: string;
  /** The test file that shows it. */
  readonly test: string;
}

const { standard } = limitProfiles;
const { lobbiesPerUserMax, lobbiesPerApplicationMax, identitiesPerApplicationMax } = standard;

const many = (count: number | undefined) => (count ?? 0).toLocaleString('en-US');
const kib = (bytes: number) => `${many(bytes / 1024)} KiB`;
const mib = (bytes: number) => `${many(bytes / 1024 ** 2)} MiB`;
const hours = (ms: number) => `${many(ms / 3_600_000)} h`;
const minutes = (ms: number) => `${many(ms / 60_000)} min`;
const seconds = (ms: number) => `${many(ms / 1000)} s`;

const operator = 'the operator alone';
const documents = 'the bounds of [fixtures](service.md#fixtures)';
const withAccount = 'the end of the account';
const withAuthorization = 'the end of the authorization';
const withLobby = 'the end of the lobby';
const oldestMakesRoom = 'the oldest makes room';
const replaced = 'it is replaced';

/** One row for each collection of the store: a collection without one does not compile. */
export const collectionBounds: Readonly<Record<CollectionName, CollectionBound>> = {
  applications: {
    grownBy: `${operator}; the application changes its own texts`,
    bound: `${documents}; description ${many(limits.applicationDescriptionLengthMax)} characters, ${many(roleConnectionLimits.roleConnectionMetadataMax)} fields of role connections`,
    beyond: '400, code 50035',
    cleanedBy: 'the operator',
    test: 'test/service/features/accounts/routes.test.ts',
  },
  users: {
    grownBy: 'the operator; an application by provisional accounts',
    bound: `${many(identitiesPerApplicationMax)} identities of an application, each of which leads to one account; names ${many(limits.globalNameLengthMax)} characters`,
    beyond: '400, code 50035, `PROVISIONAL_ACCOUNTS_MAX`',
    cleanedBy: 'a merge; the operator',
    test: 'test/service/owned-bound.test.ts',
  },
  passwords: {
    grownBy: operator,
    bound: `one for each user, of ${many(serviceLimits.passwordLengthMax)} characters`,
    beyond: replaced,
    cleanedBy: withAccount,
    test: 'test/service/features/oauth/pages/password-sign-in.test.ts',
  },
  external_identities: {
    grownBy: 'an application; players who sign in',
    bound: `${many(identitiesPerApplicationMax)} of an application, ${many(serviceLimits.externalIdentitiesPerUserMax)} for each account; ids ${many(limits.externalUserIdLengthMax)} characters, stored as hashes`,
    beyond: '400, code 50035, `PROVISIONAL_ACCOUNTS_MAX`; code 530023 for one account',
    cleanedBy: withAccount,
    test: 'test/service/owned-bound.test.ts',
  },
  account_moves: {
    grownBy: 'an application that merges accounts',
    bound: 'one for each identity',
    beyond: '423 while one is under way',
    cleanedBy: 'the end of the merge; a start finishes those that were interrupted',
    test: 'test/service/features/oauth/provisional/account-moves.test.ts',
  },
  guilds: {
    grownBy: operator,
    bound: documents,
    beyond: '400',
    cleanedBy: 'the operator',
    test: 'test/service/testing/fixtures/check-fixtures.test.ts',
  },
  guild_members: {
    grownBy: operator,
    bound: documents,
    beyond: '400',
    cleanedBy: 'the operator',
    test: 'test/service/testing/fixtures/check-fixtures.test.ts',
  },
  installations: {
    grownBy: 'users who add an application to a guild that they manage',
    bound: 'one for each application and guild',
    beyond: replaced,
    cleanedBy: 'the removal from the guild',
    test: 'test/service/features/oauth/authorize/installation.test.ts',
  },
  commands: {
    grownBy: 'an application',
    bound: `${many(limits.commandsPerScope[1])} slash commands, ${limits.commandsPerScope[2]} and ${limits.commandsPerScope[3]} of the other types and an entry point, globally and in each guild; ${many(limits.commandTextLengthMax)} characters each, ${mib(serviceLimits.commandsBytesMax)} together with all translations`,
    beyond: '400, code 30032 or 50035',
    cleanedBy: 'the application',
    test: 'test/service/features/commands/commands.test.ts',
  },
  command_quotas: {
    grownBy: 'an application',
    bound: 'one for each application and guild',
    beyond: replaced,
    cleanedBy: 'the operator',
    test: 'test/service/features/commands/commands.test.ts',
  },
  command_overwrites: {
    grownBy: 'users who manage a guild; an application by the token of one',
    bound: `one for each command and guild, with ${many(limits.commandPermissionsMax)} entries`,
    beyond: '400, code 50035',
    cleanedBy: 'the end of the command',
    test: 'test/service/features/commands/command-permissions.test.ts',
  },
  lobbies: {
    grownBy: 'an application; its players by a secret',
    bound: `${many(lobbiesPerApplicationMax)} of an application; metadata ${many(limits.lobbyMetadataLengthMax)} characters`,
    beyond: '400, code 50035, `LOBBIES_PER_APPLICATION_MAX`',
    cleanedBy: `the lobby's idle timeout, ${hours(limits.lobbyIdleTimeoutSecondsMax * 1000)} at most`,
    test: 'test/service/owned-bound.test.ts',
  },
  lobby_members: {
    grownBy: 'an application; its players',
    bound: `${many(limits.lobbyMembersMax)} in a lobby, ${many(lobbiesPerUserMax)} lobbies of an application for each user (any number with \`--limits off\`); metadata ${many(limits.lobbyMetadataLengthMax)} characters`,
    beyond: '400, code 50035, `LOBBIES_PER_USER_MAX`',
    cleanedBy: withLobby,
    test: 'test/service/features/lobbies/members.test.ts',
  },
  lobby_messages: {
    grownBy: "a lobby's members",
    bound: `${many(limits.lobbyHistoryMessagesMax)} and those of the last sweep in a lobby, for ${hours(serviceLimits.lobbyHistoryAgeMaxMs)}; ${many(limits.messageContentLengthMax)} characters each; ${mib(serviceLimits.messageListBytesMax)} in a list`,
    beyond: oldestMakesRoom,
    cleanedBy: `the messages that follow; ${withLobby}`,
    test: 'test/service/features/lobbies/messages.test.ts',
  },
  lobby_invites: {
    grownBy: 'an application; members of linked lobbies',
    bound: `${many(serviceLimits.lobbyInvitesPerApplicationMax)} of an application that are valid, each for ${hours(limits.lobbyInviteLifeMs)}`,
    beyond: '400, code 30016',
    cleanedBy: 'the invites that follow',
    test: 'test/service/features/lobbies/links.test.ts',
  },
  authorizations: {
    grownBy: 'users who sign in to a game',
    bound: 'one for each user and application',
    beyond: replaced,
    cleanedBy: 'the user or the application withdraws it',
    test: 'test/service/features/oauth/token/end-user-tokens.test.ts',
  },
  former_authorizations: {
    grownBy: 'users who withdraw an authorization',
    bound: 'one for each user and application',
    beyond: replaced,
    cleanedBy: withAccount,
    test: 'test/contract/social-relationships.test.ts',
  },
  role_connections: {
    grownBy: 'an application by the token of a user',
    bound: `one for each user and application, with ${many(roleConnectionLimits.roleConnectionMetadataMax)} fields of ${many(roleConnectionLimits.roleConnectionValueLengthMax)} characters`,
    beyond: replaced,
    cleanedBy: withAuthorization,
    test: 'test/service/features/oauth/current-user/role-connections.test.ts',
  },
  codes: {
    grownBy: 'users who sign in to a game',
    bound: `${many(serviceLimits.codesPerAuthorizationMax)} for each authorization, for ${seconds(serviceLimits.authorizationCodeLifeMs)}`,
    beyond: oldestMakesRoom,
    cleanedBy: 'a sweep every 10 min',
    test: 'test/service/features/oauth/token/token-bounds.test.ts',
  },
  device_codes: {
    grownBy: 'everybody who knows a public client',
    bound: `${many(standard.buckets['oauth-device']?.requests)} of an application and address in ${minutes(standard.buckets['oauth-device']?.windowMs ?? 0)}, kept for ${minutes(2 * serviceLimits.deviceCodeLifeMs)}`,
    beyond: '429',
    cleanedBy: 'a sweep every 10 min',
    test: 'test/service/features/oauth/device/device-flow.test.ts',
  },
  tokens: {
    grownBy: 'users who sign in to a game; an application',
    bound: `${many(serviceLimits.accessTokensPerAuthorizationMax)} access tokens, ${many(serviceLimits.refreshTokensPerAuthorizationMax)} refresh tokens and ${many(serviceLimits.childTokensPerAuthorizationMax)} of child applications for each authorization; ${many(serviceLimits.tokensPerApplicationMax)} of an application itself`,
    beyond: oldestMakesRoom,
    cleanedBy: 'a sweep every 10 min',
    test: 'test/service/features/oauth/token/token-bounds.test.ts',
  },
  sign_ins: {
    grownBy: 'users who sign in to the pages',
    bound: `${many(serviceLimits.signInsPerUserMax)} browsers of a user`,
    beyond: oldestMakesRoom,
    cleanedBy: 'a sweep every 10 min',
    test: 'test/service/features/oauth/token/token-bounds.test.ts',
  },
  interactions: {
    grownBy: 'users who use commands',
    bound: `the rate of a user, ${many(globalLimit.requests)} in a second, for ${minutes(limits.interactionTokenLifeMs)} or, with components that can be used, ${hours(serviceLimits.messageComponentsLifeMs)}; options ${many(limits.optionLengthMax)} characters`,
    beyond: '429',
    cleanedBy: 'the expiry of the token',
    test: 'test/service/features/interactions/interactions.test.ts',
  },
  interaction_messages: {
    grownBy: 'an application by the token of an interaction',
    bound: `${many(limits.followUpsMax)} follow-ups of an interaction, ${mib(serviceLimits.interactionMessagesBytesMax)} to the interactions of one user; ${kib(limits.messageBytesMax)} each`,
    beyond: '400, code 50035 or 40094',
    cleanedBy: 'the end of the interaction',
    test: 'test/service/features/interactions/message-bounds.test.ts',
  },
  gateway_sessions: {
    grownBy: 'users and applications that connect',
    bound: `${many(serviceLimits.gatewaySessionsPerUserMax)} of a user or bot; ${kib(serviceLimits.gatewayPayloadBytesMax)} of presence each`,
    beyond: 'close code 4008',
    cleanedBy: `the end of the session, ${minutes(serviceLimits.gatewayResumeWindowMs)} after its connection`,
    test: 'test/service/gateway/sessions/player.test.ts',
  },
  gateway_events: {
    grownBy: 'everything that sends events',
    bound: `${mib(runtimeLimits.eventLogBytesMax)} and ${many(runtimeLimits.eventLogDeliveriesMax)} deliveries in all`,
    beyond: oldestMakesRoom,
    cleanedBy: 'the events that follow',
    test: 'test/service/gateway/sessions/event-log.test.ts',
  },
  presences: {
    grownBy: 'bots that connect, in a cluster',
    bound: `one for each user, with ${many(serviceLimits.gatewaySessionsPerUserMax)} sessions`,
    beyond: replaced,
    cleanedBy: 'the end of the session',
    test: 'test/service/gateway/cluster/any-history.test.ts',
  },
  relationships: {
    grownBy: 'users',
    bound: `${many(socialLimits.friendsMax)} friends, ${many(socialLimits.blocksMax)} blocks, ${many(socialLimits.requestsSentMax)} requests sent and ${many(socialLimits.requestsReceivedMax)} received, ${many(socialLimits.requestsPerApplicationMax)} of these through one application from its provisional accounts; notes ${many(socialLimits.relationshipNoteLengthMax)} characters`,
    beyond: '400, code 30002 or 30059',
    cleanedBy: 'either user',
    test: 'test/service/features/social/relationship-bounds.test.ts',
  },
  game_relationships: {
    grownBy: 'users',
    bound: `${many(socialLimits.gameFriendsMax)} friends, ${many(socialLimits.requestsSentMax)} requests sent and ${many(socialLimits.requestsReceivedMax)} received in each game`,
    beyond: '400, code 30002',
    cleanedBy: 'either user',
    test: 'test/service/features/social/relationship-bounds.test.ts',
  },
  relationship_totals: {
    grownBy: 'users',
    bound: 'one for each user',
    beyond: replaced,
    cleanedBy: withAccount,
    test: 'test/service/features/social/relationship-bounds.test.ts',
  },
  social_settings: {
    grownBy: 'users',
    bound: 'one for each user',
    beyond: replaced,
    cleanedBy: withAccount,
    test: 'test/contract/social-presence.test.ts',
  },
  status_expiries: {
    grownBy: 'users',
    bound: 'one for each user',
    beyond: replaced,
    cleanedBy: 'its time',
    test: 'test/contract/social-presence.test.ts',
  },
  application_profiles: {
    grownBy: 'an application',
    bound: `one for each user and application; ${many(profileLimits.profileMetadataEntriesMax)} entries of metadata, ${kib(profileLimits.profileDataBytesMax)} of data; ${mib(serviceLimits.readyProfilesBytesMax)} in READY`,
    beyond: replaced,
    cleanedBy: withAuthorization,
    test: 'test/contract/social-profiles.test.ts',
  },
  social_presences: {
    grownBy: 'users',
    bound: `one for each user, with ${many(serviceLimits.shownActivitiesMax)} activities; ${mib(serviceLimits.shownActivitiesBytesMax)} of them in READY`,
    beyond: oldestMakesRoom,
    cleanedBy: 'the end of the session',
    test: 'test/service/features/social/shown-activities.test.ts',
  },
  headless_sessions: {
    grownBy: 'users',
    bound: `${many(serviceLimits.headlessSessionsPerUserMax)} of a user`,
    beyond: oldestMakesRoom,
    cleanedBy: `their end after ${minutes(serviceLimits.headlessSessionLifeMs)}`,
    test: 'test/service/features/social/shown-activities.test.ts',
  },
  direct_channels: {
    grownBy: 'users',
    bound: `one for each pair of users, ${many(socialLimits.conversationsMax)} of a user; ${many(socialLimits.conversationsListedMax)} in a list`,
    beyond: '400, code 40003',
    cleanedBy: withAccount,
    test: 'test/service/features/social/messages.test.ts',
  },
  direct_recipients: {
    grownBy: 'users',
    bound: 'two for each conversation',
    beyond: '400, code 40003',
    cleanedBy: withAccount,
    test: 'test/service/features/social/messages.test.ts',
  },
  direct_messages: {
    grownBy: 'users',
    bound: `${many(serviceLimits.directHistoryMessagesMax)} and those of the last sweep of a conversation, and as many ephemeral ones; ${many(limits.messageContentLengthMax)} characters each; ${mib(serviceLimits.messageListBytesMax)} in a list`,
    beyond: oldestMakesRoom,
    cleanedBy: 'the messages that follow; ephemeral ones expire',
    test: 'test/service/features/social/messages.test.ts',
  },
  webhook_queues: {
    grownBy: 'lobbies and pairs of players of an application whose server does not answer',
    bound: `as many as have an event that waits, within ${mib(serviceLimits.webhookWaitingBytesPerApplicationMax)} of events`,
    beyond: 'the event is dropped, with a line in the log',
    cleanedBy: 'the delivery of the last event',
    test: 'test/service/features/webhooks/events.test.ts',
  },
  webhook_events: {
    grownBy: 'players of an application whose server does not answer',
    bound: `${mib(serviceLimits.webhookWaitingBytesPerApplicationMax)} of an application, ${mib(serviceLimits.webhookWaitingBytesMax)} in all`,
    beyond: 'the event is dropped, with a line in the log',
    cleanedBy: `the delivery; after ${minutes(serviceLimits.webhookEventRetryMs)} they are given up`,
    test: 'test/service/features/webhooks/events.test.ts',
  },
  settings: {
    grownBy: 'nobody: the names are those of the service',
    bound: 'one for each name',
    beyond: replaced,
    cleanedBy: 'nothing',
    test: 'test/service/store/suite.ts',
  },
};

/** What a process holds in memory for callers, beside its caches, which have fixed sizes. */
export const memoryBounds: Readonly<Record<string, CollectionBound>> = {
  'connections without a credential': {
    grownBy: 'everybody',
    bound: `${many(intakeLimits.unprovenConnectionsMax)}, ${many(intakeLimits.unprovenConnectionsPerAddressMax)} of an address`,
    beyond: 'the connection is reset',
    cleanedBy: `${seconds(intakeLimits.stillMs)} without progress`,
    test: 'test/service/http/connections.test.ts',
  },
  'connections with a credential': {
    grownBy: 'users and applications',
    bound: `${many(intakeLimits.connectionsPerUserMax)} of a user, ${many(intakeLimits.connectionsPerApplicationMax)} of an application`,
    beyond: 'the longest idle one is closed',
    cleanedBy: `${seconds(intakeLimits.stillMs)} without progress`,
    test: 'test/service/http/connections.test.ts',
  },
  'bodies that arrive': {
    grownBy: 'everybody',
    bound: `${mib(intakeLimits.unprovenBytesMax)} without a credential, ${mib(intakeLimits.provenBytesMax)} with one; ${mib(serviceLimits.requestBodyBytesMax)} each, ${mib(serviceLimits.formBodyBytesMax)} with files`,
    beyond: '413, or the oldest makes room',
    cleanedBy: 'the answer',
    test: 'test/service/http/stranger-bodies.test.ts',
  },
  'gateway connections that have not identified': {
    grownBy: 'everybody',
    bound: `${many(runtimeLimits.gatewayUnidentifiedMax)}, for ${seconds(runtimeLimits.gatewayIdentifyMs)}`,
    beyond: oldestMakesRoom,
    cleanedBy: 'its time',
    test: 'test/service/gateway/connection/unidentified.test.ts',
  },
  "a session's events that can be replayed": {
    grownBy: 'everything that sends events',
    bound: `${many(serviceLimits.gatewayReplayEventsMax)} and ${mib(serviceLimits.gatewayReplayBytesMax)} of a session`,
    beyond: oldestMakesRoom,
    cleanedBy: 'the end of the session',
    test: 'test/service/gateway/sessions/replay-buffer.test.ts',
  },
  'what waits for a client to read it': {
    grownBy: 'everything that sends events',
    bound: `${mib(serviceLimits.gatewayBacklogBytesMax)} behind READY, which is sent at ${kib(runtimeLimits.gatewayOwedBytesPerSecondMin)} in a second or faster; lobbies are in READY up to ${mib(serviceLimits.readyWithLobbiesBytesMax)}`,
    beyond: 'close code 4000',
    cleanedBy: 'the client reads it',
    test: 'test/service/gateway/connection/backlog.test.ts',
  },
  'interactions under way to a server': {
    grownBy: 'users who use commands',
    bound: `${many(serviceLimits.interactionsUnderWayMax)} of an application`,
    beyond: 'the interaction fails',
    cleanedBy: `its answer, within ${seconds(limits.interactionAnswerMs)}`,
    test: 'test/service/features/interactions/delivery.test.ts',
  },
  'files of messages': {
    grownBy: 'applications that answer interactions; users who upload files',
    bound: `${mib(serviceLimits.filesKeptBytesPerOwnerMax)} of an owner and ${mib(serviceLimits.filesKeptBytesMax)} in all in memory, or ${mib(serviceLimits.sharedFilesBytesPerOwnerMax)} and ${mib(serviceLimits.sharedFilesBytesMax)} in the database of a cluster; ${mib(limits.attachmentBytesMax)} each`,
    beyond: 'the oldest of the owner who has most makes room',
    cleanedBy: `in a cluster, ${hours(serviceLimits.sharedFilesLifeMs)}`,
    test: 'test/service/features/interactions/interaction-files.test.ts',
  },
  'passwords that are checked': {
    grownBy: 'everybody',
    bound: `${many(intakeLimits.signInsMax)}, ${many(intakeLimits.signInsPerAddressMax)} of an address`,
    beyond: '429',
    cleanedBy: 'the answer',
    test: 'test/service/auth/concurrency-gate.test.ts',
  },
};
