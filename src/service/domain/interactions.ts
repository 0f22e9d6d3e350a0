import {
  type CallbackResponse,
  callbackTypes,
  type InteractionType,
  interactionTypes,
  type OptionValue,
} from '../../model/interaction.ts';
import { fieldErrors } from '../../model/issue.ts';
import { limits } from '../../model/limits.ts';
import { type Message, messageFlags } from '../../model/message.ts';
import { checkCallback, isEmptyMessage } from '../../model/rules/callback.ts';
import { checkInvocation } from '../../model/rules/invocation.ts';
import type { ApplicationId, InteractionId, MessageId } from '../../model/snowflake.ts';
import { topics } from '../announcement.ts';
import type { Core } from '../core.ts';
import { Fault, refuseIssues } from '../fault.ts';
import { hashSecret, matchesSecret } from '../secret.ts';
import type { Transaction } from '../store/contract.ts';
import type { CommandRecord, InteractionRecord, UserRecord } from '../store/records.ts';
import { createExpiry } from './expiry.ts';
import { makeInteractionToken, tokenInteraction } from './interaction-token.ts';
import { answerView, interactionView } from './interaction-view.ts';
import { commandFault, type Invocation, readInvocation } from './invocation-input.ts';
import { findPlace, type InvocationPlace } from './invocation-place.ts';

/**
 * Commands in use: a user's client invokes one, the application's bot sessions hear of it and one of them answers in
 * time, or it fails. The user's own clients hear the outcome: INTERACTION_SUCCESS and the message, or
 * INTERACTION_FAILURE.
 *
 * @see interface.md, "Interactions received by the app"; commands.md 3
 */
export interface Interactions {
  /**
   * Uses a command.
   *
   * @param body {@link InvocationInput}, yet unread
   * @throws Fault `invalid_form_body`, `unknown_application`, and what {@link findPlace} throws
   */
  invoke(user: UserRecord, body: unknown): Promise<void>;
  /**
   * Answers an interaction, once, within `limits.interactionAnswerMs` of its making; also after a restart.
   *
   * @param body {@link InteractionCallback}, yet unread
   * @throws Fault `unknown_interaction` (also a wrong token, and too late), `already_acknowledged`,
   *   `invalid_form_body`, `empty_message`
   */
  answer(id: InteractionId, token: string, body: unknown): Promise<CallbackResponse>;
  /**
   * The answer's message, for whoever knows the token, for `limits.interactionTokenLifeMs`.
   *
   * @throws Fault `invalid_webhook_token`, `unknown_webhook` before the answer
   */
  original(applicationId: ApplicationId, token: string): Promise<Message>;
  /** Starts to fail what is not answered in time; the returned function stops it. */
  start(): Promise<() => void>;
}

// Our choice: answers that need more than this interface's endpoints to be completed are not offered.
const answersTo: Readonly<Partial<Record<InteractionType, readonly number[]>>> = {
  [interactionTypes.APPLICATION_COMMAND]: [callbackTypes.CHANNEL_MESSAGE_WITH_SOURCE],
};

