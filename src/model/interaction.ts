import type { CommandType, InteractionContext, OptionType } from './command.ts';
import type { ComponentType, SubmittedComponent } from './component.ts';
import type { GuildMember, Role } from './guild.ts';
import type { Attachment, Message } from './message.ts';
import type { ApplicationId, ChannelId, CommandId, GuildId, InteractionId, MessageId, Snowflake } from './snowflake.ts';
import type { User } from './user.ts';

/** @see docs/spec/interactions.md#interaction */
export const interactionTypes = {
  PING: 1,
  APPLICATION_COMMAND: 2,
  MESSAGE_COMPONENT: 3,
  APPLICATION_COMMAND_AUTOCOMPLETE: 4,
  MODAL_SUBMIT: 5,
} as const;
export type InteractionType = (typeof interactionTypes)[keyof typeof interactionTypes];

/** @see docs/spec/interactions.md#answers */
export const callbackTypes = {
  PONG: 1,
  CHANNEL_MESSAGE_WITH_SOURCE: 4,
  DEFERRED_CHANNEL_MESSAGE_WITH_SOURCE: 5,
  DEFERRED_UPDATE_MESSAGE: 6,
  UPDATE_MESSAGE: 7,
  APPLICATION_COMMAND_AUTOCOMPLETE_RESULT: 8,
  MODAL: 9,
  LAUNCH_ACTIVITY: 12,
} as const;
export type CallbackType = (typeof callbackTypes)[keyof typeof callbackTypes];

/** What a user filled in for one option; subcommands and groups nest. @see docs/spec/interactions.md#data */
export interface OptionValue {
  name: string;
  type: OptionType;
  value?: string | number | boolean;
  options?: readonly OptionValue[];
  focused?: true;
}

export interface CommandInvocation {
  id: CommandId;
  name: string;
  type: CommandType;
  /** While an option is typed (autocomplete): the command's. */
  version?: Snowflake<'version'>;
  /** What the ids among the options and in `target_id` stand for. */
  resolved?: ResolvedData;
  options?: readonly OptionValue[];
  guild_id?: GuildId;
  /** The user or message that a context-menu command is used on. */
  target_id?: Snowflake;
}

/** The use of a component of a message. @see docs/spec/interactions.md#use-of-a-component */
export interface ComponentInvocation {
  custom_id: string;
  component_type: ComponentType;
  /** The number of the component, where it has one. */
  id?: number;
  /** What was chosen in a select. */
  values?: readonly string[];
  /** What the ids among the values stand for. */
  resolved?: ResolvedData;
}

/** A modal that a user filled in. @see docs/spec/interactions.md#submitted-modal */
export interface ModalSubmission {
  /** The modal's. */
  custom_id: string;
  components: readonly SubmittedComponent[];
  /** What the ids among the values stand for. */
  resolved?: ResolvedData;
}

/** By id. @see docs/spec/interactions.md#data */
export interface ResolvedData {
  users?: Readonly<Record<string, User>>;
  /** Those of `users` who are members of the guild. */
  members?: Readonly<Record<string, ResolvedMember>>;
  roles?: Readonly<Record<string, Role>>;
  channels?: Readonly<Record<string, ResolvedChannel>>;
  messages?: Readonly<Record<string, Message>>;
  attachments?: Readonly<Record<string, Attachment>>;
}

/** Without `user`, which stands beside it; `permissions` are those in the channel of the use. */
export type ResolvedMember = Omit<GuildMember, 'user' | 'deaf' | 'mute'> & { permissions: string };

/** `permissions` are the user's there, `app_permissions` the application's. */
export interface ResolvedChannel {
  id: ChannelId;
  name: string;
  type: number;
  permissions: string;
  app_permissions: string;
  last_message_id: null;
  last_pin_timestamp: null;
  nsfw: boolean;
  parent_id: ChannelId | null;
  guild_id: GuildId;
  flags: number;
  rate_limit_per_user: number;
  topic: null;
  position: number;
}

/** A guild member as an interaction shows it. @see docs/spec/interactions.md#member */
export interface InteractionMember {
  user: User;
  roles: readonly string[];
  permissions: string;
  joined_at: string;
  nick: string | null;
  avatar: string | null;
  deaf: boolean;
  mute: boolean;
  pending: boolean;
  premium_since: string | null;
}

