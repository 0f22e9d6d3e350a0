import { compareSnowflakes, isSnowflake, type UserId } from '../../model/snowflake.ts';
import { asRecord } from '../../wire/http/codec.ts';
import { Feed } from '../live/feed.ts';
import { Observable } from '../live/rxjs.ts';
import type { Fields } from '../lobby/fields.ts';
import { LiveList } from '../lobby/live-list.ts';
import type { LobbyNews } from '../lobby/lobby-news.ts';
import { readText } from '../lobby/lobby-reader.ts';
import { share } from '../lobby/share.ts';
import {
  frozen,
  type GameIdentity,
  noRelationship,
  type PersonFields,
  readPerson,
  recordsIn,
  userIdIn,
} from './reader.ts';
import { lacking } from './scopes.ts';
import type {
  FriendRequestsSnapshot,
  FriendsSnapshot,
  RelationshipSnapshot,
  SocialUnavailable,
  SocialUserSnapshot,
} from './snapshot.ts';

/** What is known of one user. */
class Person implements PersonFields {
  readonly id: UserId;
  user: Fields | undefined;
  relationship: Fields | undefined;
  gameRelationship: Fields | undefined;
  presence: Fields | undefined;
  profiles: Fields | undefined;
  /** As it was when it was last read. */
  shown: SocialUserSnapshot | undefined;
  isStale = true;
  /** The list has yet to follow the last changes. */
  isWaiting = false;
  lists = noLists;

  constructor(id: UserId) {
    this.id = id;
  }
}

type PersonList = LiveList<SocialUserSnapshot>;
type Part = 'user' | 'relationship' | 'gameRelationship' | 'presence' | 'profiles';

/** The lists by what a person is to the player. */
const listNames = ['onlinePlayingGame', 'onlineElsewhere', 'offline', 'incoming', 'outgoing', 'blocked'] as const;
type ListName = (typeof listNames)[number];

const noLists: readonly PersonList[] = Object.freeze([]);

/**
 * The most users that are kept without need, such as authors of messages in lobbies: half of them, those met first, are forgotten when
 * there are more. Whoever has a relationship or a conversation with the player, or is observed, is kept.
 */
export const strangersMax = 10_000;

/** A game that has no session. */
const noGame: GameIdentity = { applicationId: undefined, familyId: undefined };

/**
 * The users that the player has to do with: what they are to each other, and what they do. An event costs the same however many
 * there are: snapshots and lists are made when they are read.
 */
export class People {
  readonly friends$: Observable<FriendsSnapshot>;
  readonly requests$: Observable<FriendRequestsSnapshot>;
  readonly blocked$: Observable<readonly SocialUserSnapshot[]>;
  /** Called with everybody who may be called otherwise than before. */
  onMet: ((id: UserId) => void) | undefined;
  /** Whether somebody without a relationship must be kept. */
  isNeeded: (id: UserId) => boolean = () => false;
  readonly #news: LobbyNews;
  readonly #web: string;
  readonly #people = new Map<UserId, Person>();
  readonly #lists: Readonly<Record<ListName, PersonList>>;
  readonly #waiting: Person[] = [];
  readonly #friends = new Feed(() => this.friends);
  readonly #requests = new Feed(() => this.requests);
  readonly #blocked = new Feed(() => this.blocked);
  readonly #watched = new Map<UserId, Feed<SocialUserSnapshot | undefined>>();
  readonly #changed = new Set<UserId>();
  #shownFriends: FriendsSnapshot | undefined;
  #shownRequests: FriendRequestsSnapshot | undefined;
  #game = noGame;
  #scopes: readonly string[] | undefined;
  #unavailable: SocialUnavailable | undefined = notConnected;
  #ownId: UserId | undefined;
  /** Whose presence is that of the session before, until this one has told. */
  readonly #outdated = new Set<UserId>();
  /** With this many people, strangers among them are forgotten. */
  #peopleMax = strangersMax;
  /** A session is being read: what it changes is compared when all of it is. */
  #isBeginning = false;
  #isClosed = false;

