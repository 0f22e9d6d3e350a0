import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ClientNewsEvent, LobbyNews } from '../../../src/sdk/lobby/lobby-news.ts';
import { People, strangersMax } from '../../../src/sdk/social/people.ts';
import type { FriendsSnapshot, SocialUserSnapshot } from '../../../src/sdk/social/snapshot.ts';
import { isDeeplyFrozen } from '../../support/runs/frozen.ts';

const userOf = (id: string, name = `user${id}`) => ({
  id,
  username: name,
  global_name: null,
  avatar: null,
  public_flags: 0,
});
const friendOf = (id: string, more: object = {}) => ({ id, type: 1, user: userOf(id), ...more });
const activityOf = (more: object = {}) => ({
  name: 'Starfall',
  type: 0,
  application_id: '1',
  session_id: 's',
  ...more,
});
const session = { application: { id: '1' }, user: userOf('9'), scopes: ['sdk.social_layer'] };
const namesOf = (list: readonly SocialUserSnapshot[]) => list.map(({ username }) => username).join();
const groupsOf = ({ onlinePlayingGame, onlineElsewhere, offline }: FriendsSnapshot) =>
  [onlinePlayingGame, onlineElsewhere, offline].map(namesOf);

function open(ready: object = {}): { people: People; events: string[] } {
  const news = new LobbyNews();
  const events: string[] = [];
  news.events$.subscribe((event: ClientNewsEvent) =>
    events.push('userId' in event ? `${event.type} ${event.userId}` : event.type),
  );
  const people = new People('http://127.0.0.1', news);
  people.began({ ...session, ...ready });
  return { people, events };
}

describe('READY', () => {
  const relationships = [
    friendOf('2'),
    { id: '3', type: 3, user: userOf('3'), note: 'Hello' },
    { id: '4', type: 2, user: userOf('4') },
  ];
  const online = { status: 'idle', activities: [activityOf()], client_status: { desktop: 'idle' } };

  it('is read with users inside the lists', () => {
    const { people } = open({ relationships, presences: [{ user: { id: '2' }, ...online }] });
    expect(groupsOf(people.friends)).toEqual(['user2', '', '']);
    expect(people.friends.onlinePlayingGame[0]).toMatchObject({ status: 'idle', activity: { sessionId: 's' } });
    expect(people.requests.incoming).toMatchObject([{ id: '3', relationship: { type: 'incoming', note: 'Hello' } }]);
    expect(namesOf(people.blocked)).toBe('user4');
    expect(isDeeplyFrozen(people.friends)).toBe(true);
  });

  it('is read with users apart, whose presences follow', () => {
    const { people } = open({
      relationships: relationships.map(({ user, id, ...rest }) => ({ user_id: id, ...rest })),
      users: relationships.map(({ user }) => user),
    });
    expect(groupsOf(people.friends)).toEqual(['', '', 'user2']);
    people.apply('READY_SUPPLEMENTAL', { merged_presences: { friends: [{ user_id: '2', ...online }], guilds: [] } });
    expect(groupsOf(people.friends)).toEqual(['user2', '', '']);
  });

  it('shows a request among the requests also when its sender is a friend of the other kind', () => {
    const game = (id: string, type: number) => ({ id, type, application_id: '1', user: userOf(id) });
    const { people } = open({
      relationships: [friendOf('2'), { id: '3', type: 3, user: userOf('3') }, { id: '4', type: 4, user: userOf('4') }],
      game_relationships: [game('2', 3), game('3', 1), game('4', 3), game('5', 4)],
    });
    expect(groupsOf(people.friends)).toEqual(['', '', 'user2,user3']);
    expect(namesOf(people.requests.incoming)).toBe('user2,user3,user4');
    expect(namesOf(people.requests.outgoing)).toBe('user4,user5');
    people.apply('RELATIONSHIP_REMOVE', { id: '3', type: 3 });
    people.apply('GAME_RELATIONSHIP_ADD', game('2', 1));
    people.apply('GAME_RELATIONSHIP_REMOVE', { id: '4', type: 3 });
    expect(groupsOf(people.friends)).toEqual(['', '', 'user2,user3']);
    expect(namesOf(people.requests.incoming)).toBe('');
    expect(namesOf(people.requests.outgoing)).toBe('user4,user5');
    people.clear();
    expect([groupsOf(people.friends).join(''), namesOf(people.requests.outgoing)]).toEqual(['', '']);
  });

  it('of another session causes events only for what is otherwise than before', () => {
    const { people, events } = open({ relationships: [friendOf('2'), friendOf('3')], presences: [] });
    people.apply('PRESENCE_UPDATE', { user: { id: '2' }, status: 'online', activities: [] });
    events.length = 0;
    const before = people.user('3');
    people.began({ ...session, relationships: [friendOf('2'), friendOf('3')], users: [] });
    expect(events).toEqual([]);
    expect(people.user('3')).toBe(before);
    people.apply('READY_SUPPLEMENTAL', { merged_presences: { friends: [] } });
    expect(events).toEqual(['friendGroupChanged 2', 'userUpdated 2']);
  });

  it('of another session without presences leaves those that came since, and no older ones', () => {
    const { people, events } = open({ relationships: [friendOf('2'), friendOf('3')], presences: [] });
    const online = (id: string) => people.apply('PRESENCE_UPDATE', { user: { id }, status: 'online', activities: [] });
    online('2');
    online('3');
    people.began({ ...session, relationships: [friendOf('2'), friendOf('3')], users: [] });
    online('3');
    events.length = 0;
    people.settle();
    expect(groupsOf(people.friends)).toEqual(['', 'user3', 'user2']);
    expect(events).toEqual(['friendGroupChanged 2', 'userUpdated 2']);
    people.settle();
    expect(events).toHaveLength(2);
  });

  it('without the scope leaves the lists empty and says why', () => {
    const { people } = open({ scopes: ['identify', 'lobbies.write'] });
    expect(people.friends.unavailable).toEqual({ reason: 'missing_scope', missing: 'relationships.read' });
    expect(people.lacks('activities.write', 'presences.write')).toBe('activities.write');
    expect(open({ scopes: undefined }).people.lacks('relationships.read')).toBeUndefined();
    people.clear();
    expect(people.friends.unavailable).toEqual({ reason: 'not_connected' });
  });
});

