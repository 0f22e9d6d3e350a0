import type { ClientInfo, PresenceUpdate } from '../../../model/presence.ts';
import type { ApplicationId, UserId } from '../../../model/snowflake.ts';
import type { Announced, Topic } from '../../events/announcement.ts';
import type { DeltaPart } from '../../support/text-delta.ts';

/** A gateway session, stored so that its client can resume it after a restart of the service, or at another node. */
export interface GatewaySessionRecord {
  id: string;
  /** The node of a cluster that has the session; null: there is only one. */
  node: string | null;
  /** Rises whenever a node takes the session over; 0 where there is only one. */
  claim: number;
  /** `session` is a user's own client. */
  kind: 'bot' | 'user' | 'session';
  /** Null: a user's own client. */
  application_id: ApplicationId | null;
  /** The parent of that application or, without one, the application itself: what its sessions share, they share with this family. */
  family_id: ApplicationId | null;
  /** A bot has its application's id. */
  user_id: UserId;
  /** What it lives by: the bot token's hash, or the grant of an OAuth2 token; null: nothing that could end. */
  credential: string | null;
  /** Null: receives every event. */
  intents: number | null;
  shard: readonly [id: number, count: number] | null;
  /** Scopes of the token by which a player's session began: they decided what it follows. Absent also in records of earlier versions. */
  scopes?: readonly string[];
  /** It may take part in calls of lobbies. */
  may_call: boolean;
  /** It may show what its user does. */
  may_set_presence: boolean;
  client: ClientInfo;
  /** Large packets go compressed. */
  compress: boolean;
  presence: PresenceUpdate | null;
  /** The last one that its client has sent, while it waits for its turn; absent: none does. */
  waiting_presence?: WaitingPresence;
  /** Null while it is being started or ended: then there is nothing to resume. */
  base: SessionBase | null;
  /** When its client was last gone; null while it is there. */
  detached_at_ms: number | null;
}

/** As a client sends it. */
export type WaitingPresence = Omit<PresenceUpdate, 'status'> & {
  readonly status: PresenceUpdate['status'] | 'unknown';
};

/** Where a session stood once: what it was sent since follows from the events kept. */
export interface SessionBase {
  /** Number of the last event it was sent by then. */
  sequence: number;
  /** Position of the last commit whose events it had received. */
  position: number;
  following: readonly Topic[];
}

/** An announcement that gateway sessions received, in order. */
export interface GatewayEventRecord {
  /** Of the commit that made it. */
  revision: number;
  /** Among those of the commit: 0, 1 … */
  number: number;
  /** Its position is the revision. */
  announced: Omit<Announced, 'position'>;
  /** A large event may be stored as a difference to another stored event; its own data is then empty. */
  delta?: EventDelta;
}

/** What an event's data has in common with another's, and what not. */
export interface EventDelta {
  /** Key of the other one. */
  revision: number;
  number: number;
  /** Of the whole data, in bytes. */
  size: number;
  parts: readonly DeltaPart[];
}

/** The presences of a user's sessions in a cluster; absent when there are none. */
export interface PresenceRecord {
  user_id: UserId;
  /** The one that was updated last is the last. */
  sessions: readonly { readonly id: string; readonly presence: PresenceUpdate }[];
}
