import { BehaviorSubject } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { FriendsSnapshot, SocialUserSnapshot } from '../../../src/sdk/social/snapshot.ts';
import { pictureAs, presenceIn, presenceOf, searchFriends } from '../../../src/sdk/social/views.ts';

const friendOf = (username: string, displayName = username) => ({ id: username, username, displayName });
const friends = {
  onlinePlayingGame: [friendOf('ada', 'Ada Lovelace')],
  onlineElsewhere: [friendOf('grace', 'Grace')],
  offline: [friendOf('gracie', 'The Admiral')],
} as unknown as FriendsSnapshot;
const found = (text: string) => searchFriends(friends, text).map(({ id }) => id);

describe('a search for friends', () => {
  it('finds parts of display names and usernames, then names that differ by a letter in three', () => {
    expect(found('LOVE')).toEqual(['ada']);
    expect(found('grac')).toEqual(['grace', 'gracie']);
    expect(found('graces')).toEqual(['grace', 'gracie']);
    expect(found('admiral ')).toEqual(['gracie']);
    expect(found('adu')).toEqual(['ada']);
    expect(found('🐈‍da')).toEqual([]);
    expect(found('a🐈a')).toEqual(['ada']);
    expect(found('xyz')).toEqual([]);
    expect(found(' ')).toEqual([]);
  });
});

it('the presence of an unknown user is offline', () => {
  expect(presenceOf(undefined)).toEqual({ status: 'offline', activity: undefined, activities: [] });
});

it('the presence of a user who becomes known without activities is not emitted again', () => {
  const user$ = new BehaviorSubject<SocialUserSnapshot | undefined>(undefined);
  const seen: string[] = [];
  presenceIn(user$).subscribe(({ status }) => seen.push(status));
  const user = { status: 'offline', activity: undefined } as const;
  user$.next({ ...user, activities: [] } as unknown as SocialUserSnapshot);
  user$.next({ ...user, status: 'idle', activities: [] } as unknown as SocialUserSnapshot);
  expect(seen).toEqual(['offline', 'idle']);
});

it('the address of a picture names other types of file, unless the picture stands for a missing one', () => {
  expect(pictureAs('http://127.0.0.1/avatars/9/a_1f.gif', 'webp', 'jpeg')).toBe('http://127.0.0.1/avatars/9/a_1f.webp');
  expect(pictureAs('http://127.0.0.1/avatars/9/1f.png', 'webp', 'jpeg')).toBe('http://127.0.0.1/avatars/9/1f.jpeg');
  const missing = 'http://127.0.0.1/embed/avatars/2.png';
  expect(pictureAs(missing, 'webp', 'jpeg')).toBe(missing);
});
