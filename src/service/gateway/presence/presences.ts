import type { Presence, PresenceUpdate } from '../../../model/presence.ts';
import type { GuildId, UserId } from '../../../model/snowflake.ts';
import type { Core } from '../../core.ts';
import { lazyEvent, topics } from '../../events/announcement.ts';
import { guildIdsOf } from '../../features/guilds/records.ts';
import type { StoreView, Transaction } from '../../store/contract.ts';
import type { GatewaySessionRecord, GuildMemberRecord } from '../../store/records.ts';
import type { MaybePromise } from '../../support/maybe-promise.ts';
import type { Session } from '../sessions/session.ts';

/**
 * The presences of users with sessions. Of several sessions of a user, the last update counts.
 *
 * Unspecified: a user is shown as online only after a session has sent a presence, in Identify or by op 3.
 *
 * @see docs/spec/gateway.md#presence
 */
export interface Presences {
  /** Sets the presence of a session; the bots in the user's guilds are notified. */
  set(session: Session, presence: PresenceUpdate): Promise<void>;
  /** Removes the presence of a session that has ended. */
  leave(session: Pick<Session, 'record'>): Promise<void>;
  /** The presences of the members who have one, as the guild sees them. */
  within(view: StoreView, guildId: GuildId, members: Members): MaybePromise<readonly Presence[]>;
}

export type Members = readonly Pick<GuildMemberRecord, 'user_id'>[];

/** The store scope of a user's presences. */
export function presenceScope(userId: UserId): string {
  return `presence/${userId}`;
}

/** The presences of a service in one process. */
export class LocalPresences implements Presences {
  readonly #core: Core;
  /** User → session → its presence, the latest last. */
  readonly #byUser = new Map<UserId, Map<string, PresenceUpdate>>();

  constructor(core: Core) {
    this.#core = core;
  }

  async set({ record }: Session, presence: PresenceUpdate): Promise<void> {
    this.#keep(record, presence);
    await this.#tell(record);
  }

  /** Restores a presence without a notification, because the bots received it before the restart. */
  revive({ record }: Session): void {
    if (record.presence) this.#keep(record, record.presence);
  }

  async leave({ record }: Pick<Session, 'record'>): Promise<void> {
    const sessions = this.#byUser.get(record.user_id);
    if (!sessions?.delete(record.id)) return;
    if (sessions.size === 0) this.#byUser.delete(record.user_id);
    await this.#tell(record);
  }

  within(_: StoreView, guildId: GuildId, members: Members): readonly Presence[] {
    if (this.#byUser.size === 0) return [];
    return shown(
      guildId,
      members.map(({ user_id }) => [user_id, this.#of(user_id)] as const),
    );
  }

  #of(userId: UserId): PresenceUpdate | undefined {
    return [...(this.#byUser.get(userId)?.values() ?? [])].at(-1);
  }

  #keep({ id, user_id }: GatewaySessionRecord, presence: PresenceUpdate): void {
    const sessions = this.#byUser.get(user_id) ?? new Map<string, PresenceUpdate>();
    this.#byUser.set(user_id, sessions);
    sessions.delete(id);
    sessions.set(id, presence);
  }

  async #tell(record: GatewaySessionRecord): Promise<void> {
    const presence = this.#of(record.user_id); // The present one; a change before the commit is announced separately.
    await this.#core.store.transact(presenceScope(record.user_id), work => announcePresence(work, record, presence));
  }
}

/** Notifies the bots in the user's guilds. */
export async function announcePresence(
  transaction: Transaction,
  record: GatewaySessionRecord,
  presence: PresenceUpdate | undefined,
): Promise<void> {
  for (const guild of await guildsOf(transaction, record)) {
    const event = lazyEvent('PRESENCE_UPDATE', () => presenceView(record.user_id, guild, presence));
    transaction.announce({ to: topics.guild(guild), event, guild });
  }
}

/** The presences of users who do not look offline, as the guild sees them. */
export function shown(
  guildId: GuildId,
  presences: readonly (readonly [UserId, PresenceUpdate | undefined])[],
): readonly Presence[] {
  return presences
    .map(([userId, presence]) => presenceView(userId, guildId, presence))
    .filter(({ status }) => status !== 'offline');
}

async function guildsOf(view: StoreView, { kind, user_id }: GatewaySessionRecord): Promise<readonly GuildId[]> {
  if (kind === 'bot') return guildIdsOf(view, user_id);
  const memberships = await view.list('guild_members', { index: 'byUser', equals: [user_id] });
  return memberships.map(({ guild_id }) => guild_id);
}

/** An invisible user looks offline. */
function presenceView(userId: UserId, guildId: GuildId, update: PresenceUpdate | undefined): Presence {
  const { status = 'offline', activities = [] } = update ?? {};
  const isThere = status !== 'invisible' && status !== 'offline';
  return {
    user: { id: userId },
    guild_id: guildId,
    status: isThere ? status : 'offline',
    activities: isThere ? activities : [],
    client_status: isThere ? { desktop: status } : {},
  };
}
