import type { CommandChoice } from '../../model/command.ts';
import {
  type CallbackResponse,
  type CallbackType,
  callbackTypes,
  type InteractionType,
  interactionTypes,
} from '../../model/interaction.ts';
import { fieldErrors } from '../../model/issue.ts';
import { isLocale } from '../../model/locale.ts';
import { type Message, messageFlags } from '../../model/message.ts';
import { checkCallback, checkSuggestedValues, isEmptyMessage } from '../../model/rules/callback.ts';
import { localize } from '../../model/rules/localize.ts';
import type { InteractionId, MessageId } from '../../model/snowflake.ts';
import { topics } from '../announcement.ts';
import type { Core } from '../core.ts';
import { Fault, refuseIssues } from '../fault.ts';
import { matchesSecret } from '../secret.ts';
import type { Transaction } from '../store/contract.ts';
import type { ApplicationRecord, InteractionRecord, UserRecord } from '../store/records.ts';
import { answerView, isEphemeral, isLoading, type MessageData } from './answer-view.ts';
import { interactionScope, partiesOf, putMessage, tellOutcome, tokenEndMs } from './interaction-records.ts';

const {
  CHANNEL_MESSAGE_WITH_SOURCE,
  DEFERRED_CHANNEL_MESSAGE_WITH_SOURCE,
  APPLICATION_COMMAND_AUTOCOMPLETE_RESULT,
  LAUNCH_ACTIVITY,
} = callbackTypes;

/** An interaction that takes an answer now, and what the answer is made of. */
interface Answer {
  readonly transaction: Transaction;
  readonly record: InteractionRecord;
  readonly application: ApplicationRecord;
  readonly user: UserRecord;
  readonly data: MessageData;
  /** For the message, if there is one. */
  readonly messageId: MessageId;
  readonly atMs: number;
}

/** What came of an answer beyond that it was one. */
interface Outcome {
  readonly message?: Message;
  readonly activityId?: string;
}

type Responder = (answer: Answer) => Outcome;

/**
 * What each interaction can be answered with.
 *
 * Our choice: no modals, whose submission would need components that this interface does not have.
 *
 * @see commands.md 3.3
 */
const responders: Readonly<Partial<Record<InteractionType, Partial<Record<CallbackType, Responder>>>>> = {
  [interactionTypes.APPLICATION_COMMAND]: {
    [CHANNEL_MESSAGE_WITH_SOURCE]: respondWithMessage,
    [DEFERRED_CHANNEL_MESSAGE_WITH_SOURCE]: respondLater,
    [LAUNCH_ACTIVITY]: respondWithActivity,
  },
  [interactionTypes.APPLICATION_COMMAND_AUTOCOMPLETE]: {
    [APPLICATION_COMMAND_AUTOCOMPLETE_RESULT]: respondWithChoices,
  },
};

export function createInteractionAnswer({ store, clock, ids }: Core) {
  async function answer(id: InteractionId, token: string, body: unknown): Promise<CallbackResponse> {
    const messageId: MessageId = ids.next();
    return store.transact(interactionScope(id), async transaction => {
      const atMs = clock.now();
      const record = await transaction.get('interactions', id);
      if (!record || !matchesSecret(token, record.token_hash)) throw new Fault('unknown_interaction');
      if (record.state === 'answered') throw new Fault('already_acknowledged');
      if (record.state === 'failed' || atMs >= record.expires_at_ms) throw new Fault('unknown_interaction');
      const parties = await partiesOf(transaction, record);
      const { type, data, respond } = readCallback(body, record, parties.application);
      const outcome = respond({ transaction, record, ...parties, data, messageId, atMs });
      const original_id = outcome.message?.id ?? null;
      transaction.put('interactions', { ...record, state: 'answered', expires_at_ms: tokenEndMs(record), original_id });
      return callbackResponse(record, type, outcome);
    });
  }

  return { answer };
}