describe('the groups', () => {
  it('sort by display name, those who have played the game first elsewhere, and know the games of a publisher', () => {
    const { people } = open({
      application: { id: '1', parent_id: '7' },
      relationships: [friendOf('2', { user: userOf('2', 'zoe') }), friendOf('3', { user: userOf('3', 'Ann') })],
      game_relationships: [{ id: '4', user_id: '9', application_id: '1', type: 1, user: userOf('4', 'mia') }],
      presences: [],
    });
    for (const id of ['2', '3', '4'])
      people.apply('PRESENCE_UPDATE', { user: { id }, status: 'online', activities: [] });
    expect(groupsOf(people.friends)).toEqual(['', 'mia,Ann,zoe', '']);
    const sibling = activityOf({ application_id: '8', parent_application_id: '7' });
    people.apply('PRESENCE_UPDATE', {
      user: { id: '2' },
      status: 'dnd',
      activities: [{ name: 'Hi', type: 4 }, sibling],
    });
    people.apply('PRESENCE_UPDATE', {
      user: { id: '3' },
      status: 'dnd',
      activities: [activityOf({ application_id: '6' })],
    });
    expect(groupsOf(people.friends)).toEqual(['zoe', 'mia,Ann', '']);
    expect(people.user('2')?.activities.map(({ type }) => type)).toEqual([4, 0]);
  });

  it('count what a user hides from others and shows to those whom they have invited', () => {
    const { people } = open({ relationships: [friendOf('2')], presences: [] });
    const hidden_activities = [activityOf()];
    people.apply('PRESENCE_UPDATE', { user: { id: '2' }, status: 'online', activities: [], hidden_activities });
    expect(groupsOf(people.friends)).toEqual(['user2', '', '']);
    people.apply('PRESENCE_UPDATE', { user: { id: '2' }, status: 'offline', activities: [], hidden_activities });
    expect(groupsOf(people.friends)).toEqual(['', '', 'user2']);
  });

  it('have a user of both kinds once, until neither is left', () => {
    const { people, events } = open({ relationships: [friendOf('2')], game_relationships: [] });
    people.apply('GAME_RELATIONSHIP_ADD', { id: '2', user_id: '9', application_id: '1', type: 1 });
    expect(groupsOf(people.friends)).toEqual(['', '', 'user2']);
    people.apply('RELATIONSHIP_REMOVE', { id: '2', type: 1 });
    expect(groupsOf(people.friends)).toEqual(['', '', 'user2']);
    people.apply('GAME_RELATIONSHIP_REMOVE', { id: '2', user_id: '9', application_id: '1', type: 1 });
    expect(groupsOf(people.friends)).toEqual(['', '', '']);
    expect(events.filter(event => event.startsWith('relationship'))).toEqual([
      'relationshipCreated 2',
      'relationshipDeleted 2',
      'relationshipDeleted 2',
    ]);
  });

  it('share what did not change', () => {
    const { people } = open({ relationships: ['2', '3', '4'].map(id => friendOf(id)), presences: [] });
    const before = people.friends;
    const shown: FriendsSnapshot[] = [];
    people.friends$.subscribe(friends => shown.push(friends));
    people.apply('PRESENCE_UPDATE', { user: { id: '3' }, status: 'offline', activities: [] });
    people.apply('RELATIONSHIP_UPDATE', { id: '4', type: 1, nickname: 'Four' });
    people.apply('LOBBY_CREATE', {});
    expect(shown).toEqual([before]);
    people.apply('PRESENCE_UPDATE', { user: { id: '3' }, status: 'idle', activities: [] });
    expect(shown).toHaveLength(2);
    expect(people.friends.onlinePlayingGame).toBe(before.onlinePlayingGame);
    expect(people.friends.offline[0]).toBe(before.offline[0]);
  });

  it('are what a plain model says, whatever happens', () => {
    const id = fc.integer({ min: 2, max: 12 }).map(String);
    const status = fc.constantFrom('online', 'idle', 'dnd', 'offline');
    const change = fc.oneof(
      fc.record({ do: fc.constant('relate' as const), id, type: fc.constantFrom(0, 1, 2, 3, 4), game: fc.boolean() }),
      fc.record({ do: fc.constant('show' as const), id, status, plays: fc.boolean() }),
      fc.record({ do: fc.constant('rename' as const), id, name: fc.constantFrom('a', 'B', 'c', 'D') }),
      fc.record({ do: fc.constant('look' as const) }),
    );
    fc.assert(
      fc.property(fc.array(change, { maxLength: 60 }), changes => {
        const { people } = open({ presences: [] });
        const model = new Map<string, { type: number; game: number; status: string; plays: boolean; name: string }>();
        const entry = (key: string) => {
          const known = model.get(key) ?? { type: 0, game: 0, status: 'offline', plays: false, name: key };
          model.set(key, known);
          return known;
        };
        for (const step of changes) {
          if (step.do === 'look') expectModel(people, model);
          else if (step.do === 'relate') {
            const type = step.game && step.type === 2 ? 0 : step.type;
            entry(step.id)[step.game ? 'game' : 'type'] = type;
            const name = `${step.game ? 'GAME_' : ''}RELATIONSHIP_${type === 0 ? 'REMOVE' : 'ADD'}`;
            people.apply(name, { id: step.id, type });
          } else if (step.do === 'show') {
            Object.assign(entry(step.id), { status: step.status, plays: step.plays });
            const activities = step.plays ? [activityOf()] : [];
            people.apply('PRESENCE_UPDATE', { user: { id: step.id }, status: step.status, activities });
          } else {
            entry(step.id).name = step.name;
            people.meet({ id: step.id, username: step.name });
          }
        }
        expectModel(people, model);
      }),
    );
  });

  function expectModel(
    people: People,
    model: ReadonlyMap<string, { type: number; game: number; status: string; plays: boolean; name: string }>,
  ): void {
    const groups: Record<string, string[]> = { onlinePlayingGame: [], onlineElsewhere: [], offline: [] };
    const lists: Record<string, string[]> = { incoming: [], outgoing: [], blocked: [] };
    for (const [id, { type, game, status, plays }] of model) {
      if (type === 1 || game === 1) {
        groups[status === 'offline' ? 'offline' : plays ? 'onlinePlayingGame' : 'onlineElsewhere']?.push(id);
      } else if (type === 2) lists.blocked?.push(id);
      if (type !== 2 && (type === 3 || game === 3)) lists.incoming?.push(id);
      if (type !== 2 && (type === 4 || game === 4)) lists.outgoing?.push(id);
    }
    const ids = (list: readonly { readonly id: string }[]) => list.map(one => one.id).sort();
    const { friends, requests, blocked } = people;
    const shown = [
      friends.onlinePlayingGame,
      friends.onlineElsewhere,
      friends.offline,
      requests.incoming,
      requests.outgoing,
      blocked,
    ];
    expect(shown.map(ids)).toEqual([...Object.values(groups), ...Object.values(lists)].map(list => list.sort()));
    for (const list of [friends.onlinePlayingGame, friends.offline]) {
      const names = list.map(({ displayName }) => displayName);
      expect(names).toEqual([...names].sort(new Intl.Collator().compare));
    }
  }
});

