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
 * Tells applications' servers, by HTTP, what happens in their lobbies, and which users authorize them or no longer do.
 *
 * Our choice: an application that has an address wants all there is to hear, and the address is not tried with a PING,
 * because it comes from the one who runs the service. Nothing of what waits outlives the service.
 *
 * @see docs/spec/lobbies.md#webhook-events
 */
export interface WebhookEvents {
  /** A message was sent to the lobby. To be called in the order of the commits; waits for nothing. */
  sendMessage(application: ApplicationRecord, lobby: LobbyRecord, message: LobbyMessage): void;
  /** A user authorized the application, or ended that. In the order of the commits, too; waits for nothing. */
  sendAuthorization(application: ApplicationRecord, user: UserRecord, name: AuthorizationEventName, data: object): void;
  /** The returned function drops what was not delivered yet. */
  start(): () => void;
}

/** @param pendingWork counts the requests under way */
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
      delivery.enqueue({ name, url, application, line: `${application.id}/${id}`, about: { user: id }, body });
    },
    start: () => () => delivery.drop(),
  };
}

/** Here, other than in answers, a message in a linked channel says which channel that is. */
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
  return { name, url, application, line: id, about: { lobby: id }, body };
}

function bodyOf({ id }: ApplicationRecord, event: { type: string; timestamp: string; data: object }): string {
  return JSON.stringify({ version: 1, application_id: id, type: eventType, event });
}

/** The other type, 0, is a PING. */
const eventType = 1;
