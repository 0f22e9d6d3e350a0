import type { Metadata } from '../../model/lobby.ts';
import { recognizeCopies } from '../../model/recognize-copies.ts';
import type { LobbyId, MessageId, UserId } from '../../model/snowflake.ts';
import type { OperationOptions } from '../call-options.ts';
import type { ConnectionSnapshot } from '../connection/connection-snapshot.ts';
import type { Observable } from '../live/rxjs.ts';
import { selectFrom } from '../live/select.ts';
import type { JoinOptions } from '../lobby/operations.ts';
import type { Conversation, DirectSendOptions } from '../social/conversation.ts';
import type { DirectMessages, MessageSummary } from '../social/direct-messages.ts';
import type { FriendOptions, FriendRequestOptions, Friends } from '../social/friends.ts';
import type { InviteOptions, Invites } from '../social/invites.ts';
import type { PlayerPresence } from '../social/presence.ts';
import { noRelationship } from '../social/reader.ts';
import type {
  ConversationSnapshot,
  DirectMessageEntry,
  DirectMessageSnapshot,
  FriendRequestsSnapshot,
  FriendsSnapshot,
  InviteSnapshot,
  LaunchSnapshot,
  OnlineStatus,
  OwnPresenceSnapshot,
  PresenceSnapshot,
  RelationshipSnapshot,
  RichPresence,
  SocialUserSnapshot,
} from '../social/snapshot.ts';
import type { PictureType, Users } from '../social/users.ts';
import { pictureAs, presenceIn, presenceOf, searchFriends } from '../social/views.ts';
import type { MainConnection } from './main-connection.ts';
import type { HandleState } from './shared-social.ts';
import type { WindowLobbies, WindowLobby, WindowOptions } from './window-lobbies.ts';

const nothing: readonly never[] = Object.freeze([]);
const noFriends: FriendsSnapshot = Object.freeze({
  onlinePlayingGame: nothing,
  onlineElsewhere: nothing,
  offline: nothing,
  unavailable: Object.freeze({ reason: 'not_connected' as const }),
});
const noRequests: FriendRequestsSnapshot = Object.freeze({ incoming: nothing, outgoing: nothing });
const noPresence: OwnPresenceSnapshot = Object.freeze({ status: 'online', activity: undefined, sessions: nothing });

/*
 * The social layer in a window: as in {@link Client}, with operations that run in the main process. What a part shows is sent to the
 * window from its first use on; until it has arrived, the part is empty.
 */

/** As {@link Friends}. */
export class WindowFriends
  implements
    Pick<
      Friends,
      'friends$' | 'friends' | 'requests$' | 'requests' | 'blocked$' | 'blocked' | 'relationship' | 'search'
    >
{
  static {
    recognizeCopies(this, 'WindowFriends');
  }

  readonly friends$: Observable<FriendsSnapshot>;
  readonly requests$: Observable<FriendRequestsSnapshot>;
  readonly blocked$: Observable<readonly SocialUserSnapshot[]>;
  readonly #main: MainConnection;

  /** @internal */
  constructor(main: MainConnection) {
    this.#main = main;
    this.friends$ = kept(main.state$('friends'));
    this.requests$ = kept(main.state$('requests'));
    this.blocked$ = kept(main.state$('blocked'));
  }

  get friends(): FriendsSnapshot {
    return this.#main.latest('friends') ?? noFriends;
  }

  get requests(): FriendRequestsSnapshot {
    return this.#main.latest('requests') ?? noRequests;
  }

  get blocked(): readonly SocialUserSnapshot[] {
    return this.#main.latest('blocked') ?? nothing;
  }

  /** As {@link Friends.relationship}, of what has arrived in this window. */
  relationship(userId: UserId): RelationshipSnapshot {
    const known = [...listed(this.friends, this.requests), ...this.blocked].find(({ id }) => id === userId);
    return known?.relationship ?? noRelationship;
  }

  search(text: string): readonly SocialUserSnapshot[] {
    return searchFriends(this.friends, text);
  }

  /** @throws as {@link Friends.add} */
  add(userId: UserId, options: WindowOptions<FriendRequestOptions> = {}): Promise<void> {
    return this.#main.operation('friends.add', [userId], options);
  }

  /** @throws as {@link Friends.addByUsername} */
  addByUsername(username: string, options: WindowOptions<FriendRequestOptions> = {}): Promise<void> {
    return this.#main.operation('friends.addByUsername', [username], options);
  }

  /** @throws as {@link Friends.accept} */
  accept(userId: UserId, options: WindowOptions<FriendOptions> = {}): Promise<void> {
    return this.#main.operation('friends.accept', [userId], options);
  }

  /** @throws as {@link Friends.decline} */
  decline(userId: UserId, options: WindowOptions<FriendOptions> = {}): Promise<void> {
    return this.#main.operation('friends.decline', [userId], options);
  }

  /** @throws as {@link Friends.cancel} */
  cancel(userId: UserId, options: WindowOptions<FriendOptions> = {}): Promise<void> {
    return this.#main.operation('friends.cancel', [userId], options);
  }

  /** @throws as {@link Friends.remove} */
  remove(userId: UserId, options: WindowOptions<FriendOptions> = {}): Promise<void> {
    return this.#main.operation('friends.remove', [userId], options);
  }

  /** @throws as {@link Friends.block} */
  block(userId: UserId, options: WindowOptions<OperationOptions> = {}): Promise<void> {
    return this.#main.operation('friends.block', [userId], options);
  }

  /** @throws as {@link Friends.unblock} */
  unblock(userId: UserId, options: WindowOptions<OperationOptions> = {}): Promise<void> {
    return this.#main.operation('friends.unblock', [userId], options);
  }
}

