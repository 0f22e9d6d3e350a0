import type { Dispatches } from '../../../../model/gateway.ts';
import type { ApplicationId, UserId } from '../../../../model/snowflake.ts';
import { type Announcement, lazyEvent, lazyText, topics } from '../../../events/announcement.ts';
import type { StoreView, Transaction } from '../../../store/contract.ts';
import type { ShownSession, UserRecord } from '../../../store/records.ts';
import { userView } from '../../accounts/user-view.ts';
import { type PresenceState, settingsOf, stateOf } from './records.ts';
import {
  hiddenFrom,
  hiddenPresenceOf,
  ownSessions,
  presenceOf,
  type Seen,
  type Shown,
  seen,
  seenByFriend,
  seenByGameFriend,
  type ViewerFamily,
} from './view.ts';

/**
 * Replaces the sessions by which others see a user, in a transaction of the presence's scope, and tells everybody whom the change
 * concerns.
 */
export async function changeSessions(
  transaction: Transaction,
  userId: UserId,
  change: (sessions: readonly ShownSession[]) => readonly ShownSession[],
  nowMs: number,
): Promise<void> {
  const before = (await transaction.get('social_presences', userId))?.sessions ?? [];
  const sessions = change(before);
  if (sessions === before) return;
  const settings = await settingsOf(transaction, userId);
  putSessions(transaction, userId, sessions);
  announceChange(transaction, userId, { sessions: before, settings }, { sessions, settings }, nowMs);
}

/** The session with the id is what is given; undefined: it is no more. */
export function replaceSession(sessions: readonly ShownSession[], id: string, session: ShownSession | undefined) {
  const others = sessions.filter(other => other.id !== id);
  if (session) return [...others, session];
  return others.length === sessions.length ? sessions : others;
}

function putSessions(transaction: Transaction, user_id: UserId, sessions: readonly ShownSession[]): void {
  if (sessions.length === 0) transaction.delete('social_presences', user_id);
  else transaction.put('social_presences', { user_id, sessions, revision: transaction.revision });
}

/**
 * Announces what others, and the user's own sessions, see differently from now on; nothing if there is no difference.
 *
 * @param at the present time, or the times of both states
 */
export function announceChange(
  transaction: Transaction,
  userId: UserId,
  before: PresenceState,
  after: PresenceState,
  at: number | { readonly from: number; readonly to: number },
): void {
  const { from: fromMs, to: toMs } = typeof at === 'number' ? { from: at, to: at } : at;
  const from = seen(before, fromMs);
  const to = seen(after, toMs);
  announceToFriends(transaction, userId, from, to);
  for (const family of union(from.families, to.families)) {
    const shown = seenByGameFriend(to, family);
    if (isSame(seenByGameFriend(from, family), shown)) continue;
    transaction.announce({
      to: topics.gamePresence(userId, family),
      event: updateOf(userId, shown, playsIn(to, family)),
    });
  }
  announceHidden(transaction, userId, from, to);
  for (const viewer of new Set([...before.sessions, ...after.sessions].map(({ family_id }) => family_id))) {
    const own = JSON.stringify(ownSessions(after, viewer, toMs));
    if (own === JSON.stringify(ownSessions(before, viewer, fromMs))) continue;
    const event = lazyText('SESSIONS_REPLACE', () => own);
    transaction.announce({ to: topics.sessions(userId), families: [viewer], event });
  }
}

/**
 * What friends see depends on the game in which they are. There is one event for each game in which the user is, does or did something,
 * one for the clients that see all games, and one for everybody else; but one less where these are the same.
 */
function announceToFriends(transaction: Transaction, userId: UserId, from: Seen, to: Seen): void {
  const families = [...union(gamesOf(from), placesOf(to))];
  const changed = (viewer: ViewerFamily) => !isSame(seenByFriend(from, viewer), seenByFriend(to, viewer));
  const announce = (viewer: ViewerFamily, place: Pick<Announcement, 'families' | 'exceptFamilies'>) => {
    if (!changed(viewer)) return;
    const event = updateOf(userId, seenByFriend(to, viewer), playsIn(to, viewer));
    transaction.announce({ to: topics.presence(userId), event, ...place });
  };
  for (const family of families) announce(family, { families: [family] });
  if (gamesOf(from).size === 0 && gamesOf(to).size === 0) {
    announce(null, families.length === 0 ? {} : { exceptFamilies: families });
    return;
  }
  announce(null, { families: [null] });
  // Nobody else is in one of these games.
  announce('', { exceptFamilies: [...families, null] });
}

