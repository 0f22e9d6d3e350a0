import type { LobbyMessage } from '../../../model/lobby-message.ts';
import { snowflakeTimeMs } from '../../../model/snowflake.ts';
import { formatTimestamp } from '../../../model/timestamp.ts';
import type { Core } from '../../core.ts';
import type { Transaction } from '../../store/contract.ts';
import type { ApplicationRecord, LobbyRecord, UserRecord } from '../../store/records.ts';
import { PendingWork } from '../../support/pending-work.ts';
import { lobbyScope } from '../lobbies/records.ts';
import { type AfterCommit, createWebhookDelivery, type WebhookEvent } from './delivery.ts';

export type { AfterCommit } from './delivery.ts';

/** The events that an application's server receives. @see docs/spec/lobbies.md#webhook-events */
export const webhookEventNames = [
  'APPLICATION_AUTHORIZED',
  'APPLICATION_DEAUTHORIZED',
  'LOBBY_MESSAGE_CREATE',
  'GAME_DIRECT_MESSAGE_CREATE',
  'GAME_DIRECT_MESSAGE_UPDATE',
  'GAME_DIRECT_MESSAGE_DELETE',
] as const;

type DirectMessageEventName = Extract<(typeof webhookEventNames)[number], `GAME_${string}`>;
type AuthorizationEventName = Extract<(typeof webhookEventNames)[number], `APPLICATION_${string}`>;

/**
 * Sends applications' servers, by HTTP, messages of their lobbies and between their players, and events about users who authorize
 * them or end the authorization.
 *
 * Each event is stored in the transaction that causes it, and delivered after its commit; a restart or another node continues. It may
 * be delivered more than once.
 *
 * Unspecified: an application with an address receives all events, and the address is not probed with a PING, because
 * the operator of the service names it.
 *
 * @see docs/spec/lobbies.md#webhook-events
 */
export interface WebhookEvents {
  /** A message of the lobby, in a transaction of the lobby's scope. */
  message(
    transaction: Transaction,
    application: ApplicationRecord,
    lobby: LobbyRecord,
    message: LobbyMessage,
  ): Promise<AfterCommit>;
  /** A user authorized the application or ended that. @param scope the transaction's */
  authorization(
    transaction: Transaction,
    scope: string,
    event: {
      readonly application: ApplicationRecord;
      readonly user: UserRecord;
      readonly name: AuthorizationEventName;
      readonly data: object;
    },
  ): Promise<AfterCommit>;
  /** A message between two users was sent, edited or deleted. @param scope the transaction's */
  directMessage(
    transaction: Transaction,
    scope: string,
    event: {
      readonly application: ApplicationRecord;
      readonly name: DirectMessageEventName;
      /** The two users, for the queue. */
      readonly pair: string;
      /** The author. */
      readonly user: UserRecord;
      readonly data: object;
    },
  ): Promise<AfterCommit>;
  /** Delivers what waits; the returned function stops that. */
  start(): Promise<() => void>;
}

/** @param pendingWork counts requests in progress */
export function createWebhookEvents(core: Core, pendingWork = new PendingWork()): WebhookEvents {
  const delivery = createWebhookDelivery(core, pendingWork);
  return {
    async message(transaction, application, lobby, message) {
      const url = lobby.override_event_webhooks_url ?? application.event_webhooks_url;
      return url === null ? nothing : delivery.add(transaction, messageEvent(url, application, lobby, message));
    },
    async authorization(transaction, scope, { application, user: { id }, name, data }) {
      const url = application.event_webhooks_url;
      if (url === null) return nothing;
      const body = bodyOf(application, { type: name, timestamp: formatTimestamp(core.clock.now()), data });
      const queue = `${application.id}/${id}`;
      return delivery.add(transaction, { name, url, application, queue, scope, about: { user: id }, body });
    },
    async directMessage(transaction, scope, { application, name, pair, user: { id }, data }) {
      const url = application.event_webhooks_url;
      if (url === null) return nothing;
      const body = bodyOf(application, { type: name, timestamp: formatTimestamp(core.clock.now()), data });
      const queue = `dm/${pair}/${application.id}`;
      return delivery.add(transaction, { name, url, application, queue, scope, about: { user: id }, body });
    },
    start: () => delivery.start(),
  };
}

const nothing: AfterCommit = () => {};

/** Unlike in answers, a message in a linked channel names the channel here. */
function messageEvent(
  url: string,
  application: ApplicationRecord,
  { id, link }: LobbyRecord,
  message: LobbyMessage,
): WebhookEvent {
  const name = 'LOBBY_MESSAGE_CREATE';
  const timestamp = formatTimestamp(snowflakeTimeMs(message.id));
  const data = link ? { ...message, channel_id: link.channel.id } : message;
  const body = bodyOf(application, { type: name, timestamp, data });
  return { name, url, application, queue: id, scope: lobbyScope(id), about: { lobby: id }, body };
}

function bodyOf({ id }: ApplicationRecord, event: { type: string; timestamp: string; data: object }): string {
  return JSON.stringify({ version: 1, application_id: id, type: eventType, event });
}

/** The other type, 0, is a PING. */
const eventType = 1;
