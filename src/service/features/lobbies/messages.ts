import { limits } from '../../../model/limits/limits.ts';
import type { Metadata } from '../../../model/lobby.ts';
import type { LobbyMessage, LobbyMessageInput } from '../../../model/lobby-message.ts';
import { sameMetadata } from '../../../model/rules/lobbies/lobby.ts';
import { checkLobbyMessage, checkModerationMetadata, isSilent } from '../../../model/rules/lobbies/lobby-message.ts';
import { type LobbyId, type MessageId, snowflakeTimeMs } from '../../../model/snowflake.ts';
import type { Core } from '../../core.ts';
import type { StoreView, Transaction } from '../../store/contract.ts';
import type { ApplicationRecord, LobbyMessageRecord, LobbyRecord, UserRecord } from '../../store/records.ts';
import { countWithin } from '../../support/count-within.ts';
import { RequestError, rejectIssues } from '../../support/request-error.ts';
import { serviceLimits } from '../../support/service-limits.ts';
import type { WebhookEvents } from '../webhooks/events.ts';
import { announceInChannel } from './channel-events.ts';
import { composeMessage, forwardedMessage, showGatewayMessage } from './message-view.ts';
import { lobbyScope, ownLobby, requireMember } from './records.ts';
import { announceMessage } from './view.ts';

/**
 * Messages of the members of a lobby. A lobby shows its last `limits.lobbyHistoryMessagesMax` messages, none older
 * than `serviceLimits.lobbyHistoryAgeMaxMs`; all of them are deleted with it. Answers are encoded JSON.
 *
 * @see docs/spec/lobbies.md#send-a-message; docs/spec/lobbies.md#list-messages; docs/spec/lobbies.md#moderation-metadata
 */
export interface LobbyMessages {
  /** @throws RequestError `invalid_form_body`, `empty_message`, `unknown_lobby`, `not_a_lobby_member` */
  send(application: ApplicationRecord, user: UserRecord, id: LobbyId, input: unknown): Promise<string>;
  /**
   * Unspecified: the newest message first, as the client's header says.
   *
   * @param count 1 to `limits.lobbyHistoryMessagesMax`
   * @throws RequestError `unknown_lobby`, `not_a_lobby_member`
   */
  list(application: ApplicationRecord, user: UserRecord, id: LobbyId, count: number): Promise<string>;
  /**
   * Replaces the moderation metadata of a message.
   *
   * @throws RequestError `invalid_form_body`, `unknown_lobby`, `unknown_message` also when the lobby no longer shows
   *   it
   */
  moderate(application: ApplicationRecord, id: LobbyId, messageId: MessageId, input: unknown): Promise<void>;
}

export function createLobbyMessages({ store, clock, ids }: Core, webhookEvents: WebhookEvents): LobbyMessages {
  async function send(application: ApplicationRecord, user: UserRecord, id: LobbyId, input: unknown): Promise<string> {
    rejectIssues(checkLobbyMessage(input));
    if (isSilent(input)) throw new RequestError('empty_message');
    const body = input as LobbyMessageInput;
    const { message, afterCommit } = await store.transact(lobbyScope(id), transaction =>
      sendWithin(transaction, application, user, id, body),
    );
    afterCommit();
    return JSON.stringify(message);
  }

  async function sendWithin(
    transaction: Transaction,
    application: ApplicationRecord,
    user: UserRecord,
    id: LobbyId,
    body: LobbyMessageInput,
  ) {
    const before = await ownLobby(transaction, application, id);
    const { additional_name } = await requireMember(transaction, id, user.id);
    const lobby = { ...before, message_count: before.message_count + 1 };
    // Generated within the transaction, so that ids rise in the order of the commits.
    const message = composeMessage(ids.next(), lobby, user, additional_name, body);
    transaction.put('lobbies', lobby);
    transaction.put('lobby_messages', recordOf(message, lobby));
    if (lobby.message_count % sweepEvery === 0) await sweep(transaction, lobby);
    const author = await authorInGuild(transaction, lobby, message);
    announceMessage(transaction, 'LOBBY_MESSAGE_CREATE', showGatewayMessage(message, lobby, author, body.metadata));
    if (lobby.link) announceInChannel(transaction, forwardedMessage(message, lobby.link.channel));
    return { message, afterCommit: await webhookEvents.message(transaction, application, lobby, message) };
  }

  /** Deletes messages that are no longer shown: enough at a time to keep up, and not more. */
  async function sweep(transaction: Transaction, lobby: LobbyRecord): Promise<void> {
    const oldest = await transaction.list('lobby_messages', { equals: [lobby.id], limit: 2 * sweepEvery });
    for (const record of oldest) if (!isShown(record, lobby)) deleteMessage(transaction, record);
  }

  function isShown({ number, sent_at_ms }: LobbyMessageRecord, { message_count }: LobbyRecord): boolean {
    const isRecent = clock.now() - sent_at_ms <= serviceLimits.lobbyHistoryAgeMaxMs;
    return isRecent && number > message_count - limits.lobbyHistoryMessagesMax;
  }

  async function list(application: ApplicationRecord, user: UserRecord, id: LobbyId, count: number): Promise<string> {
    const lobby = await ownLobby(store, application, id);
    await requireMember(store, id, user.id);
    const newest = await store.list('lobby_messages', { equals: [id], descending: true, limit: count });
    const messages = newest.filter(record => isShown(record, lobby)).map(({ message }) => message);
    return JSON.stringify(messages.slice(0, countWithin(messages, serviceLimits.messageListBytesMax)));
  }

  async function moderate(application: ApplicationRecord, id: LobbyId, messageId: MessageId, input: unknown) {
    rejectIssues(checkModerationMetadata(input));
    const moderation_metadata = input as Metadata;
    await store.transact(lobbyScope(id), async transaction => {
      const lobby = await ownLobby(transaction, application, id);
      const record = await transaction.get('lobby_messages', id, snowflakeTimeMs(messageId), messageId);
      if (!record || !isShown(record, lobby)) throw new RequestError('unknown_message');
      if (sameMetadata(record.message.moderation_metadata ?? null, moderation_metadata)) return;
      const message = { ...record.message, moderation_metadata };
      transaction.put('lobby_messages', { ...record, message });
      const author = await authorInGuild(transaction, lobby, message);
      announceMessage(transaction, 'LOBBY_MESSAGE_UPDATE', showGatewayMessage(message, lobby, author));
    });
  }

  return { send, list, moderate };
}

/** One message in this many looks for old ones. */
const sweepEvery = 32;

/** Deletes the messages of a lobby with it. */
export async function deleteMessages(transaction: Transaction, { id, message_count }: LobbyRecord): Promise<void> {
  if (message_count === 0) return;
  for (const record of await transaction.list('lobby_messages', { equals: [id] })) deleteMessage(transaction, record);
}

/** The author's membership in the guild of the linked channel. */
async function authorInGuild(view: StoreView, { linked_guild_id }: LobbyRecord, { author }: LobbyMessage) {
  return linked_guild_id === null ? undefined : view.get('guild_members', linked_guild_id, author.id);
}

function deleteMessage(transaction: Transaction, { lobby_id, sent_at_ms, id }: LobbyMessageRecord): void {
  transaction.delete('lobby_messages', lobby_id, sent_at_ms, id);
}

function recordOf(message: LobbyMessage, { id, message_count }: LobbyRecord): LobbyMessageRecord {
  return { lobby_id: id, sent_at_ms: snowflakeTimeMs(message.id), id: message.id, number: message_count, message };
}