/** An event, and which sessions it is for. */
export type PresenceForm = Pick<Announcement, 'event' | 'families' | 'exceptFamilies'>;

/** A user's presence for sessions of friends, in each of its forms: every session gets exactly one. */
export async function formsForFriends(
  view: StoreView,
  userId: UserId,
  nowMs: number,
): Promise<readonly PresenceForm[]> {
  const user = seen(await stateOf(view, userId), nowMs);
  const families = [...placesOf(user)];
  const formFor = (viewer: ViewerFamily) => ({
    event: updateOf(userId, seenByFriend(user, viewer), playsIn(user, viewer)),
  });
  if (families.length === 0) return [formFor(null)];
  const forms = [...families, null].map(viewer => ({ ...formFor(viewer), families: [viewer] }));
  return [...forms, { ...formFor(''), exceptFamilies: [...families, null] }];
}

/** As {@link formsForFriends}, for sessions of friends in a game. */
export async function formForGameFriends(
  view: StoreView,
  userId: UserId,
  familyId: ApplicationId,
  nowMs: number,
): Promise<PresenceForm> {
  const user = seen(await stateOf(view, userId), nowMs);
  return { event: updateOf(userId, seenByGameFriend(user, familyId), playsIn(user, familyId)) };
}

/** Shows friends a user whose name has changed, with the presence as it is. */
export async function announceUser(transaction: Transaction, user: UserRecord, nowMs: number): Promise<void> {
  const { id } = user;
  const shown = seen(await stateOf(transaction, id), nowMs);
  const update = (form: Shown) =>
    lazyEvent('PRESENCE_UPDATE', () => ({ ...presenceOf(id, form), user: userView(user) }));
  const families = [...gamesOf(shown)];
  const to = topics.presence(id);
  for (const viewer of [...families, null]) {
    transaction.announce({ to, event: update(seenByFriend(shown, viewer)), families: [viewer] });
  }
  transaction.announce({ to, event: update(seenByFriend(shown, '')), exceptFamilies: [...families, null] });
  const games = await transaction.list('game_relationships', { equals: [id] });
  for (const family of new Set(games.map(({ family_id }) => family_id))) {
    transaction.announce({ to: topics.gamePresence(id, family), event: update(seenByGameFriend(shown, family)) });
  }
}

/** The users who were invited to a game see what its player hides. */
function announceHidden(transaction: Transaction, userId: UserId, from: Seen, to: Seen): void {
  const families = [...from.hidden, ...to.hidden].map(({ family_id }) => family_id).filter(family => family !== null);
  for (const family of new Set(families)) {
    const hidden = hiddenFrom(to, family);
    if (isSame(hiddenFrom(from, family), hidden)) continue;
    for (const viewer of ['friend', 'stranger'] as const) {
      const event = hiddenUpdateOf(userId, to, family, viewer);
      transaction.announce({ to: topics.hiddenActivities(userId, viewer), families: [family], event });
    }
  }
}

/** What somebody who was invited learns of the activities that a user hides. */
export function hiddenUpdateOf(userId: UserId, user: Seen, family: ApplicationId, viewer: 'friend' | 'stranger') {
  return lazyEvent('PRESENCE_UPDATE', () => hiddenPresenceOf(userId, user, family, viewer));
}

/** The games of which a user shows something. */
function gamesOf({ activities }: Seen): ReadonlySet<ApplicationId> {
  return new Set(activities.map(({ family_id }) => family_id).filter(family => family !== null));
}

/** These, and the games in which the user is seen. */
function placesOf(user: Seen): ReadonlySet<ApplicationId> {
  return user.status === 'offline' ? gamesOf(user) : union(gamesOf(user), user.families);
}

/** Whether the user is seen in the viewer's game, and so has authorized it; undefined: that is not known here. */
function playsIn({ status, families }: Seen, viewer: ViewerFamily): true | undefined {
  return (viewer !== null && status !== 'offline' && families.has(viewer)) || undefined;
}

function updateOf(userId: UserId, shown: Shown, hasPlayed: true | undefined) {
  return lazyEvent('PRESENCE_UPDATE', (): Dispatches['PRESENCE_UPDATE'] => presenceOf(userId, shown, hasPlayed));
}

function union<Item>(a: ReadonlySet<Item>, b: ReadonlySet<Item>): ReadonlySet<Item> {
  return new Set([...a, ...b]);
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
