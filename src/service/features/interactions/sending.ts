import { type OptionType, optionTypes } from '../../../model/command.ts';
import { directChannelType } from '../../../model/guild.ts';
import {
  type CommandInteraction,
  type CommandInvocation,
  type ComponentInteraction,
  type Interaction,
  type InteractionBase,
  interactionTypes,
  type ModalInteraction,
  type OptionValue,
  type ResolvedData,
} from '../../../model/interaction.ts';
import { limits } from '../../../model/limits/limits.ts';
import type { ApplicationId, ChannelId, InteractionId } from '../../../model/snowflake.ts';
import type { Core } from '../../core.ts';
import { topics } from '../../events/announcement.ts';
import type { Transaction } from '../../store/contract.ts';
import type { ApplicationRecord, CommandRecord, InteractionRecord, UserRecord } from '../../store/records.ts';
import type { MaybePromise } from '../../support/maybe-promise.ts';
import { hashSecret } from '../../support/secret.ts';
import { userView } from '../accounts/user-view.ts';
import { channelView, memberView } from '../guilds/view.ts';
import type { InteractionDelivery } from './delivery.ts';
import type { InvocationPlace } from './invocation-place.ts';
import { interactionScope } from './records.ts';
import type { Invocation } from './use-input.ts';

export interface SendingParts {
  /** Is called with the time when a new interaction is due. */
  readonly noticeExpiry: (atMs: number) => void;
  readonly delivery: Pick<InteractionDelivery, 'post'>;
}

/** The part of a use that its record keeps besides user, place and time. */
export type UseDetails = Pick<InteractionRecord, 'nonce' | 'command_type' | 'source' | 'trigger'>;

/** A condition that must hold at the commit for the use to be sent. */
export interface Condition {
  /** @throws RequestError when it does not hold */
  readonly check: (transaction: Transaction) => MaybePromise<void>;
  /** Store scopes that guard it. */
  readonly guards: readonly string[];
}

/** Sends a use to its application, which then has to answer it. */
export type SendUse = (
  use: InteractionUse,
  application: ApplicationRecord,
  details: UseDetails,
  condition?: Condition,
) => Promise<void>;

/**
 * By the gateway or, if the application has an address, to its server; never by both.
 * @see docs/spec/interactions.md#delivery-over-http
 */
export function createInteractionSending({ store, clock }: Core, { noticeExpiry, delivery }: SendingParts): SendUse {
  return async (use, application, details, condition) => {
    const { interactions_endpoint_url: url } = application;
    const record = useRecord(use, details, clock.now());
    const interaction = interactionView(use);
    const work = async (transaction: Transaction): Promise<void> => {
      if (condition) await condition.check(transaction);
      transaction.put('interactions', record);
      if (url === null) announce(transaction, record, interaction);
    };
    await store.transact(interactionScope(use.id), work, condition?.guards ?? []);
    noticeExpiry(record.expires_at_ms);
    if (url !== null) delivery.post({ url, application, interaction, answerByMs: record.expires_at_ms });
  };
}

function announce(transaction: Transaction, record: InteractionRecord, interaction: Interaction): void {
  transaction.announce({
    to: topics.application(record.application_id),
    event: { name: 'INTERACTION_CREATE', data: JSON.stringify(interaction) },
    ...(record.guild_id !== null && { guild: record.guild_id }),
  });
}

export function useRecord(use: InteractionUse, details: UseDetails, nowMs: number): InteractionRecord {
  const { id, payload, place } = use;
  return {
    id,
    application_id: use.applicationId,
    user_id: use.user.id,
    guild_id: 'guild' in place ? place.guild.id : null,
    channel_id: use.channelId,
    type: payload.type,
    focused_type:
      payload.type === interactionTypes.APPLICATION_COMMAND_AUTOCOMPLETE
        ? focusedType(payload.data.options ?? [])
        : null,
    token_hash: hashSecret(use.token),
    owners: place.owners,
    state: 'waiting',
    created_at_ms: nowMs,
    expires_at_ms: nowMs + limits.interactionAnswerMs,
    original_id: null,
    follow_ups: 0,
    ...details,
  };
}

