import type { PresenceUpdate } from '../../../model/presence.ts';
import type { Core } from '../../core.ts';
import type { Topic } from '../../events/announcement.ts';
import { publicActivity, storedActivities } from '../../features/social/presence/activities.ts';
import { changeSessions, replaceSession } from '../../features/social/presence/changes.ts';
import { presenceScope, settingsOf } from '../../features/social/presence/records.ts';
import {
  hiddenPresenceOf,
  presenceOf,
  seen,
  seenByFriend,
  seenByGameFriend,
} from '../../features/social/presence/view.ts';
import type { StoreView } from '../../store/contract.ts';
import type { GatewaySessionRecord, ShownSession } from '../../store/records.ts';
import type { Session } from '../sessions/session.ts';
import { holdsClaim } from '../sessions/session-record.ts';
import { sessionScope } from '../sessions/storage.ts';
import type { GivenPresence } from './presence-update.ts';

/**
 * What friends, and the user's own sessions, see of players' sessions and users' own clients. A session makes its user visible as long
 * as it exists, until it can no longer be resumed.
 *
 * @see docs/spec/social.md#presence
 */
export class SocialPresences {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /** The session begins: its user is online. */
  async enter(session: Session): Promise<void> {
    await this.#change(session, async before => before ?? beginning(session.record));
  }

  /**
   * The session shows what its client has sent.
   *
   * @returns the same without what others must not know
   */
  async set(session: Session, { status, activities, ...rest }: GivenPresence): Promise<PresenceUpdate> {
    const { id, application_id } = session.record;
    const sender = { sessionId: id, applicationId: application_id, nowMs: this.#core.clock.now() };
    let shown: PresenceUpdate['activities'] = [];
    await this.#change(session, async (before, view, revision) => {
      const stored = await storedActivities(view, activities, sender);
      const settings = await settingsOf(view, session.record.user_id);
      shown = stored.map(activity => publicActivity(activity, settings));
      const isGiven = status !== 'unknown';
      return {
        ...(before ?? beginning(session.record)),
        activities: stored,
        ...(isGiven ? { status, status_set_at: revision } : { status: 'online', status_set_at: 0 }),
      };
    });
    return { ...rest, status: status === 'unknown' ? 'online' : status, activities: shown };
  }

  /** The session has ended. */
  async leave({ id, kind, user_id }: GatewaySessionRecord): Promise<void> {
    if (kind === 'bot') return;
    const { store, clock } = this.#core;
    await store.transact(presenceScope(user_id), transaction =>
      changeSessions(transaction, user_id, sessions => replaceSession(sessions, id, undefined), clock.now()),
    );
  }

  /** @param next undefined: nothing changes */
  #change(
    session: Session,
    next: (before: ShownSession | undefined, view: StoreView, revision: number) => Promise<ShownSession>,
  ): Promise<void> {
    const { store, clock } = this.#core;
    const { id, user_id, node } = session.record;
    return store.transact(
      presenceScope(user_id),
      async transaction => {
        if (session.hasEnded || (node !== null && !(await holdsClaim(transaction, session.record)))) return;
        const record = await transaction.get('social_presences', user_id);
        const before = record?.sessions.find(other => other.id === id);
        const after = await next(before, transaction, transaction.revision);
        await changeSessions(transaction, user_id, sessions => replaceSession(sessions, id, after), clock.now());
      },
      node === null ? [] : [sessionScope(id)],
    );
  }
}

function beginning({ id, application_id, family_id, client }: GatewaySessionRecord): ShownSession {
  return { id, application_id, family_id, client, status: 'online', status_set_at: 0, activities: [] };
}

/** Whether a topic is about what somebody else shows. */
export function isPresence(topic: Topic): boolean {
  return /^(presence|hidden-activities)\//.test(topic);
}

/** Sends a session that has begun to follow such a topic what it has to know of it: always one event. */
export async function introducePresence({ store, clock }: Core, session: Session, topic: Topic): Promise<void> {
  const [kind, userId = '', place] = topic.split('/');
  const record = await store.get('social_presences', userId);
  const user = seen({ sessions: record?.sessions ?? [], settings: await settingsOf(store, userId) }, clock.now());
  const family = session.record.family_id;
  if (kind !== 'presence' && family !== null) {
    session.emit('PRESENCE_UPDATE', hiddenPresenceOf(userId, user, family, place === 'friend' ? place : 'stranger'));
  } else {
    const shown = place === undefined ? seenByFriend(user, family) : seenByGameFriend(user, place);
    session.emit('PRESENCE_UPDATE', presenceOf(userId, shown));
  }
  if (record) session.saw(presenceScope(userId), record.revision);
}
