import type { Presence, PresenceUpdate } from '../../../model/presence.ts';
import type { GuildId, UserId } from '../../../model/snowflake.ts';
import type { Core } from '../../core.ts';
import { guildIdsOf } from '../../domain/guilds/records.ts';
import { lazyEvent, topics } from '../../events/announcement.ts';
import type { StoreView } from '../../store/contract.ts';
import type { GatewaySessionRecord, GuildMemberRecord } from '../../store/records.ts';
import type { Session } from '../sessions/session.ts';

/**
 * What the users of this node's sessions say they are doing. Of a user with several sessions the one that spoke last
 * counts.
 *
 * Our choice: a user is shown as online only once a session of theirs has said so, in Identify or by op 3.
 *
 * @see docs/spec/gateway.md#presence
 */
export class Presences {
  readonly #core: Core;
  /** User → session → what it said, the latest last. */
  readonly #byUser = new Map<UserId, Map<string, PresenceUpdate>>();

  constructor(core: Core) {
    this.#core = core;
  }

  /** The session says so from now on; the bots in the user's guilds are told. */
  async set({ record }: Session, presence: PresenceUpdate): Promise<void> {
    this.#keep(record, presence);
    await this.#tell(record);
  }

  /** Nobody is told: they know since before this process began. */
  revive({ record }: Session): void {
    if (record.presence) this.#keep(record, record.presence);
  }

  /** The session is over. */
  async leave({ record }: Session): Promise<void> {
    const sessions = this.#byUser.get(record.user_id);
    if (!sessions?.delete(record.id)) return;
    if (sessions.size === 0) this.#byUser.delete(record.user_id);
    await this.#tell(record);
  }

  /** Those of the members that are there, as the guild sees them. */
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
    const presence = this.#of(user_id); // what it is now: by the commit it may be another, which is told by itself
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

/** Who is invisible looks offline. */
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
