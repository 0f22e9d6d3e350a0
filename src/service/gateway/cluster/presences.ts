import type { Presence, PresenceUpdate } from '../../../model/presence.ts';
import type { GuildId } from '../../../model/snowflake.ts';
import type { Store, StoreView } from '../../store/contract.ts';
import { announcePresence, type Members, type Presences, presenceScope, shown } from '../presence/presences.ts';
import type { Session } from '../sessions/session.ts';
import { holdsClaim } from '../sessions/session-record.ts';
import { sessionScope } from '../sessions/storage.ts';

/** The presences of all nodes, in the store. They stay when a session goes on at another node. */
export class ClusterPresences implements Presences {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  async set(session: Session, presence: PresenceUpdate): Promise<void> {
    const { id, user_id } = session.record;
    await this.#store.transact(
      presenceScope(user_id),
      async transaction => {
        if (session.hasEnded || !(await holdsClaim(transaction, session.record))) return;
        const others = await sessionsOf(transaction, user_id);
        const sessions = [...others.filter(other => other.id !== id), { id, presence }];
        transaction.put('presences', { user_id, sessions });
        await announcePresence(transaction, session.record, presence);
      },
      [sessionScope(id)],
    );
  }

  async leave({ record }: Pick<Session, 'record'>): Promise<void> {
    const { id, user_id } = record;
    const isThere = (sessions: Awaited<ReturnType<typeof sessionsOf>>) => sessions.some(one => one.id === id);
    // Most sessions have none. Their own updates are over: the session has ended.
    if (!isThere(await sessionsOf(this.#store, user_id))) return;
    await this.#store.transact(presenceScope(user_id), async transaction => {
      const before = await sessionsOf(transaction, user_id);
      if (!isThere(before)) return;
      const sessions = before.filter(one => one.id !== id);
      if (sessions.length > 0) transaction.put('presences', { user_id, sessions });
      else transaction.delete('presences', user_id);
      await announcePresence(transaction, record, sessions.at(-1)?.presence);
    });
  }

  async within(view: StoreView, guildId: GuildId, members: Members): Promise<readonly Presence[]> {
    // Together, because the store answers reads of one turn together.
    const records = await Promise.all(members.map(({ user_id }) => view.get('presences', user_id)));
    return shown(
      guildId,
      members.map(({ user_id }, index) => [user_id, records[index]?.sessions.at(-1)?.presence] as const),
    );
  }
}

async function sessionsOf(view: StoreView, userId: string) {
  return (await view.get('presences', userId))?.sessions ?? [];
}
