import type { LobbyMessage } from '../../../model/lobby-message.ts';
import { snowflakeTimeMs } from '../../../model/snowflake.ts';
import { formatTimestamp } from '../../../model/timestamp.ts';
import type { Core } from '../../core.ts';
import type { ApplicationRecord, LobbyRecord, UserRecord } from '../../store/records.ts';
import { PendingWork } from '../../support/pending-work.ts';
import { createWebhookDelivery, type WebhookEvent } from './delivery.ts';

/** The events that an application's server receives. @see docs/spec/lobbies.md#webhook-events */
export const webhookEventNames = [
  'APPLICATION_AUTHORIZED',
  'APPLICATION_DEAUTHORIZED',
  'LOBBY_MESSAGE_CREATE',
] as const;

type AuthorizationEventName = Extract<(typeof webhookEventNames)[number], `APPLICATION_${string}`>;

/**
 * Sends applications' servers, by HTTP, messages of their lobbies, and events about users who authorize them or end
 * the authorization.
 *
 * Unspecified: an application with an address receives all events, and the address is not probed with a PING, because
 * the operator of the service names it. Events that wait are lost when the service stops.
 *
 * @see docs/spec/lobbies.md#webhook-events
 */
export interface WebhookEvents {
  /** Sends a message of the lobby. Call it in the order of the commits; it does not wait. */
  sendMessage(application: ApplicationRecord, lobby: LobbyRecord, message: LobbyMessage): void;
  /**
   * Sends that a user authorized the application or ended that. Call it in the order of the commits; it does not
   * wait.
   */
  sendAuthorization(application: ApplicationRecord, user: UserRecord, name: AuthorizationEventName, data: object): void;
  /** The returned function drops what was not delivered yet. */
  start(): () => void;
}

/** @param pendingWork counts requests in progress */
export function createWebhookEvents(core: Core, pendingWork = new PendingWork()): WebhookEvents {
  const delivery = createWebhookDelivery(core, pendingWork);
  return {
    sendMessage(application, lobby, message) {
      const url = lobby.override_event_webhooks_url ?? application.event_webhooks_url;
      if (url !== null) delivery.enqueue(messageEvent(url, application, lobby, message));
    },
    sendAuthorization(application, { id }, name, data) {
      const url = application.event_webhooks_url;
      if (url === null) return;
      const body = bodyOf(application, { type: name, timestamp: formatTimestamp(core.clock.now()), data });
      delivery.enqueue({ name, url, application, queue: `${application.id}/${id}`, about: { user: id }, body });
    },
    start: () => () => delivery.drop(),
  };
}

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
  return { name, url, application, queue: id, about: { lobby: id }, body };
}

function bodyOf({ id }: ApplicationRecord, event: { type: string; timestamp: string; data: object }): string {
  return JSON.stringify({ version: 1, application_id: id, type: eventType, event });
}

/** The other type, 0, is a PING. */
const eventType = 1;