/** What every interaction but a ping has. @see docs/spec/interactions.md#interaction */
export interface InteractionBase {
  id: InteractionId;
  application_id: ApplicationId;
  guild?: { id: GuildId; features: readonly string[]; locale: string };
  guild_id?: GuildId;
  guild_locale?: string;
  channel?: { id: ChannelId; type: number };
  channel_id?: ChannelId;
  /** In guilds. */
  member?: InteractionMember;
  /** Outside guilds. */
  user?: User;
  token: string;
  version: 1;
  app_permissions: string;
  locale: string;
  entitlements: readonly unknown[];
  authorizing_integration_owners: Readonly<Record<string, string>>;
  context?: InteractionContext;
  attachment_size_limit: number;
}

/** A command is used, or an option of it is being typed. */
export interface CommandInteraction extends InteractionBase {
  type: typeof interactionTypes.APPLICATION_COMMAND | typeof interactionTypes.APPLICATION_COMMAND_AUTOCOMPLETE;
  data: CommandInvocation;
}

/** A button is pressed, or something is chosen in a select. */
export interface ComponentInteraction extends InteractionBase {
  type: typeof interactionTypes.MESSAGE_COMPONENT;
  data: ComponentInvocation;
  /** The one that the component belongs to. */
  message: Message;
}

/** A modal was filled in. */
export interface ModalInteraction extends InteractionBase {
  type: typeof interactionTypes.MODAL_SUBMIT;
  data: ModalSubmission;
  /** The one that the component belongs to whose use was answered with the modal. */
  message?: Message;
}

/** What the app receives. */
export type Interaction = CommandInteraction | ComponentInteraction | ModalInteraction;

/** What an app's server is asked to find out whether it answers; it names no user and no place. @see docs/spec/interactions.md#delivery-over-http */
export type PingInteraction = Pick<
  InteractionBase,
  | 'id'
  | 'application_id'
  | 'token'
  | 'version'
  | 'app_permissions'
  | 'entitlements'
  | 'authorizing_integration_owners'
  | 'attachment_size_limit'
> & { type: typeof interactionTypes.PING };

/** What an app sends to `…/callback`. @see docs/spec/interactions.md#answers */
export interface InteractionCallback {
  type: CallbackType;
  data?: { content?: string; flags?: number; tts?: boolean; [field: string]: unknown };
}

/** What all that a user's own client sends to `POST /interactions` has. */
interface UseInput {
  application_id: ApplicationId;
  /** Absent outside guilds. */
  guild_id?: GuildId;
  channel_id: ChannelId;
  session_id?: string;
  nonce?: string;
}

/** The use of a command, as a user's own client sends it. */
export interface InvocationInput extends UseInput {
  /** 4 while an option is typed: one of the options then has `focused`, and required ones may be missing. */
  type: CommandInteraction['type'];
  data: {
    version: string;
    id: CommandId;
    name: string;
    type: CommandType;
    options?: readonly OptionValue[];
    /** The user or message that a context-menu command is used on. */
    target_id?: Snowflake;
  };
}

/** The use of a component, as a user's own client sends it. */
export interface ComponentUseInput extends UseInput {
  type: ComponentInteraction['type'];
  /** The one that shows the component. */
  message_id: MessageId;
  data: { component_type: ComponentType; custom_id: string; values?: readonly string[] };
}

/** A modal that was filled in, as a user's own client sends it; one that is dismissed is not sent. */
export interface ModalSubmitInput extends UseInput {
  type: ModalInteraction['type'];
  /** `id` is that of the event INTERACTION_MODAL_CREATE. */
  data: { id: InteractionId; custom_id: string; components: readonly SubmittedComponent[] };
}

/** Answer to `…/callback?with_response=true`. @see docs/spec/interactions.md#after-the-answer */
export interface CallbackResponse {
  interaction: {
    id: InteractionId;
    type: InteractionType;
    activity_instance_id?: string;
    response_message_id?: MessageId;
    response_message_loading?: boolean;
    response_message_ephemeral?: boolean;
  };
  resource?: { type: CallbackType; message?: Message; activity_instance?: { id: string } };
}

/** Whose interaction it is, wherever it was made. */
export function invokingUser(interaction: InteractionBase): User | undefined {
  return interaction.member?.user ?? interaction.user;
}