/** @throws Fault `invalid_form_body` */
function readCallback(
  body: unknown,
  record: InteractionRecord,
  { embedded }: ApplicationRecord,
): { readonly type: CallbackType; readonly data: MessageData; readonly respond: Responder } {
  refuseIssues(checkCallback(body));
  const { type, data } = body as { readonly type: CallbackType; readonly data?: MessageData | null };
  const { [LAUNCH_ACTIVITY]: launching, ...others } = responders[record.type] ?? {};
  const offered: Partial<Record<CallbackType, Responder>> = {
    ...others,
    ...(embedded && launching && { [LAUNCH_ACTIVITY]: launching }),
  };
  const respond = offered[type];
  if (respond) return { type, data: data ?? {}, respond };
  const code = 'BASE_TYPE_CHOICES';
  const message = fieldErrors[code](Object.keys(offered));
  throw new Fault('invalid_form_body', {}, [{ path: ['type'], code, message }]);
}

function respondWithMessage({ transaction, record, ...parts }: Answer): Outcome {
  if (isEmptyMessage(parts.data)) throw new Fault('empty_message');
  const message = answerView({ ...parts, id: parts.messageId, interaction: record });
  return tellMessage(transaction, record, message);
}

/** Only whether the message will be ephemeral is known yet. */
function respondLater({ transaction, record, ...parts }: Answer): Outcome {
  const { EPHEMERAL, LOADING } = messageFlags;
  const empty = answerView({ ...parts, id: parts.messageId, interaction: record, data: {} });
  const flags = (Number(parts.data.flags ?? 0) & EPHEMERAL) | LOADING;
  return tellMessage(transaction, record, { ...empty, flags });
}

function tellMessage(transaction: Transaction, record: InteractionRecord, message: Message): Outcome {
  tellOutcome(transaction, record, 'INTERACTION_SUCCESS');
  putMessage(transaction, record, message, 'MESSAGE_CREATE');
  return { message };
}

/** Our choice: an Activity has one instance for each launch; nothing else is kept of it. */
function respondWithActivity({ transaction, record }: Answer): Outcome {
  tellOutcome(transaction, record, 'INTERACTION_SUCCESS');
  const place = record.guild_id === null ? `pc-${record.channel_id}` : `gc-${record.guild_id}-${record.channel_id}`;
  return { activityId: `i-${record.id}-${place}` };
}

/** Our choice: the user gets the names in its own language, so that its client need not choose. */
function respondWithChoices({ transaction, record, user, data }: Answer): Outcome {
  const choices = (data.choices ?? []) as readonly CommandChoice[];
  if (record.focused_type !== null) refuseIssues(checkSuggestedValues(choices, record.focused_type));
  const shown = choices.map(({ name, name_localizations, value }) => ({
    name: (isLocale(user.locale) && localize(name_localizations, user.locale)) || name,
    value,
  }));
  const event = {
    name: 'APPLICATION_COMMAND_AUTOCOMPLETE_RESPONSE',
    data: JSON.stringify({ choices: shown, nonce: record.nonce }),
  } as const;
  transaction.announce({ to: topics.user(record.user_id), event });
  return {};
}

/** @see commands.md 3.4, "with_response body" */
function callbackResponse(
  { id, type }: InteractionRecord,
  callbackType: CallbackType,
  { message, activityId }: Outcome,
): CallbackResponse {
  const isShown = callbackType === CHANNEL_MESSAGE_WITH_SOURCE;
  return {
    interaction: {
      id,
      type,
      ...(activityId !== undefined && { activity_instance_id: activityId }),
      ...(message && {
        response_message_id: message.id,
        response_message_loading: isLoading(message),
        response_message_ephemeral: isEphemeral(message),
      }),
    },
    resource: {
      type: callbackType,
      ...(message && isShown && { message }),
      ...(activityId !== undefined && { activity_instance: { id: activityId } }),
    },
  };
}