describe('a user', () => {
  it('has a picture, a display name and the mark of a provisional account', () => {
    const { people } = open({ relationships: [], presences: [] });
    people.meet({ id: '4194304', username: 'kim', global_name: 'Kim', avatar: 'a_1f', public_flags: 1 << 23 });
    people.meet({ id: '8388608', username: 'lou' });
    expect(people.user('4194304')).toMatchObject({
      displayName: 'Kim',
      isProvisional: true,
      avatarUrl: 'http://127.0.0.1/avatars/4194304/a_1f.gif',
      status: 'offline',
    });
    expect(people.user('8388608')).toMatchObject({
      displayName: 'lou',
      avatarUrl: 'http://127.0.0.1/embed/avatars/2.png',
    });
    expect(people.user('5')).toBeUndefined();
  });

  it("has the profiles of the game's accounts, one for each application, until a session without them begins", () => {
    const steam = {
      provider_type: 'STEAM',
      provider_issued_user_id: '76',
      provider_id: null,
      preferred_global_name: null,
    };
    const profile = (application_id: string, username: string | null) => ({
      ...{ user_id: '2', application_id, username, metadata: '{"rank":"gold"}', avatar_hash: null, external_id: steam },
    });
    const { people, events } = open({
      ...{ relationships: [friendOf('2')], presences: [] },
      user_application_profiles: { 2: [profile('1', 'harbour-cat')] },
    });
    expect(people.user('2')?.profiles).toEqual([
      {
        applicationId: '1',
        username: 'harbour-cat',
        metadata: { rank: 'gold' },
        externalId: { providerType: 'STEAM', providerIssuedUserId: '76' },
      },
    ]);
    expect(isDeeplyFrozen(people.user('2'))).toBe(true);
    people.apply('USER_APPLICATION_IDENTITY_UPDATE', profile('1', 'sea-cat'));
    people.apply('USER_APPLICATION_IDENTITY_UPDATE', profile('7', null));
    expect(people.user('2')?.profiles.map(({ username }) => username)).toEqual(['sea-cat', undefined]);
    people.apply('USER_APPLICATION_IDENTITY_REMOVE', { user_id: '2', application_id: '1' });
    expect(people.user('2')?.profiles.map(({ applicationId }) => applicationId)).toEqual(['7']);
    expect(events).toEqual(['userUpdated 2', 'userUpdated 2', 'userUpdated 2']);
    people.began({ ...session, relationships: [friendOf('2')], user_application_profiles: { x: 5 } });
    expect(people.user('2')?.profiles).toEqual([]);
  });

  it('notifies those who watch it, and completes when the client is closed', () => {
    const { people } = open({ relationships: [friendOf('2'), friendOf('3')], presences: [] });
    const seen: (string | undefined)[] = [];
    let isComplete = false;
    people.user$('2').subscribe({ next: user => seen.push(user?.status), complete: () => (isComplete = true) });
    people.apply('PRESENCE_UPDATE', { user: { id: '3' }, status: 'online', activities: [] });
    people.apply('PRESENCE_UPDATE', { user: { id: '2' }, status: 'online', activities: [] });
    people.apply('PRESENCE_UPDATE', { user: { id: '2' }, guild_id: '5', status: 'dnd', activities: [] });
    people.apply('PRESENCE_UPDATE', { user: { id: 'x' }, status: 'dnd' });
    people.apply('PRESENCE_UPDATE', null);
    people.clear();
    people.close();
    expect([seen, isComplete]).toEqual([['offline', 'online', undefined], true]);
  });

  it('are forgotten, those met first, when too many are known who have nothing to do with the player', () => {
    const { people } = open({ relationships: [friendOf('2'), friendOf('3')], game_relationships: [friendOf('4')] });
    people.user$('5').subscribe();
    people.isNeeded = id => id === '6';
    for (const id of ['5', '6', '7']) people.meet(userOf(id));
    people.apply('RELATIONSHIP_REMOVE', { id: '3', type: 1 });
    const strangers = Array.from({ length: 3 * strangersMax }, (_, n) => String(1000 + n));
    let knownMax = 0;
    for (const [n, id] of strangers.entries()) {
      people.meet(userOf(id));
      if (n % strangersMax === 0) knownMax = Math.max(knownMax, strangers.filter(id => people.user(id)).length);
    }
    const known = strangers.filter(id => people.user(id));
    expect(knownMax).toBeLessThanOrEqual(strangersMax);
    expect(known.length).toBeLessThanOrEqual(strangersMax);
    expect(known).toEqual(strangers.slice(-known.length));
    expect(known.length).toBeGreaterThanOrEqual(strangersMax / 2);
    expect(['2', '3', '4', '5', '6', '7', '9'].filter(id => people.user(id))).toEqual(['2', '4', '5', '6', '9']);
    expect(namesOf(people.friends.offline)).toBe('user2,user4');
  });
});
