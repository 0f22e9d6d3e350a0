/**
 * The backend module: a game server's lobbies, commands and interactions.
 *
 * @example
 * ```ts
 * import { createBackend } from '@rallypoint/sdk/backend';
 *
 * const backend = createBackend({
 *   baseUrl: process.env.RALLYPOINT_BASE_URL,
 *   applicationId: '1',
 *   botToken: process.env.RALLYPOINT_BOT_TOKEN,
 * });
 * await backend.commands.create({ name: 'rally', description: 'Calls your party together' });
 * await backend.interactions.listen(interaction => interaction.reply({ content: 'On the way!' }));
 * ```
 */

export type { ApplicationTraits } from '../model/application.ts';
export {
  type Command,
  type CommandChoice,
  type CommandEdit,
  type CommandInput,
  type CommandItem,
  type CommandOption,
  commandTypes,
  entryPointHandlers,
  integrationTypes,
  interactionContexts,
  optionTypes,
} from '../model/command.ts';
export {
  buttonStyles,
  type Component,
  type ComponentChoice,
  componentTypes,
  type Modal,
  textInputStyles,
} from '../model/component.ts';
export {
  type AnyRallypointError,
  ApiError,
  ArgumentError,
  GatewayError,
  isRallypointError,
  OAuthError,
  RallypointError,
  type RallypointErrorCode,
  RateLimitError,
  TransportError,
  ValidationError,
} from '../model/errors/errors.ts';
export type { Issue } from '../model/errors/issue.ts';
export type { ExternalAuth, ExternalAuthType } from '../model/external-auth.ts';
export {
  type CommandInteraction,
  type ComponentInteraction,
  callbackTypes,
  type Interaction,
  type InteractionCallback,
  interactionTypes,
  invokingUser,
  type ModalInteraction,
} from '../model/interaction.ts';
export {
  type Lobby,
  type LobbyInput,
  type LobbyInvite,
  type LobbyMember,
  type LobbyMemberChange,
  type LobbyMemberEntry,
  type LobbyMemberInput,
  lobbyMemberFlags,
} from '../model/lobby.ts';
export { type Message, messageFlags } from '../model/message.ts';
export {
  allChannelsId,
  type CommandOverwrite,
  everyoneId,
  type GuildCommandPermissions,
  overwriteTypes,
} from '../model/overwrite.ts';
export type { BotProvisionalTokenInput, ProvisionalTokenResponse } from '../model/provisional.ts';
export type { CommandChange } from '../model/rules/commands/command-diff.ts';
export { type DesiredCommand, traitsUnknown } from '../model/rules/commands/plan/desired.ts';
export type { Plan, PlanItem, PlanWarning, PlanWarningCode } from '../model/rules/commands/plan/plan.ts';
export type { PlacedText, ShownText } from '../model/rules/locales/shown-texts.ts';
export type { Explanation, PermissionQuestion } from '../model/rules/permissions/explain.ts';
export type { ApplicationId, CommandId, LobbyId, UserId } from '../model/snowflake.ts';
export { discordBaseUrl } from '../wire/addresses.ts';
export type { Clock, Entropy, Fetch, Logger, SocketFactory } from '../wire/clock/ports.ts';
export { deadlineMsDefault } from '../wire/http/http.ts';
export { nodeTransport } from '../wire/http/node-transport.ts';
export { fetchTransport, type Transport } from '../wire/http/transport.ts';
export type { RequestOptions } from './calls.ts';
export { type Backend, type BackendOptions, createBackend } from './client.ts';
export type { CreatedCommand, ListOptions } from './commands/calls.ts';
export type { Commands, GlobalCommands, ResolvedCommand } from './commands/commands.ts';
export type { CommandUse, Suggestion, SuggestionUse } from './commands/define.ts';
export { type CommandHandlers, type DefinedCommand, defineCommand } from './commands/define.ts';
export type { CommandDefinition, OptionDefinition } from './commands/definition.ts';
export { type DeployOptions, rateLimitWaitMsDefault } from './commands/deploy.ts';
export type { ItemTexts, LocalizationTexts, Localizer } from './commands/localizer.ts';
export { loadLocalizations } from './commands/localizer.ts';
export { option } from './commands/option.ts';
export type { OptionValues } from './commands/option-values.ts';
export type { DeployProgress, SyncState } from './commands/registry.ts';
export { type Middleware, type RoutedCommand, type RouterOptions, router } from './commands/router.ts';
export { button, row, select } from './components/build.ts';
export {
  type CustomIdArguments,
  type CustomIdParameter,
  type CustomIdValues,
  customId,
  type DefinedComponent,
  type DefinedComponentUse,
  defineComponent,
} from './components/custom-id.ts';
export { type Embed, type EmbedInput, embed } from './components/embed.ts';
export { field } from './components/field.ts';
export type { LabelDefinition, ModalDefinition, ModalValues } from './components/modal.ts';
export { type DefinedModal, defineModal, type ModalHandlers, type ModalUse } from './components/modal.ts';
export type { RoutedComponent, RoutedModal, RoutedPattern } from './components/routed.ts';
export type { DirectMessages } from './direct-messages.ts';
export type { MessageFile } from './interactions/answer-body.ts';
export type { CollectOptions } from './interactions/component-collectors.ts';
export type { EndpointOptions, InteractionEndpoint } from './interactions/endpoint.ts';
export type { FastifyInstance, NodeRequest, NodeResponse } from './interactions/http-adapters.ts';
export type { Interactions } from './interactions/interactions.ts';
export type { InteractionListener, InteractionListenerOptions } from './interactions/listener.ts';
export type {
  ComponentUse,
  DeferOptions,
  ModalOptions,
  ReceivedInteraction,
} from './interactions/received-interaction.ts';
export type { ReplyMessage, ReplyMessages } from './interactions/reply-messages.ts';
export type { InteractionHandler } from './interactions/run-handler.ts';
export { type ChangedMembers, type Lobbies, memberChangesMax } from './lobbies.ts';
export { type Overwrites, type UserToken, userToken } from './overwrites.ts';
export type { IdentifyOptions, PlayerIdentity, Players } from './players.ts';
export type { ProfileOwner, Profiles } from './profiles.ts';
export type { ProvisionalAccounts } from './provisional-accounts.ts';
