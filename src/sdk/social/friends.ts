import { ArgumentError } from '../../model/errors/errors.ts';
import { relationshipTypes } from '../../model/relationship.ts';
import { checkRelationshipRequest, checkRequestNote } from '../../model/rules/social/relationship.ts';
import { parseSnowflake, type UserId } from '../../model/snowflake.ts';
import { parseOptions } from '../../wire/arguments.ts';
import { rejectIssues } from '../../wire/http/check.ts';
import type { OperationOptions } from '../call-options.ts';
import type { Observable } from '../live/rxjs.ts';
import type { People } from './people.ts';
import { noRelationship } from './reader.ts';
import type {
  FriendRequestsSnapshot,
  FriendsSnapshot,
  RelationshipKind,
  RelationshipSnapshot,
  SocialUserSnapshot,
} from './snapshot.ts';
import type { SocialCalls } from './social-calls.ts';
import { searchFriends } from './views.ts';

export interface FriendOptions extends OperationOptions {
  /**
   * In this game alone, and in the other games of its publisher: a game friend. Default: a friend everywhere; `remove` then ends
   * both kinds.
   */
  readonly game?: boolean | undefined;
}

export interface FriendRequestOptions extends FriendOptions {
  /** Comes with the request; at most 120 characters. Not with a request in the game. */
  readonly note?: string | undefined;
}

/**
 * The player's friends, requests and blocked users, live, and what the player can do about them.
 *
 * All operations throw ApiError, RateLimitError, TransportError as those of lobbies do, and ArgumentError `missing_scope` when the
 * player has not granted `relationships.write`. State needs `relationships.read`; without it the lists are empty, and
 * {@link FriendsSnapshot.unavailable} says why.
 *
 * @see docs/spec/social.md#relationships
 * @example
 * client.friends.friends$.subscribe(({ onlinePlayingGame }) => console.log(onlinePlayingGame.map(one => one.displayName)));
 * await client.friends.addByUsername('grace');
 * for (const { id } of client.friends.requests.incoming) await client.friends.accept(id);
 */
export class Friends {
  /** In three groups, each sorted by display name. */
  readonly friends$: Observable<FriendsSnapshot>;
  readonly requests$: Observable<FriendRequestsSnapshot>;
  readonly blocked$: Observable<readonly SocialUserSnapshot[]>;
  readonly #people: People;
  readonly #social: SocialCalls;

  /** @internal */
  constructor(social: SocialCalls) {
    const { people } = social;
    this.#social = social;
    this.#people = people;
    this.friends$ = people.friends$;
    this.requests$ = people.requests$;
    this.blocked$ = people.blocked$;
  }

  get friends(): FriendsSnapshot {
    return this.#people.friends;
  }

  get requests(): FriendRequestsSnapshot {
    return this.#people.requests;
  }

  get blocked(): readonly SocialUserSnapshot[] {
    return this.#people.blocked;
  }

  /** What a user is to the player; `none` for users whom the client does not know. */
  relationship(userId: UserId): RelationshipSnapshot {
    return this.#people.user(userId)?.relationship ?? noRelationship;
  }

  /**
   * Friends whose display name or username contains the text, and then those that differ from it by a few letters; the nearest
   * ones first. Asks nobody.
   *
   * @throws ArgumentError `invalid_argument`
   */
  search(text: string): readonly SocialUserSnapshot[] {
    return searchFriends(this.friends, text);
  }

  /**
   * Sends a friend request, or accepts the other user's.
   *
   * @throws ValidationError `note` is too long; nothing is sent
   * @throws ApiError `already_friends`, `friend_request_blocked`, `friend_requests_disabled`, `no_common_application`,
   *   `unknown_user`, `too_many_friends`, `invalid_form_body`; ArgumentError `invalid_snowflake`
   */
  async add(userId: UserId, options: FriendRequestOptions = {}): Promise<void> {
    const { note } = parseOptions(options);
    await this.#put('add', userId, note === undefined ? {} : { note }, options);
  }