function focusedType(values: readonly OptionValue[]): OptionType | null {
  for (const { type, focused, options = [] } of values) {
    const found = focused ? type : focusedType(options);
    if (found !== null) return found;
  }
  return null;
}

/** A validated use. */
export interface InteractionUse {
  readonly id: InteractionId;
  readonly token: string;
  readonly applicationId: ApplicationId;
  readonly channelId: ChannelId;
  readonly user: UserRecord;
  readonly place: InvocationPlace;
  /** What the application receives besides place and user. */
  readonly payload:
    | Pick<CommandInteraction, 'type' | 'data'>
    | Pick<ComponentInteraction, 'type' | 'data' | 'message'>
    | Pick<ModalInteraction, 'type' | 'data' | 'message'>;
}

/** A use, as its application receives it. @see docs/spec/interactions.md#interaction */
function interactionView(use: InteractionUse): Interaction {
  const { place, payload } = use;
  return {
    id: use.id,
    application_id: use.applicationId,
    ...payload,
    ...placeView(use),
    channel_id: use.channelId,
    token: use.token,
    version: 1,
    app_permissions: place.appPermissions.toString(),
    locale: use.user.locale,
    entitlements: [],
    authorizing_integration_owners: place.owners,
    context: place.context,
    attachment_size_limit: limits.attachmentBytesMax,
  };
}

/** The data of the use of a command, as the application receives it. @see docs/spec/interactions.md#data */
export function commandData(
  command: CommandRecord,
  invocation: Invocation,
  resolved: ResolvedData | undefined,
): CommandInvocation {
  const isTyped = invocation.type === interactionTypes.APPLICATION_COMMAND_AUTOCOMPLETE;
  const options = (invocation.options as readonly OptionValue[]).filter(({ type }) => !isTyped || !isAttachment(type));
  return {
    id: command.id,
    name: command.name,
    type: command.type,
    ...(isTyped && { version: command.version }),
    ...(resolved && { resolved }),
    ...(options.length > 0 && { options: options.map(option => optionView(option, isTyped)) }),
    ...(command.guild_id !== undefined && { guild_id: command.guild_id }),
    ...(invocation.targetId !== undefined && { target_id: invocation.targetId }),
  };
}

function placeView({
  user,
  place,
  channelId,
}: InteractionUse): Pick<InteractionBase, 'guild' | 'guild_id' | 'guild_locale' | 'channel' | 'member' | 'user'> {
  if (!('guild' in place)) return { channel: { id: channelId, type: directChannelType }, user: userView(user) };
  const { guild, channel, member, permissions } = place;
  return {
    guild: { id: guild.id, features: [], locale: guild.locale },
    guild_id: guild.id,
    guild_locale: guild.locale,
    channel: channelView(channel, guild),
    member: { ...memberView(member, userView(user)), permissions: permissions.toString() },
  };
}

/** Only the fields that the interface defines for an option's value, ids as text; a client may have sent more. */
function optionView({ name, type, value, options, focused }: OptionValue, isTyped: boolean): OptionValue {
  const hasFocus = isTyped && focused === true;
  return {
    name,
    type,
    ...(value !== undefined && { value: hasFocus || idTypes.has(type) ? String(value) : value }),
    ...(options && { options: options.map(inner => optionView(inner, isTyped)) }),
    ...(hasFocus && { focused: true }),
  };
}

const idTypes: ReadonlySet<number> = new Set([
  optionTypes.USER,
  optionTypes.CHANNEL,
  optionTypes.ROLE,
  optionTypes.MENTIONABLE,
  optionTypes.ATTACHMENT,
]);

function isAttachment(type: number): boolean {
  return type === optionTypes.ATTACHMENT;
}
