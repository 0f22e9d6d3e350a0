import type { ApplicationId, LobbyId, UserId } from '../../../model/snowflake.ts';

/** Webhook events that wait, to be delivered one after another; deleted when none waits. */
export interface WebhookQueueRecord {
  id: string;
  /** The store scope in which it changes: that of what its events are about. */
  scope: string;
  application_id: ApplicationId;
  /** When its first event may be delivered next; while one is delivered, when its delivery counts as lost. */
  expires_at_ms: number;
  /** Identifies the delivery in progress; null: none. */
  claim: string | null;
  /** How often its first event was sent in vain. */
  failures: number;
  /** Number of its first event, and of the next to be added. */
  first: number;
  next: number;
  /** Of the events that wait, as they count towards the bounds; absent in records of older versions. */
  bytes?: number;
}

export interface WebhookEventRecord {
  queue_id: string;
  number: number;
  /** The event's type. */
  name: string;
  url: string;
  /** For the journal. */
  about: { readonly lobby: LobbyId } | { readonly user: UserId };
  body: string;
  sent_at_ms: number;
}