  /**
   * As {@link add}, by the user's unique name.
   *
   * @throws as {@link add}; ValidationError `username` is empty or too long; ApiError `unknown_username`
   */
  async addByUsername(username: string, options: FriendRequestOptions = {}): Promise<void> {
    const { note, game } = parseOptions(options);
    const body = { username, ...(note !== undefined && { note }) };
    const route = game ? 'requestGameRelationship' : 'requestRelationship';
    rejectIssues('The request', checkRelationshipRequest(body));
    await this.#social.send(writing, { name: 'addByUsername', route, request: { path: {}, body } }, options);
  }

  /** Accepts a request. @throws ArgumentError `wrong_relationship`: there is none */
  async accept(userId: UserId, options: FriendOptions = {}): Promise<void> {
    this.#expect(userId, options, 'incoming');
    const body = { type: relationshipTypes.FRIEND, ...(options.game ? {} : { confirm_stranger_request: true }) };
    await this.#put('accept', userId, body, options);
  }

  /** Declines a request. @throws ArgumentError `wrong_relationship`: there is none */
  async decline(userId: UserId, options: FriendOptions = {}): Promise<void> {
    this.#expect(userId, options, 'incoming');
    await this.#delete('decline', userId, options);
  }

  /** Takes back a request of the player. @throws ArgumentError `wrong_relationship`: there is none */
  async cancel(userId: UserId, options: FriendOptions = {}): Promise<void> {
    this.#expect(userId, options, 'outgoing');
    await this.#delete('cancel', userId, options);
  }

  /** Ends a friendship: both kinds, or with `game` that in the game. @throws ArgumentError `wrong_relationship`: there is none */
  async remove(userId: UserId, options: FriendOptions = {}): Promise<void> {
    const { type, gameType } = this.relationship(userId);
    const isUnknown = this.friends.unavailable !== undefined;
    if (parseOptions(options).game || type !== 'friend') this.#expect(userId, { game: true }, 'friend');
    const next = this.#social.calls.sharedDeadline(options);
    if (isUnknown || gameType === 'friend') await this.#delete('remove', userId, { ...next(), game: true });
    if ((isUnknown || type === 'friend') && !options.game) await this.#delete('remove', userId, next());
  }

  /** Blocks a user everywhere, which ends every relationship with them. Repeatable. @throws ApiError `too_many_blocks` */
  block(userId: UserId, options: OperationOptions = {}): Promise<void> {
    return this.#put('block', userId, { type: relationshipTypes.BLOCKED }, options);
  }

  /** Ends a block; what it ended does not come back. @throws ArgumentError `wrong_relationship`: the user is not blocked */
  async unblock(userId: UserId, options: OperationOptions = {}): Promise<void> {
    this.#expect(userId, {}, 'blocked');
    await this.#delete('unblock', userId, options);
  }

  async #put(name: string, userId: UserId, body: object, options: FriendOptions): Promise<void> {
    const path = pathOf(userId);
    const route = parseOptions(options).game ? 'putGameRelationship' : 'putRelationship';
    rejectIssues('The request', checkRequestNote(body));
    await this.#social.send(writing, { name, route, request: { path, body } }, options);
  }

  async #delete(name: string, userId: UserId, options: FriendOptions): Promise<void> {
    const route = parseOptions(options).game ? 'deleteGameRelationship' : 'deleteRelationship';
    await this.#social.send(writing, { name, route, request: { path: pathOf(userId) } }, options);
  }

  /** Without the scope to read relationships, nobody knows what they are, and the service decides. */
  #expect(userId: UserId, options: FriendOptions, kind: RelationshipKind): void {
    const { game } = parseOptions(options);
    pathOf(userId);
    if (this.friends.unavailable) return;
    const { type, gameType } = this.relationship(userId);
    const present = game ? gameType : type;
    if (present === kind) return;
    throw new ArgumentError(
      'wrong_relationship',
      `The player's relationship to user ${userId}${game ? ' in the game' : ''} must be "${kind}" (it is "${present}").`,
    );
  }
}

const writing = ['relationships.write'];

function pathOf(userId: UserId) {
  return { user_id: parseSnowflake<'user'>(userId, 'userId') };
}
