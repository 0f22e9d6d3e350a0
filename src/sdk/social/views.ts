import { requireType } from '../../wire/arguments.ts';
import type { Observable } from '../live/rxjs.ts';
import { selectFrom } from '../live/select.ts';
import type { FriendsSnapshot, PresenceSnapshot, SocialUserSnapshot } from './snapshot.ts';

/* What is read from the snapshots, in a game's process as well as in its windows. */

const absent: PresenceSnapshot = Object.freeze({
  status: 'offline',
  activity: undefined,
  activities: Object.freeze([]),
});

/** What a user's snapshot says of their presence. */
export function presenceOf(user: SocialUserSnapshot | undefined): PresenceSnapshot {
  if (!user) return absent;
  const { status, activity, activities } = user;
  return Object.freeze({ status, activity, activities });
}

/** The presence of a user, whenever it changes. */
export function presenceIn(user$: Observable<SocialUserSnapshot | undefined>): Observable<PresenceSnapshot> {
  return selectFrom(
    user$,
    presenceOf,
    (a, b) => a.status === b.status && a.activity === b.activity && hasSame(a.activities, b.activities),
  );
}

/** Users without activities have various empty lists. */
function hasSame(a: PresenceSnapshot['activities'], b: PresenceSnapshot['activities']): boolean {
  return a === b || (a.length === 0 && b.length === 0);
}

/** The address of a picture in other types of file. A picture that stands for a missing one has only one type. */
export function pictureAs(address: string, animated: string, still: string): string {
  return address.replace(
    /(\/avatars\/\d+\/(a_)?[^/]*)\.\w+$/,
    (_, path: string, moves?: string) => `${path}.${moves ? animated : still}`,
  );
}

/** 0 when the name contains what is wanted, else how many letters differ (Levenshtein), 1 at least. */
function distanceOf(name: string, wanted: string): number {
  if (name.includes(wanted)) return 0;
  const letters = [...wanted];
  let row = Array.from({ length: letters.length + 1 }, (_, place) => place);
  for (const letter of name) {
    const next = [(row[0] ?? 0) + 1];
    for (let place = 1; place <= letters.length; place++) {
      const change = (row[place - 1] ?? 0) + (letter === letters[place - 1] ? 0 : 1);
      next.push(Math.min(change, (row[place] ?? 0) + 1, (next[place - 1] ?? 0) + 1));
    }
    row = next;
  }
  return Math.max(1, row[letters.length] ?? 0);
}

/** @see {@link Friends.search} */
export function searchFriends(friends: FriendsSnapshot, text: string): readonly SocialUserSnapshot[] {
  requireType('text', text, 'string');
  const wanted = text.trim().toLowerCase();
  if (wanted === '') return [];
  const { onlinePlayingGame, onlineElsewhere, offline } = friends;
  const found = [...onlinePlayingGame, ...onlineElsewhere, ...offline].map(user => {
    const names = [user.displayName, user.username].map(name => name.toLowerCase());
    return { user, distance: Math.min(...names.map(name => distanceOf(name, wanted))) };
  });
  const most = Math.max(1, Math.floor(wanted.length / 3));
  const near = found.filter(({ distance }) => distance <= most);
  return near.sort((a, b) => a.distance - b.distance).map(({ user }) => user);
}
