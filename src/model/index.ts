/** The entry point `@rallypoint/sdk/model`: the types of the interface, its limits and its rules. */

export { type ApplicationTraits, applicationFlags, type PartialApplication } from './application.ts';
export type {
  ApplicationProfile,
  ApplicationProfileEdit,
  IdentityProviderType,
  ProfileData,
  ProfileField,
  ProfileIdentity,
  ProfileMedia,
  StoredApplicationProfile,
} from './application-profile.ts';
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
export type {
  ArgumentErrorCode,
  KeychainErrorCode,
  OAuthErrorCode,
  RedirectErrorCode,
  TransportErrorCode,
} from './errors/error-codes.ts';
export {
  type AnyRallypointError,
  ApiError,
  type ApiErrorDetails,
  type ApiErrorEntry,
  type ApiErrorName,
  ArgumentError,
  apiErrors,
  GatewayError,
  isRallypointError,
  KeychainError,
  OAuthError,
  RallypointError,
  type RallypointErrorCode,
  RateLimitError,
  RedirectError,
  TransportError,
  ValidationError,
} from './errors/errors.ts';
export { type FieldErrorCode, fieldErrors } from './errors/field-errors.ts';
export {
  type ErrorTree,
  formatIssues,
  formatPath,
  type Issue,
  issuesToTree,
  treeToIssues,
} from './errors/issue.ts';
export { type ExternalAuth, type ExternalAuthType, externalAuthTypes, isExternalAuthType } from './external-auth.ts';
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
export { componentLimits } from './limits/component-limits.ts';
export { embedLimits } from './limits/embed-limits.ts';
export { limits } from './limits/limits.ts';
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
  ExternalAuthFields,
  ProvisionalTokenInput,
  ProvisionalTokenResponse,
} from './provisional.ts';
export {
  type CommandRuleContext,
  type CommandScope,
  checkCommand,
  checkCommandEdit,
  checkCommandList,
} from './rules/commands/command.ts';
export { type CommandCounts, countByType, firstExceededType } from './rules/commands/command-count.ts';
export { type CommandChange, type DiffContext, diffCommand } from './rules/commands/command-diff.ts';
export { commandTextLength } from './rules/commands/command-size.ts';
export { type NormalizedCommand, normalizeCommand } from './rules/commands/normalize-command.ts';
export { isInstalledBy, isOfferedIn } from './rules/commands/offered.ts';
export { checkLobby, checkLobbyMember, checkLobbyMemberChanges } from './rules/lobbies/lobby.ts';
export { checkLobbyJoin, checkLobbyLink } from './rules/lobbies/lobby-join.ts';
export { checkLobbyMessage, checkModerationMetadata, isSilent } from './rules/lobbies/lobby-message.ts';
export { type PlacedText, type ShownText, shownText, shownTexts } from './rules/locales/shown-texts.ts';
export { type MemberPlace, memberPlace, type PlaceGuild, type PlaceMember } from './rules/permissions/member-place.ts';
export { checkOverwrites } from './rules/permissions/overwrites.ts';
export {
  type OverwriteLayer,
  type OverwriteLayers,
  type Permit,
  type PermitQuestion,
  type PermitStep,
  type PermitStepName,
  permit,
} from './rules/permissions/permit.ts';
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