  /** @param web where pictures are @param news receives what the changes amount to */
  constructor(web: string, news: LobbyNews) {
    this.#web = web;
    this.#news = news;
    this.#lists = Object.fromEntries(
      listNames.map(name => [
        name,
        new LiveList<SocialUserSnapshot>([], name === 'onlineElsewhere' ? playersFirst : byName),
      ]),
    ) as Record<ListName, PersonList>;
    this.friends$ = this.#friends.value$();
    this.requests$ = this.#requests.value$();
    this.blocked$ = this.#blocked.value$();
  }

  get ownId(): UserId | undefined {
    return this.#ownId;
  }

  get applicationId(): string | undefined {
    const { applicationId } = this.#game;
    return typeof applicationId === 'string' ? applicationId : undefined;
  }

  get friends(): FriendsSnapshot {
    const { onlinePlayingGame, onlineElsewhere, offline } = this.#current();
    const shown = this.#shownFriends;
    const next = {
      onlinePlayingGame: onlinePlayingGame.shown,
      onlineElsewhere: onlineElsewhere.shown,
      offline: offline.shown,
      unavailable: this.#unavailable,
    };
    if (!shown || !isSame(shown, next)) this.#shownFriends = Object.freeze(next);
    return this.#shownFriends ?? next;
  }

  get requests(): FriendRequestsSnapshot {
    const { incoming, outgoing } = this.#current();
    const next = { incoming: incoming.shown, outgoing: outgoing.shown };
    if (!this.#shownRequests || !isSame(this.#shownRequests, next)) this.#shownRequests = Object.freeze(next);
    return this.#shownRequests ?? next;
  }

  get blocked(): readonly SocialUserSnapshot[] {
    return this.#current().blocked.shown;
  }

  user(id: UserId): SocialUserSnapshot | undefined {
    const person = this.#people.get(id);
    return person && this.#shown(person);
  }

  user$(id: UserId): Observable<SocialUserSnapshot | undefined> {
    return new Observable(subscriber => {
      if (this.#isClosed) return subscriber.complete();
      const feed = this.#watched.get(id) ?? new Feed(() => this.user(id));
      this.#watched.set(id, feed);
      const onEnd = () => {
        if (!feed.isObserved && this.#watched.get(id) === feed) this.#watched.delete(id);
      };
      return feed.value$(onEnd).subscribe(subscriber);
    });
  }

  /** The scope that is missing of what the player has granted; undefined while nothing is known of that, too. */
  lacks(...oneOf: readonly string[]): string | undefined {
    return lacking(this.#scopes, oneOf);
  }

  /** Learns who a user is. */
  meet(value: unknown): void {
    const user = asRecord(value);
    const id = user && userIdIn(user);
    if (id === undefined) return;
    this.#put(id, 'user', user);
    this.onMet?.(id);
  }

  /** Applies a dispatch. @returns whether it is about users */
  apply(name: string, data: unknown): boolean {
    const fields = asRecord(data) ?? {};
    switch (name) {
      case 'PRESENCE_UPDATE':
        this.#presenceChanged(fields);
        break;
      case 'RELATIONSHIP_ADD':
        this.#related(fields, 'relationship', fields);
        break;
      case 'RELATIONSHIP_UPDATE': {
        const id = userIdIn(fields);
        const known = id === undefined ? undefined : this.#people.get(id)?.relationship;
        this.#related(fields, 'relationship', { ...known, ...fields });
        break;
      }
      case 'RELATIONSHIP_REMOVE':
        this.#related(fields, 'relationship', undefined);
        break;
      case 'GAME_RELATIONSHIP_ADD':
        this.#related(fields, 'gameRelationship', fields);
        break;
      case 'GAME_RELATIONSHIP_REMOVE':
        this.#related(fields, 'gameRelationship', undefined);
        break;
      case 'USER_UPDATE':
        this.meet(fields);
        break;
      case 'USER_APPLICATION_IDENTITY_UPDATE':
        this.#profileChanged(fields, fields);
        break;
      case 'USER_APPLICATION_IDENTITY_REMOVE':
        this.#profileChanged(fields, undefined);
        break;
      case 'READY_SUPPLEMENTAL':
        this.#presencesAre(recordsIn(asRecord(fields.merged_presences)?.friends));
        break;
      default:
        return false;
    }
    this.#notify();
    return true;
  }

  /** A session began. */
  began(ready: Fields): void {
    const { application, user, users, relationships, game_relationships, presences, scopes } = ready;
    const profiles = asRecord(ready.user_application_profiles) ?? {};
    const { id, parent_id } = asRecord(application) ?? {};
    const wasKnown = this.#unavailable?.reason !== 'not_connected';
    this.#game = { applicationId: id, familyId: parent_id ?? id };
    this.#scopes = Array.isArray(scopes) ? scopes.filter(scope => typeof scope === 'string') : undefined;
    const missing = this.lacks('relationships.read');
    this.#unavailable = missing === undefined ? undefined : Object.freeze({ reason: 'missing_scope', missing });
    this.#ownId = userIdIn(asRecord(user) ?? {});
    const before = wasKnown && this.#news.isObserved ? this.#allShown() : undefined;
    this.#isBeginning = true;
    for (const person of this.#people.values()) {
      if (person.presence && person.id !== this.#ownId) this.#outdated.add(person.id);
      person.relationship = undefined;
      person.gameRelationship = undefined;
      person.profiles = undefined;
      this.#stale(person);
    }
    for (const list of Object.values(profiles)) for (const one of recordsIn(list)) this.#profileChanged(one, one);
    for (const one of [...recordsIn(users), asRecord(user)]) this.meet(one);
    for (const [list, part] of [
      [relationships, 'relationship'],
      [game_relationships, 'gameRelationship'],
    ] as const) {
      for (const fields of recordsIn(list)) {
        this.meet(fields.user);
        const userId = userIdIn(fields);
        if (userId !== undefined) this.#set(this.#person(userId), part, fields);
      }
    }
    // Where users are listed apart, presences follow by themselves, and those from before stand until then.
    if (presences !== undefined || users === undefined) this.#presencesAre(recordsIn(presences));
    this.#isBeginning = false;
    if (before) {
      for (const person of this.#people.values()) {
        const user = this.#shown(person);
        this.#reportRelationship(before.get(person.id)?.relationship, user, false);
        this.#reportRelationship(before.get(person.id)?.relationship, user, true);
        this.#report(before.get(person.id), user);
      }
    }
    this.#notify();
  }

  /** The session is ready. A service that has told no presences by then tells none. */
  settle(): void {
    for (const id of [...this.#outdated]) this.#put(id, 'presence', undefined);
    this.#notify();
  }

  /** What the player's own status is to be shown as. */
  setOwnPresence(presence: Fields): void {
    if (this.#ownId === undefined) return;
    this.#put(this.#ownId, 'presence', presence);
    this.#notify();
  }

  /** Forgets everybody; that is no event. */
  clear(): void {
    for (const { id, lists } of this.#people.values()) {
      for (const list of lists) list.remove(id);
      this.#changed.add(id);
    }
    this.#people.clear();
    this.#outdated.clear();
    this.#waiting.length = 0;
    this.#unavailable = notConnected;
    this.#scopes = undefined;
    this.#notify();
  }

  close(): void {
    this.#isClosed = true;
    for (const feed of [this.#friends, this.#requests, this.#blocked, ...this.#watched.values()]) feed.complete();
  }

  #presenceChanged(fields: Fields): void {
    const user = asRecord(fields.user);
    const id = user?.id;
    // Ids that are known need no check. With a guild it is that of a member there, not of a friend.
    const isId = this.#people.has(id as UserId) || isSnowflake<'user'>(id);
    if (!isId || typeof fields.guild_id === 'string') return;
    if (user?.username !== undefined) this.meet(user);
    this.#put(id as UserId, 'presence', fields);
  }

  #profileChanged(fields: Fields, profile: Fields | undefined): void {
    const id = userIdIn(fields);
    const application = readText(fields.application_id);
    if (id === undefined || application === undefined) return;
    this.#put(id, 'profiles', { ...this.#people.get(id)?.profiles, [application]: profile });
  }

  #related(fields: Fields, part: 'relationship' | 'gameRelationship', next: Fields | undefined): void {
    const id = userIdIn(fields);
    if (id === undefined) return;
    this.meet(fields.user);
    const person = this.#person(id);
    const before = this.#news.isObserved ? this.#shown(person).relationship : undefined;
    this.#put(id, part, next);
    if (before) this.#reportRelationship(before, this.#shown(person), part === 'gameRelationship');
  }

  #reportRelationship(before: RelationshipSnapshot = noRelationship, user: SocialUserSnapshot, isGame: boolean): void {
    const kind = isGame ? 'gameType' : 'type';
    const present = user.relationship[kind];
    if (present === before[kind]) return;
    const type = present === 'none' ? 'relationshipDeleted' : 'relationshipCreated';
    this.#news.add({ type, userId: user.id, user, isGame });
  }

  /** These are all presences; users who are not among them are offline. */
  #presencesAre(presences: readonly Fields[]): void {
    const known = new Map(presences.map(presence => [userIdIn(presence), presence]));
    for (const id of known.keys()) if (id !== undefined) this.#person(id);
    for (const { id } of this.#people.values()) {
      if (id !== this.#ownId) this.#put(id, 'presence', known.get(id));
    }
  }

  #put(id: UserId, part: Part, fields: Fields | undefined): void {
    const known = this.#people.get(id);
    const person = known ?? this.#person(id);
    const before = known && !this.#isBeginning && this.#news.isObserved ? this.#shown(known) : undefined;
    this.#set(person, part, part === 'user' && person.user ? { ...person.user, ...fields } : fields);
    if (before) this.#report(before, this.#shown(person));
  }

  #set(person: Person, part: Part, fields: Fields | undefined): void {
    person[part] = fields;
    if (this.#outdated.size > 0 && part === 'presence') this.#outdated.delete(person.id);
    this.#stale(person);
  }

  #stale(person: Person): void {
    person.isStale = true;
    if (this.#watched.size > 0) this.#changed.add(person.id);
    if (person.isWaiting) return;
    person.isWaiting = true;
    this.#waiting.push(person);
  }

  #person(id: UserId): Person {
    let person = this.#people.get(id);
    if (!person) {
      // While a session is being read, its relationships are not known yet.
      if (this.#people.size >= this.#peopleMax && !this.#isBeginning) this.#forgetStrangers();
      person = new Person(id);
      this.#people.set(id, person);
    }
    return person;
  }

  #forgetStrangers(): void {
    const strangers = [...this.#people.values()].filter(person => this.#isStranger(person));
    for (const { id, lists } of strangers.slice(0, Math.max(0, strangers.length - strangersMax / 2))) {
      for (const list of lists) list.remove(id);
      this.#people.delete(id);
      this.#outdated.delete(id);
    }
    const waiting = this.#waiting.splice(0).filter(person => this.#people.get(person.id) === person);
    for (const person of waiting) this.#waiting.push(person);
    this.#peopleMax = this.#people.size + strangersMax / 2;
  }

  #isStranger({ id, relationship, gameRelationship }: Person): boolean {
    if (relationship || gameRelationship || id === this.#ownId) return false;
    return !this.#watched.has(id) && !this.isNeeded(id);
  }

  #shown(person: Person): SocialUserSnapshot {
    if (person.isStale || !person.shown) {
      person.shown = share(person.shown, frozen(readPerson(person, this.#game, this.#web)));
      person.isStale = false;
    }
    return person.shown;
  }

  #allShown(): ReadonlyMap<UserId, SocialUserSnapshot> {
    return new Map([...this.#people.values()].map(person => [person.id, this.#shown(person)]));
  }

  /** The lists, after all changes. */
  #current(): Readonly<Record<ListName, PersonList>> {
    for (const person of this.#waiting) {
      person.isWaiting = false;
      if (this.#people.get(person.id) !== person) continue;
      const shown = this.#shown(person);
      const lists = listsOf(shown).map(name => this.#lists[name]);
      for (const list of person.lists) if (!lists.includes(list)) list.remove(person.id);
      for (const list of lists) if (list.find(person.id) !== shown) list.put(shown);
      person.lists = lists;
    }
    this.#waiting.length = 0;
    return this.#lists;
  }

  #report(previous: SocialUserSnapshot | undefined, user: SocialUserSnapshot): void {
    if (previous === user || !previous) return;
    const userId = user.id;
    if (previous.group !== user.group) this.#news.add({ type: 'friendGroupChanged', userId, user });
    const { relationship, group, ...rest } = user;
    const isElse = Object.entries(rest).some(([name, value]) => previous[name as keyof typeof previous] !== value);
    if (isElse) this.#news.add({ type: 'userUpdated', userId, user, previous });
  }

  #notify(): void {
    if (this.#changed.size > 0) {
      for (const id of this.#changed) this.#watched.get(id)?.notify();
      this.#changed.clear();
    }
    this.#friends.notify();
    this.#requests.notify();
    this.#blocked.notify();
    this.#news.flush();
  }
}

const notConnected: SocialUnavailable = Object.freeze({ reason: 'not_connected' });

/** A friend of one kind may have a request of the other kind, too. */
function listsOf({ group, relationship: { type, gameType } }: SocialUserSnapshot): readonly ListName[] {
  const pending = pendingNames.filter(name => type === name || gameType === name);
  if (group) return [group, ...pending];
  return type === 'blocked' ? [type] : pending;
}

const pendingNames = ['incoming', 'outgoing'] as const;

let collator: Intl.Collator | undefined;

function byName(a: SocialUserSnapshot, b: SocialUserSnapshot): number {
  collator ??= new Intl.Collator();
  return (
    (a.displayName === b.displayName ? 0 : collator.compare(a.displayName, b.displayName)) ||
    compareSnowflakes(a.id, b.id)
  );
}

function playersFirst(a: SocialUserSnapshot, b: SocialUserSnapshot): number {
  return Number(b.hasPlayedGame) - Number(a.hasPlayedGame) || byName(a, b);
}

function isSame<Value extends object>(a: Value, b: Value): boolean {
  return (Object.keys(b) as (keyof Value)[]).every(name => a[name] === b[name]);
}
