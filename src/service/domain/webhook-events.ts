import type { LobbyMessage } from '../../model/lobby-message.ts';
import { snowflakeTimeMs } from '../../model/snowflake.ts';
import { formatTimestamp } from '../../model/timestamp.ts';
import { Activity } from '../activity.ts';
import type { Core } from '../core.ts';
import type { ApplicationRecord, LobbyRecord } from '../store/records.ts';
import { createWebhookDelivery, type WebhookEvent } from './webhook-delivery.ts';

/**
 * Tells applications' servers what happens in their lobbies, by HTTP.
 *
 * Our choice: an application that has an address wants all there is to hear, and the address is not tried with a PING,
 * because it comes from the one who runs the service. Nothing of what waits outlives the service.
 *
 * @see lobbies.md 6.4
 */
export interface WebhookEvents {
  /** A message was sent to the lobby. To be called in the order of the commits; waits for nothing. */
  tellMessage(application: ApplicationRecord, lobby: LobbyRecord, message: LobbyMessage): void;
  /** The returned function drops what was not delivered yet. */
  start(): () => void;
}

/** @param activity counts the requests under way */
export function createWebhookEvents(core: Core, activity = new Activity()): WebhookEvents {
  const delivery = createWebhookDelivery(core, activity);
  return {
    tellMessage(application, lobby, message) {
      const url = lobby.override_event_webhooks_url ?? application.event_webhooks_url;
      if (url !== null) delivery.enqueue(messageEvent(url, application, lobby, message));
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
  const body = { version: 1, application_id: application.id, type: eventType, event: { type: name, timestamp, data } };
  return { name, url, application, line: id, body: JSON.stringify(body) };
}

/** The other type, 0, is a PING. */
const eventType = 1;
