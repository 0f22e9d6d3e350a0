import type { OptionType } from '../../../model/command.ts';
import { type Interaction, interactionTypes, type OptionValue } from '../../../model/interaction.ts';
import { limits } from '../../../model/limits/limits.ts';
import type { Core } from '../../core.ts';
import { topics } from '../../events/announcement.ts';
import type { Transaction } from '../../store/contract.ts';
import type { ApplicationRecord, InteractionRecord } from '../../store/records.ts';
import type { MaybePromise } from '../../support/maybe-promise.ts';
import { hashSecret } from '../../support/secret.ts';
import type { InteractionDelivery } from './delivery.ts';
import { interactionScope } from './records.ts';
import { type InteractionUse, interactionView } from './view.ts';

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
