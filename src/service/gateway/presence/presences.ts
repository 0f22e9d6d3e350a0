import type { Presence, PresenceUpdate } from '../../../model/presence.ts';
import type { GuildId, UserId } from '../../../model/snowflake.ts';
import type { Core } from '../../core.ts';
import { guildIdsOf } from '../../domain/guilds/records.ts';
import { lazyEvent, topics } from '../../events/announcement.ts';
import type { StoreView } from '../../store/contract.ts';
import type { GatewaySessionRecord, GuildMemberRecord } from '../../store/records.ts';
import type { Session } from '../sessions/session.ts';

/**
 * The presences of users with sessions on this node. Of several sessions of a user, the last update counts.
 *
 * Unspecified: a user is shown as online only after a session has sent a presence, in Identify or by op 3.
 *
 * @see docs/spec/gateway.md#presence
 */
export class Presences {
  readonly #core: Core;
  /** User → session → its presence, the latest last. */
  readonly #byUser = new Map<UserId, Map<string, PresenceUpdate>>();

  constructor(core: Core) {
    this.#core = core;
  }

  /** Sets the presence of a session; the bots in the user's guilds are notified. */
  async set({ record }: Session, presence: PresenceUpdate): Promise<void> {
    this.#keep(record, presence);
    await this.#tell(record);
  }

  /** Restores a presence without a notification, because the bots received it before the restart. */
  revive({ record }: Session): void {
    if (record.presence) this.#keep(record, record.presence);
  }

  /** Removes the presence of a session that has ended. */
  async leave({ record }: Session): Promise<void> {
    const sessions = this.#byUser.get(record.user_id);
    if (!sessions?.delete(record.id)) return;
    if (sessions.size === 0) this.#byUser.delete(record.user_id);
    await this.#tell(record);
  }

  /** The presences of the members who have one, as the guild sees them. */
  within(guildId: GuildId, members: readonly Pick<GuildMemberRecord, 'user_id'>[]): Presence[] {
    if (this.#byUser.size === 0) return [];
    const seen = members.map(({ user_id }) => presenceView(user_id, guildId, this.#of(user_id)));
    return seen.filter(({ status }) => status !== 'offline');
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
    const { user_id } = record;
    const presence = this.#of(user_id); // The present one; a change before the commit is announced separately.
    await this.#core.store.transact(`presence/${user_id}`, async transaction => {
      for (const guild of await guildsOf(transaction, record)) {
        const event = lazyEvent('PRESENCE_UPDATE', () => presenceView(user_id, guild, presence));
        transaction.announce({ to: topics.guild(guild), event, guild });
      }
    });
  }
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
