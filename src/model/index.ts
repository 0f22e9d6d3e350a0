/** The door `@rallypoint/sdk/model`: the interface's vocabulary, its limits, and the rules that judge it. */
export { type ApplicationTraits, applicationFlags, type PartialApplication } from './application.ts';
export {
  type Command,
  type CommandChoice,
  type CommandEdit,
  type CommandInput,
  type CommandItem,
  type CommandOption,
  type CommandType,
  commandKey,
  commandTypes,
  type EntryPointHandler,
  entryPointHandlers,
  type IntegrationType,
  type InteractionContext,
  integrationTypes,
  interactionContexts,
  type OptionType,
  optionChannelTypes,
  optionTypes,
} from './command.ts';
export type { CommandIndex, IndexApplication } from './command-index.ts';
export {
  buttonStyles,
  type Component,
  type ComponentChoice,
  type ComponentType,
  componentTypes,
  type Modal,
  type SubmittedComponent,
  textInputStyles,
} from './component.ts';
export {
  type ArgumentErrorCode,
  errorCodes,
  type KeychainErrorCode,
  type OAuthErrorCode,
  type RedirectErrorCode,
  type TransportErrorCode,
} from './error-codes.ts';
export {
  ApiError,
  type ApiErrorDetails,
  type ApiErrorEntry,
  type ApiErrorName,
  ArgumentError,
  apiErrors,
  GatewayError,
  KeychainError,
  OAuthError,
  RallypointError,
  RateLimitError,
  RedirectError,
  TransportError,
  ValidationError,
} from './errors.ts';
export { type ExternalAuthType, externalAuthTypes, isExternalAuthType } from './external-auth.ts';
export {
  type CloseCodeName,
  type CloseRemedy,
  capabilities,
  closeCodes,
  closeRemedy,
  type Dispatches,
  type DispatchName,
  type GatewayBot,
  type GatewayFrame,
  type Identify,
  type InteractionOutcome,
  type InviteCreated,
  intents,
  type LobbyDeleteReason,
  type LobbyMemberDispatch,
  type Opcode,
  opcodes,
  type Ready,
} from './gateway.ts';
export { globalRateMax, withGlobalRate } from './global-rate.ts';
export {
  type Channel,
  type Guild,
  type GuildMember,
  type LinkableChannel,
  type LinkedLobby,
  type OwnGuild,
  type PermissionOverwrite,
  permissionBits,
  type Role,
} from './guild.ts';
export {
  type CallbackResponse,
  type CallbackType,
  type CommandInteraction,
  type CommandInvocation,
  type ComponentInteraction,
  type ComponentInvocation,
  type ComponentUseInput,
  callbackTypes,
  type Interaction,
  type InteractionCallback,
  type InteractionMember,
  type InteractionType,
  type InvocationInput,
  interactionTypes,
  invokingUser,
  type ModalInteraction,
  type ModalSubmission,
  type ModalSubmitInput,
  type OptionValue,
} from './interaction.ts';
export {
  type ErrorTree,
  type FieldErrorCode,
  fieldErrors,
  formatIssues,
  formatPath,
  type Issue,
  issuesToTree,
  treeToIssues,
} from './issue.ts';
export {
  componentLimits,
  type LimitProfile,
  type LimitProfileName,
  limitProfiles,
  limits,
  type RateLimit,
  type RateLimitBucket,
} from './limits.ts';
export {
  type GatewayLobby,
  type GatewayLobbyMember,
  type Lobby,
  type LobbyInput,
  type LobbyInvite,
  type LobbyJoinInput,
  type LobbyLinkInput,
  type LobbyMember,
  type LobbyMemberChange,
  type LobbyMemberEntry,
  type LobbyMemberInput,
  type LobbyVoiceServer,
  type LobbyVoiceState,
  type LobbyVoiceStateInput,
  lobbyFlags,
  lobbyMemberFlags,
  type Metadata,
} from './lobby.ts';
export {
  type GatewayLobbyMessage,
  type LobbyMessage,
  type LobbyMessageInput,
  lobbyChannelType,
} from './lobby-message.ts';
export { isLocale, type Locale, type Localizations, localeFallbacks, locales } from './locale.ts';
export { type ChannelMessage, type Message, messageFlags, messageTypes } from './message.ts';
export {
  customSchemePrefix,
  customSchemeRedirectPath,
  defaultCommunicationScopes,
  defaultPresenceScopes,
  expandScopes,
  isScope,
  loopbackRedirect,
  type Scope,
  scopes,
  splitScopes,
  type TokenResponse,
  umbrellaScopes,
} from './oauth.ts';
export {
  allChannelsId,
  type CommandOverwrite,
  everyoneId,
  type GuildCommandPermissions,
  type OverwriteType,
  overwriteTypes,
} from './overwrite.ts';
export type {
  AccountEdit,
  BotProvisionalTokenInput,
  ChildTokenInput,
  ExternalAuth,
  ProvisionalTokenInput,
  ProvisionalTokenResponse,
} from './provisional.ts';
export { checkCallback, isEmptyMessage } from './rules/callback.ts';
export {
  type CommandRuleContext,
  type CommandScope,
  checkCommand,
  checkCommandEdit,
  checkCommandList,
} from './rules/command.ts';
export { type CommandCounts, countByType, firstExceededType } from './rules/command-count.ts';
export { type CommandChange, type DiffContext, diffCommand } from './rules/command-diff.ts';
export { commandTextLength } from './rules/command-size.ts';
export { checkInvocation } from './rules/invocation.ts';
export { checkLobby, checkLobbyMember, checkLobbyMemberChanges } from './rules/lobby.ts';
export { checkLobbyJoin, checkLobbyLink } from './rules/lobby-join.ts';
export { checkLobbyMessage, checkModerationMetadata, isSilent } from './rules/lobby-message.ts';
export { checkLobbyVoicePing, checkLobbyVoiceStates } from './rules/lobby-voice.ts';
export { type MemberPlace, memberPlace, type PlaceGuild, type PlaceMember } from './rules/member-place.ts';
export { type NormalizedCommand, normalizeCommand } from './rules/normalize-command.ts';
export { isInstalledBy, isOfferedIn } from './rules/offered.ts';
export { checkOverwrites } from './rules/overwrites.ts';
export {
  type OverwriteLayer,
  type OverwriteLayers,
  type Permit,
  type PermitQuestion,
  type PermitStep,
  type PermitStepName,
  permit,
} from './rules/permit.ts';
export {
  checkAccountEdit,
  checkBotProvisionalToken,
  checkBotUnmerge,
  checkChildToken,
  checkProvisionalToken,
} from './rules/provisional.ts';
export { type PlacedText, type ShownText, shownText, shownTexts } from './rules/shown-texts.ts';
export {
  type ApplicationId,
  type ChannelId,
  type CommandId,
  compareSnowflakes,
  type GuildId,
  type InteractionId,
  isSnowflake,
  type LobbyId,
  type MessageId,
  parseSnowflake,
  type RoleId,
  readSnowflake,
  type Snowflake,
  snowflakeEpochMs,
  snowflakeMax,
  snowflakeTimeMs,
  type UserId,
} from './snowflake.ts';
export type { User } from './user.ts';
export { version } from './version.ts';