/** As {@link Users}; {@link user} knows users while {@link user$} of them has a subscriber, and those whom a list has. */
export class WindowUsers implements Pick<Users, 'current' | 'user' | 'user$' | 'avatarUrl'> {
  static {
    recognizeCopies(this, 'WindowUsers');
  }

  readonly #main: MainConnection;
  #own: { readonly id: UserId; readonly watch: { unsubscribe(): void } } | undefined;

  /** @internal */
  constructor(main: MainConnection) {
    this.#main = main;
  }

  /** The player; undefined until the client has connected, and until this window, which asks at the first use, has the answer. */
  get current(): SocialUserSnapshot | undefined {
    const id = this.#main.latest<ConnectionSnapshot>('status')?.userId;
    if (id !== undefined && id !== this.#own?.id) {
      this.#own?.watch.unsubscribe();
      this.#own = { id, watch: this.user$(id).subscribe() };
    }
    return this.#own && this.user(this.#own.id);
  }

  user(id: UserId): SocialUserSnapshot | undefined {
    const friends = this.#main.latest<FriendsSnapshot>('friends') ?? noFriends;
    const requests = this.#main.latest<FriendRequestsSnapshot>('requests') ?? noRequests;
    return this.#main.latest('user', id) ?? listed(friends, requests).find(one => one.id === id);
  }

  user$(id: UserId): Observable<SocialUserSnapshot | undefined> {
    return this.#main.state$('user', id);
  }

  /** As {@link Users.avatarUrl}, of users whom {@link user} knows. */
  avatarUrl(id: UserId, animated: PictureType = 'gif', still: PictureType = 'png'): string | undefined {
    const user = this.user(id);
    return user && pictureAs(user.avatarUrl, animated, still);
  }
}

function listed(
  { onlinePlayingGame, onlineElsewhere, offline }: FriendsSnapshot,
  { incoming, outgoing }: FriendRequestsSnapshot,
): readonly SocialUserSnapshot[] {
  return [...onlinePlayingGame, ...onlineElsewhere, ...offline, ...incoming, ...outgoing];
}

/** As {@link PlayerPresence}. */
export class WindowPresence implements Pick<PlayerPresence, 'own$' | 'own' | 'presence$' | 'presence'> {
  static {
    recognizeCopies(this, 'WindowPresence');
  }

  readonly own$: Observable<OwnPresenceSnapshot>;
  readonly #main: MainConnection;
  readonly #users: WindowUsers;

  /** @internal */
  constructor(main: MainConnection, users: WindowUsers) {
    this.#main = main;
    this.#users = users;
    this.own$ = kept(main.state$('ownPresence'));
  }

  get own(): OwnPresenceSnapshot {
    return this.#main.latest('ownPresence') ?? noPresence;
  }

