import { Buffer } from 'node:buffer';
import type { Activity } from '../../../../model/presence.ts';
import { checkHeadlessDelete, checkHeadlessSession } from '../../../../model/rules/social/activity.ts';
import { type ApplicationId, readSnowflake, type UserId } from '../../../../model/snowflake.ts';
import { randomToken } from '../../../../wire/clock/ports.ts';
import type { Core } from '../../../core.ts';
import { createExpiry } from '../../../expiry.ts';
import type { StoreView, Transaction } from '../../../store/contract.ts';
import type { ApplicationRecord, HeadlessSessionRecord, ShownSession } from '../../../store/records.ts';
import { RequestError, rejectIssues } from '../../../support/request-error.ts';
import { hashSecret } from '../../../support/secret.ts';
import { serviceLimits } from '../../../support/service-limits.ts';
import { publicActivity, storedActivities } from './activities.ts';
import { changeSessions, replaceSession } from './changes.ts';
import { presenceScope, settingsOf } from './records.ts';

const tokenBytes = 24;
const idBytes = 16;

/** What a game is answered that shows an activity without a connection. */
export interface HeadlessAnswer {
  readonly activities: readonly Activity[];
  readonly token: string;
}

/**
 * Sessions without a connection: each shows one activity until its time is over, or it is updated.
 *
 * @see docs/spec/social.md#sessions
 */
export interface HeadlessSessions {
  /**
   * Begins a session or, with its token, replaces what it shows and starts its time anew.
   *
   * @throws RequestError `invalid_form_body`; `unknown_session` when the token's is over or another user's
   */
  put(application: ApplicationRecord, userId: UserId, body: unknown): Promise<HeadlessAnswer>;
  /** Ends a session, if there is one. @throws RequestError `invalid_form_body` */
  end(userId: UserId, body: unknown): Promise<void>;
  /** Ends those of a user: all of them, or those of one application. */
  endAll(userId: UserId, applicationId?: ApplicationId): Promise<void>;
  /** The account moves to another: what it shows in the game ends. */
  move(applicationId: ApplicationId, from: UserId): Promise<void>;
  /** Ends those whose time is over, now and from now on. */
  start(): Promise<() => void>;
}

export function createHeadlessSessions(core: Core): HeadlessSessions {
  const { store, clock, entropy } = core;
  const expiry = createExpiry(core, 'headless_sessions', (hash, nowMs) => endByHash(hash, nowMs));

  /** @param dueMs only if it is over by then */
  async function endByHash(hash: string, dueMs = Number.POSITIVE_INFINITY, ofUser?: UserId): Promise<void> {
    const known = await store.get('headless_sessions', hash);
    if (!known || (ofUser !== undefined && known.user_id !== ofUser)) return;
    await store.transact(presenceScope(known.user_id), async transaction => {
      const record = await transaction.get('headless_sessions', hash);
      if (record && record.expires_at_ms <= dueMs) await endOne(transaction, record);
    });
  }

  async function endOne(transaction: Transaction, { id, session_id, user_id }: HeadlessSessionRecord) {
    transaction.delete('headless_sessions', id);
    await changeSessions(
      transaction,
      user_id,
      sessions => replaceSession(sessions, session_id, undefined),
      clock.now(),
    );
  }

  async function makeRoom(transaction: Transaction, userId: UserId): Promise<void> {
    const records = await sessionsOf(transaction, userId);
    const oldest = records.toSorted((a, b) => a.expires_at_ms - b.expires_at_ms);
    for (const record of oldest.slice(0, Math.max(0, records.length + 1 - serviceLimits.headlessSessionsPerUserMax)))
      await endOne(transaction, record);
  }

  return {
    async put(application, userId, body) {
      rejectIssues(checkHeadlessSession(body));
      const { activities, token: given } = body as { activities: readonly [Activity]; token?: string | null };
      rejectIssues(checkApplication(activities[0], application));
      const token = given ?? randomToken(entropy, tokenBytes);
      const newId = `h:${Buffer.from(entropy.bytes(idBytes)).toString('hex')}`;
      const shown = await store.transact(presenceScope(userId), async transaction => {
        const id = hashSecret(token);
        const nowMs = clock.now();
        const known = given == null ? undefined : await transaction.get('headless_sessions', id);
        if (given != null && !isLive(known, application, userId, nowMs)) throw new RequestError('unknown_session');
        if (!known) await makeRoom(transaction, userId);
        const session_id = known?.session_id ?? newId;
        const expires_at_ms = nowMs + serviceLimits.headlessSessionLifeMs;
        transaction.put('headless_sessions', {
          ...{ id, session_id, user_id: userId, application_id: application.id, expires_at_ms },
        });
        const sender = { sessionId: session_id, applicationId: application.id, nowMs };
        const stored = await storedActivities(transaction, activities, sender);
        const session: ShownSession = {
          ...{ id: session_id, application_id: application.id, family_id: application.parent_id ?? application.id },
          client: clientOf(activities[0]),
          ...{ status: 'online', status_set_at: 0, activities: stored },
        };
        await changeSessions(transaction, userId, sessions => replaceSession(sessions, session_id, session), nowMs);
        const settings = await settingsOf(transaction, userId);
        return stored.map(one => publicActivity(one, settings));
      });
      expiry.notice(clock.now() + serviceLimits.headlessSessionLifeMs);
      return { activities: shown, token };
    },

    async end(userId, body) {
      rejectIssues(checkHeadlessDelete(body));
      const { token } = body as { token: string };
      await endByHash(hashSecret(token), undefined, userId);
    },

    async endAll(userId, applicationId) {
      for (const record of await sessionsOf(store, userId))
        if (applicationId === undefined || record.application_id === applicationId) await endByHash(record.id);
    },

    move(applicationId, from) {
      return this.endAll(from, applicationId);
    },

    start: () => expiry.start(),
  };
}

async function sessionsOf(view: StoreView, userId: UserId): Promise<readonly HeadlessSessionRecord[]> {
  return view.list('headless_sessions', { index: 'byUser', equals: [userId] });
}

function isLive(
  known: HeadlessSessionRecord | undefined,
  application: ApplicationRecord,
  userId: UserId,
  nowMs: number,
): boolean {
  return known?.user_id === userId && known.application_id === application.id && known.expires_at_ms > nowMs;
}

/** Unspecified: the activity is of the application that shows it, or of its parent. */
function checkApplication({ application_id }: Activity, { id, parent_id }: ApplicationRecord) {
  const given = readSnowflake(application_id);
  if (given === id || (parent_id !== null && given === parent_id)) return [];
  const message = 'The activity must be of the application of the token.';
  return [{ path: ['activities', '0', 'application_id'], code: 'BASE_TYPE_CHOICES', message }];
}

/** Unspecified: which kind of client a platform is. */
function clientOf({ platform = 'desktop' }: Activity): ShownSession['client'] {
  return { client: clients[platform] ?? 'embedded', os: platform, version: 0 };
}

const clients: Readonly<Record<string, string>> = {
  desktop: 'desktop',
  ios: 'mobile',
  android: 'mobile',
  samsung: 'mobile',
  meta_quest: 'vr',
};