export function createInteractions(core: Core): Interactions {
  const { store, clock } = core;
  const expiry = createExpiry(core, 'interactions', endInTime);

  async function invoke(user: UserRecord, body: unknown): Promise<void> {
    const invocation = readInvocation(body);
    const application = await store.get('applications', invocation.applicationId);
    if (!application) throw new Fault('unknown_application');
    const command = await findCommand(invocation);
    const place = await findPlace(store, { application, command, user, invocation });
    const issues = checkInvocation(invocation.options, command);
    refuseIssues(issues.map(issue => ({ ...issue, path: ['data', 'options', ...issue.path] })));
    await send(user, command, invocation, place);
  }

  async function findCommand({ commandId, applicationId, guildId, ...asked }: Invocation): Promise<CommandRecord> {
    const command = await store.get('commands', commandId);
    const isThere =
      command?.application_id === applicationId && (command.guild_id === undefined || command.guild_id === guildId);
    if (!command || !isThere || command.type !== asked.type || command.name !== asked.name) {
      throw commandFault('id', 'INTERACTION_APPLICATION_COMMAND_INVALID');
    }
    if (command.version === asked.version) return command;
    throw commandFault('version', 'INTERACTION_APPLICATION_COMMAND_INVALID_VERSION');
  }

  async function send(user: UserRecord, command: CommandRecord, invocation: Invocation, place: InvocationPlace) {
    const id: InteractionId = core.ids.next();
    const token = makeInteractionToken(core.entropy, id);
    const options = invocation.options as readonly OptionValue[];
    const interaction = interactionView({ id, token, user, command, options, channelId: invocation.channelId, place });
    const nowMs = clock.now();
    const record: InteractionRecord = {
      id,
      application_id: command.application_id,
      user_id: user.id,
      guild_id: invocation.guildId ?? null,
      channel_id: invocation.channelId,
      type: interactionTypes.APPLICATION_COMMAND,
      token_hash: hashSecret(token),
      nonce: invocation.nonce,
      owners: place.owners,
      state: 'waiting',
      created_at_ms: nowMs,
      expires_at_ms: nowMs + limits.interactionAnswerMs,
      message: null,
    };
    await store.transact(interactionScope(id), transaction => {
      transaction.put('interactions', record);
      transaction.announce({
        to: topics.application(command.application_id),
        event: { name: 'INTERACTION_CREATE', data: JSON.stringify(interaction) },
        ...(invocation.guildId !== undefined && { guild: invocation.guildId }),
      });
    });
    expiry.notice(record.expires_at_ms);
  }

  async function answer(id: InteractionId, token: string, body: unknown): Promise<CallbackResponse> {
    const messageId: MessageId = core.ids.next();
    return store.transact(interactionScope(id), async transaction => {
      const nowMs = clock.now();
      const record = await transaction.get('interactions', id);
      if (!record || !matchesSecret(token, record.token_hash)) throw new Fault('unknown_interaction');
      if (record.state === 'answered') throw new Fault('already_acknowledged');
      if (record.state === 'failed' || nowMs >= record.expires_at_ms) throw new Fault('unknown_interaction');
      const data = readAnswer(body, record);
      const message = await composeAnswer(transaction, record, data, messageId, nowMs);
      transaction.put('interactions', { ...record, state: 'answered', expires_at_ms: tokenEndMs(record), message });
      tellUser(transaction, record, 'INTERACTION_SUCCESS');
      const event = { name: 'MESSAGE_CREATE', data: JSON.stringify(message) } as const;
      transaction.announce({ to: topics.user(record.user_id), event });
      return callbackResponse(record, message);
    });
  }

  async function composeAnswer(
    transaction: Transaction,
    interaction: InteractionRecord,
    data: Readonly<Record<string, unknown>>,
    id: MessageId,
    atMs: number,
  ): Promise<Message> {
    const application = await transaction.get('applications', interaction.application_id);
    const user = await transaction.get('users', interaction.user_id);
    if (!application || !user) throw new Fault('unknown_interaction');
    return answerView({ id, atMs, interaction, application, user, data });
  }

  async function original(applicationId: ApplicationId, token: string): Promise<Message> {
    const record = await store.get('interactions', tokenInteraction(token) ?? '');
    const isValid =
      record?.application_id === applicationId &&
      matchesSecret(token, record.token_hash) &&
      clock.now() < tokenEndMs(record);
    if (!isValid) throw new Fault('invalid_webhook_token');
    if (!record.message) throw new Fault('unknown_webhook');
    return record.message;
  }

  async function endInTime(id: InteractionId, nowMs: number): Promise<void> {
    await store.transact(interactionScope(id), async transaction => {
      const record = await transaction.get('interactions', id);
      if (!record || record.expires_at_ms > nowMs) return;
      if (record.state !== 'waiting') {
        transaction.delete('interactions', id);
        return;
      }
      transaction.put('interactions', { ...record, state: 'failed', expires_at_ms: tokenEndMs(record) });
      tellUser(transaction, record, 'INTERACTION_FAILURE');
    });
  }

  return { invoke, answer, original, start: expiry.start };
}

function interactionScope(id: InteractionId): string {
  return `interaction/${id}`;
}

function tokenEndMs({ created_at_ms }: InteractionRecord): number {
  return created_at_ms + limits.interactionTokenLifeMs;
}

function tellUser(
  transaction: Transaction,
  { id, nonce, user_id }: InteractionRecord,
  name: 'INTERACTION_SUCCESS' | 'INTERACTION_FAILURE',
): void {
  transaction.announce({ to: topics.user(user_id), event: { name, data: JSON.stringify({ id, nonce }) } });
}

/** The answer's message data. */
function readAnswer(body: unknown, { type }: InteractionRecord): Readonly<Record<string, unknown>> {
  refuseIssues(checkCallback(body));
  const callback = body as { readonly type: number; readonly data?: unknown };
  const allowed = answersTo[type as InteractionType] ?? [];
  if (!allowed.includes(callback.type)) {
    const code = 'BASE_TYPE_CHOICES';
    throw new Fault('invalid_form_body', {}, [{ path: ['type'], code, message: fieldErrors[code](allowed) }]);
  }
  if (isEmptyMessage(callback.data)) throw new Fault('empty_message');
  return callback.data as Readonly<Record<string, unknown>>;
}

function callbackResponse({ id, type }: InteractionRecord, message: Message): CallbackResponse {
  return {
    interaction: {
      id,
      type: type as InteractionType,
      response_message_id: message.id,
      response_message_loading: false,
      response_message_ephemeral: (message.flags & messageFlags.EPHEMERAL) !== 0,
    },
    resource: { type: callbackTypes.CHANNEL_MESSAGE_WITH_SOURCE, message },
  };
}