  presence(userId: UserId): PresenceSnapshot {
    return presenceOf(this.#users.user(userId));
  }

  presence$(userId: UserId): Observable<PresenceSnapshot> {
    return presenceIn(this.#users.user$(userId));
  }

  /** @throws as {@link PlayerPresence.set} */
  set(activity: RichPresence, options: WindowOptions<OperationOptions> = {}): Promise<void> {
    return this.#main.operation('presence.set', [activity], options);
  }

  /** @throws as {@link PlayerPresence.set} */
  clear(options: WindowOptions<OperationOptions> = {}): Promise<void> {
    return this.#main.operation('presence.clear', [], options);
  }

  /** @throws as {@link PlayerPresence.setStatus} */
  setStatus(status: OnlineStatus, options: WindowOptions<OperationOptions> = {}): Promise<void> {
    return this.#main.operation('presence.setStatus', [status], options);
  }
}

/** As {@link Invites}. */
export class WindowInvites<LobbyMetadata = Metadata, MemberMetadata = Metadata>
  implements Pick<Invites<LobbyMetadata, MemberMetadata>, 'invites$' | 'invites' | 'launch$' | 'launch'>
{
  static {
    recognizeCopies(this, 'WindowInvites');
  }

  readonly invites$: Observable<readonly InviteSnapshot[]>;
  readonly launch$: Observable<LaunchSnapshot | undefined>;
  readonly #main: MainConnection;
  readonly #lobbies: WindowLobbies<LobbyMetadata, MemberMetadata>;

  /** @internal */
  constructor(main: MainConnection, lobbies: WindowLobbies<LobbyMetadata, MemberMetadata>) {
    this.#main = main;
    this.#lobbies = lobbies;
    this.invites$ = kept(main.state$('invites'));
    this.launch$ = kept(main.state$('launch'));
  }

  get invites(): readonly InviteSnapshot[] {
    return this.#main.latest('invites') ?? nothing;
  }

  get launch(): LaunchSnapshot | undefined {
    return this.#main.latest('launch');
  }

  /** @throws as {@link Invites.send} */
  send(userId: UserId, options: WindowOptions<InviteOptions> = {}): Promise<void> {
    return this.#main.operation('invites.send', [userId], options);
  }

  /** @throws as {@link Invites.requestJoin} */
  requestJoin(userId: UserId, options: WindowOptions<InviteOptions> = {}): Promise<void> {
    return this.#main.operation('invites.requestJoin', [userId], options);
  }

  /** @throws as {@link Invites.reply} */
  reply(id: MessageId, options: WindowOptions<InviteOptions> = {}): Promise<void> {
    return this.#main.operation('invites.reply', [id], options);
  }

  /** @throws as {@link Invites.accept} */
  accept(id: MessageId, options: WindowOptions<OperationOptions> = {}): Promise<string> {
    return this.#main.operation('invites.accept', [id], options);
  }

  /** @throws as {@link Invites.join} */
  async join(
    id: MessageId,
    options: WindowOptions<JoinOptions> = {},
  ): Promise<WindowLobby<LobbyMetadata, MemberMetadata>> {
    return this.#lobbies.joined(await this.#main.operation<LobbyId>('invites.join', [id], options));
  }

  /** @throws as {@link Invites.joinLaunch} */
  async joinLaunch(options: WindowOptions<JoinOptions> = {}): Promise<WindowLobby<LobbyMetadata, MemberMetadata>> {
    return this.#lobbies.joined(await this.#main.operation<LobbyId>('invites.joinLaunch', [], options));
  }

  /** Removes an invite from {@link invites}. @returns whether there is one of that id */
  dismiss(id: MessageId): boolean {
    const isThere = this.invites.some(invite => invite.id === id);
    if (isThere) this.#main.call('invites.dismiss', [id]).catch(() => {});
    return isThere;
  }

  dismissLaunch(): void {
    this.#main.call('invites.dismissLaunch', []).catch(() => {});
  }
}

/** As {@link DirectMessages}. */
export class WindowMessages implements Pick<DirectMessages, 'conversations$' | 'conversations' | 'unreadCount'> {
  static {
    recognizeCopies(this, 'WindowMessages');
  }

  readonly conversations$: Observable<readonly ConversationSnapshot[]>;
  readonly #main: MainConnection;
  readonly #conversations = new Map<UserId, WindowConversation>();

  /** @internal */
  constructor(main: MainConnection) {
    this.#main = main;
    this.conversations$ = kept(main.state$('conversations'));
  }

  get conversations(): readonly ConversationSnapshot[] {
    return this.#main.latest('conversations') ?? nothing;
  }

  get unreadCount(): number {
    return this.conversations.reduce((sum, { unreadCount }) => sum + unreadCount, 0);
  }

  /** As {@link DirectMessages.get}. Its messages arrive a moment later; {@link open} waits for them. */
  get(userId: UserId): WindowConversation {
    let conversation = this.#conversations.get(userId);
    if (!conversation) {
      conversation = new WindowConversation(userId, this.#main);
      this.#conversations.set(userId, conversation);
    }
    return conversation;
  }

  /** @throws as {@link DirectMessages.open} */
  async open(userId: UserId, options: WindowOptions<OperationOptions> = {}): Promise<WindowConversation> {
    const conversation = this.get(userId);
    await conversation.loadOlder(undefined, options);
    return conversation;
  }

  /** @throws as {@link DirectMessages.summaries} */
  summaries(options: WindowOptions<OperationOptions> = {}): Promise<readonly MessageSummary[]> {
    return this.#main.operation('messages.summaries', [], options);
  }
}

/** As {@link Conversation}. */
export class WindowConversation
  implements
    Pick<
      Conversation,
      'userId' | 'disclosure' | 'messages$' | 'messages' | 'message' | 'unreadCount$' | 'unreadCount' | 'hasOlder'
    >
{
  static {
    recognizeCopies(this, 'WindowConversation');
  }

  readonly userId: UserId;
  readonly messages$: Observable<readonly DirectMessageEntry[]>;
  readonly unreadCount$: Observable<number>;
  readonly #main: MainConnection;

  /** @internal */
  constructor(userId: UserId, main: MainConnection) {
    this.userId = userId;
    this.#main = main;
    const state$ = kept(main.state$<HandleState<DirectMessageEntry>>('conversation', userId));
    this.messages$ = selectFrom(state$, ({ messages }) => messages, Object.is);
    this.unreadCount$ = selectFrom(state$, ({ unreadCount }) => unreadCount, Object.is);
  }

  /** Undefined while the conversation is not in the list, which has it once there is a message. */
  get snapshot(): ConversationSnapshot | undefined {
    return this.#main.latest<readonly ConversationSnapshot[]>('conversations')?.find(({ id }) => id === this.userId);
  }

  /** As {@link Conversation.disclosure}; undefined while the conversation is not in the list. */
  get disclosure(): ConversationSnapshot['disclosure'] {
    return this.snapshot?.disclosure;
  }

  get messages(): readonly DirectMessageEntry[] {
    return this.#state?.messages ?? nothing;
  }

  /** As {@link Conversation.message}. */
  message(id: string): DirectMessageEntry | undefined {
    return this.messages.find(message => message.id === id);
  }

  get unreadCount(): number {
    return this.#state?.unreadCount ?? 0;
  }

  get hasOlder(): boolean {
    return this.#state?.hasOlder ?? false;
  }

  /** The player has seen all messages that are there now: in all windows. */
  markRead(): void {
    this.#main.call('messages.markRead', [this.userId]).catch(() => {});
  }

  /** @throws as {@link Conversation.send} */
  send(content: string, options: WindowOptions<DirectSendOptions> = {}): Promise<DirectMessageSnapshot> {
    return this.#main.operation('messages.send', [this.userId, content], options);
  }

  /** @throws as {@link Conversation.resend} */
  resend(id: string, options: WindowOptions<OperationOptions> = {}): Promise<DirectMessageSnapshot | undefined> {
    return this.#main.operation('messages.resend', [this.userId, id], options);
  }

  /** Removes a failed message from {@link messages}. @returns whether there is one of that id */
  discard(id: string): boolean {
    const isThere = this.messages.some(message => message.id === id && message.status === 'failed');
    if (isThere) this.#main.call('messages.discard', [this.userId, id]).catch(() => {});
    return isThere;
  }

  /** @throws as {@link Conversation.edit} */
  edit(id: MessageId, content: string, options: WindowOptions<OperationOptions> = {}): Promise<DirectMessageSnapshot> {
    return this.#main.operation('messages.edit', [this.userId, id, content], options);
  }

  /** @throws as {@link Conversation.delete} */
  delete(id: MessageId, options: WindowOptions<OperationOptions> = {}): Promise<void> {
    return this.#main.operation('messages.delete', [this.userId, id], options);
  }

  /** @throws as {@link Conversation.loadOlder} */
  loadOlder(count?: number, options: WindowOptions<OperationOptions> = {}): Promise<boolean> {
    return this.#main.operation('messages.loadOlder', [this.userId, count ?? null], options);
  }

  get #state(): HandleState<DirectMessageEntry> | undefined {
    return this.#main.latest('conversation', this.userId);
  }
}

/** Watched from now on for as long as the window is connected, for the getters. */
function kept<Value>(state$: Observable<Value>): Observable<Value> {
  state$.subscribe();
  return state$;
}
