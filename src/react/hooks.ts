import { useMemo, useRef, useSyncExternalStore } from 'react';
import type {
  Client,
  CommandPlace,
  CommandsSnapshot,
  ConnectionSnapshot,
  ConversationSnapshot,
  FriendRequestsSnapshot,
  FriendsSnapshot,
  InviteSnapshot,
  LaunchSnapshot,
  LobbyId,
  LobbyMemberSnapshot,
  LobbyMembers,
  LobbyMessageEntry,
  LobbySnapshot,
  LobbyState,
  OwnPresenceSnapshot,
  PresenceSnapshot,
  SocialUserSnapshot,
  UserId,
} from '../sdk/index.ts';

/*
 * Each hook shows a state of the client and renders again only when what it returns has changed. All take a client of the
 * main process as well as one of a window, and nothing but what they name of it.
 */

/** A stream as the client has them: it replays its latest value to every subscriber. */
interface Stream<Value> {
  subscribe(observer: { next(value: Value): void }): { unsubscribe(): void };
}

export type StatusSource = Pick<Client, 'status$' | 'status'>;
export type LobbiesSource = Pick<Client, 'lobbies$'> & { readonly lobbies: { readonly snapshot: LobbyState } };
export type LobbySource = Pick<Client, 'lobby$' | 'lobby' | 'members$' | 'members' | 'member$' | 'member'>;
export type CommandsSource = Pick<Client, 'commands$' | 'commands'>;

export interface FriendsSource {
  readonly friends: {
    readonly friends$: Stream<FriendsSnapshot>;
    readonly friends: FriendsSnapshot;
    readonly requests$: Stream<FriendRequestsSnapshot>;
    readonly requests: FriendRequestsSnapshot;
    readonly blocked$: Stream<readonly SocialUserSnapshot[]>;
    readonly blocked: readonly SocialUserSnapshot[];
  };
}

export interface UsersSource {
  readonly users: {
    user$(id: UserId): Stream<SocialUserSnapshot | undefined>;
    user(id: UserId): SocialUserSnapshot | undefined;
  };
}

export interface PresenceSource {
  readonly presence: {
    readonly own$: Stream<OwnPresenceSnapshot>;
    readonly own: OwnPresenceSnapshot;
    presence$(userId: UserId): Stream<PresenceSnapshot>;
    presence(userId: UserId): PresenceSnapshot;
  };
}

export interface InvitesSource {
  readonly invites: {
    readonly invites$: Stream<readonly InviteSnapshot[]>;
    readonly invites: readonly InviteSnapshot[];
    readonly launch$: Stream<LaunchSnapshot | undefined>;
    readonly launch: LaunchSnapshot | undefined;
  };
}

export interface ConversationsSource {
  readonly messages: {
    readonly conversations$: Stream<readonly ConversationSnapshot[]>;
    readonly conversations: readonly ConversationSnapshot[];
  };
}

/** A lobby's handle, or a conversation. */
export interface MessagesSource<Entry = LobbyMessageEntry> {
  readonly messages$: Stream<readonly Entry[]>;
  readonly messages: readonly Entry[];
  readonly unreadCount$: Stream<number>;
  readonly unreadCount: number;
}

/** Where the client stands with the gateway. */
export function useStatus(client: StatusSource): ConnectionSnapshot {
  return useStream(
    () => client.status$,
    () => client.status,
    [client],
  );
}

/** The player's lobbies. */
export function useLobbies(client: LobbiesSource): LobbyState;
/**
 * What `select` makes of the player's lobbies.
 *
 * @param isSame whether two results are the same, so that nothing is rendered again. Default: `Object.is`
 */
export function useLobbies<Selected>(
  client: LobbiesSource,
  select: (lobbies: LobbyState) => Selected,
  isSame?: (a: Selected, b: Selected) => boolean,
): Selected;
export function useLobbies<Selected>(
  client: LobbiesSource,
  select?: (lobbies: LobbyState) => Selected,
  isSame?: (a: Selected, b: Selected) => boolean,
): Selected {
  return useStream(
    () => client.lobbies$,
    () => client.lobbies.snapshot,
    [client],
    select,
    isSame,
  );
}

/** One lobby; undefined while the player is not in it. */
export function useLobby(client: LobbySource, id: LobbyId): LobbySnapshot | undefined;
/** What `select` makes of one lobby. @param isSame as in {@link useLobbies} */
export function useLobby<Selected>(
  client: LobbySource,
  id: LobbyId,
  select: (lobby: LobbySnapshot | undefined) => Selected,
  isSame?: (a: Selected, b: Selected) => boolean,
): Selected;
export function useLobby<Selected>(
  client: LobbySource,
  id: LobbyId,
  select?: (lobby: LobbySnapshot | undefined) => Selected,
  isSame?: (a: Selected, b: Selected) => boolean,
): Selected {
  return useStream(
    () => client.lobby$(id),
    () => client.lobby(id),
    [client, id],
    select,
    isSame,
  );
}

/** The members of a lobby, by id. */
export function useMembers(client: LobbySource, id: LobbyId): LobbyMembers;
/** What `select` makes of the members of a lobby. @param isSame as in {@link useLobbies} */
export function useMembers<Selected>(
  client: LobbySource,
  id: LobbyId,
  select: (members: LobbyMembers) => Selected,
  isSame?: (a: Selected, b: Selected) => boolean,
): Selected;
export function useMembers<Selected>(
  client: LobbySource,
  id: LobbyId,
  select?: (members: LobbyMembers) => Selected,
  isSame?: (a: Selected, b: Selected) => boolean,
): Selected {
  return useStream(
    () => client.members$(id),
    () => client.members(id),
    [client, id],
    select,
    isSame,
  );
}

/** One member of a lobby; undefined while there is none. Changes of other members render nothing. */
export function useMember(client: LobbySource, id: LobbyId, userId: UserId): LobbyMemberSnapshot | undefined {
  return useStream(
    () => client.member$(id, userId),
    () => client.member(id, userId),
    [client, id, userId],
  );
}

/** History and live messages of a lobby's handle or a conversation, those that are being sent included. */
export function useMessages<Entry>(lobby: MessagesSource<Entry>): readonly Entry[] {
  return useStream(
    () => lobby.messages$,
    () => lobby.messages,
    [lobby],
  );
}

/** How many messages of others in a lobby's handle or a conversation are unread. */
export function useUnreadCount(lobby: MessagesSource<unknown>): number {
  return useStream(
    () => lobby.unreadCount$,
    () => lobby.unreadCount,
    [lobby],
  );
}

/** The commands that the player may use in a place. An object as a place may be written where it is used. */
export function useCommands(client: CommandsSource, place: CommandPlace): CommandsSnapshot {
  const name = JSON.stringify(place);
  return useStream(
    () => client.commands$(place),
    () => client.commands(place),
    [client, name],
  );
}

/** The player's friends in their groups. */
export function useFriends(client: FriendsSource): FriendsSnapshot;
/** What `select` makes of the player's friends. @param isSame as in {@link useLobbies} */
export function useFriends<Selected>(
  client: FriendsSource,
  select: (friends: FriendsSnapshot) => Selected,
  isSame?: (a: Selected, b: Selected) => boolean,
): Selected;
export function useFriends<Selected>(
  client: FriendsSource,
  select?: (friends: FriendsSnapshot) => Selected,
  isSame?: (a: Selected, b: Selected) => boolean,
): Selected {
  return useStream(
    () => client.friends.friends$,
    () => client.friends.friends,
    [client],
    select,
    isSame,
  );
}

/** Friend requests to the player and of the player. */
export function useFriendRequests(client: FriendsSource): FriendRequestsSnapshot {
  return useStream(
    () => client.friends.requests$,
    () => client.friends.requests,
    [client],
  );
}

/** The users whom the player has blocked. */
export function useBlockedUsers(client: FriendsSource): readonly SocialUserSnapshot[] {
  return useStream(
    () => client.friends.blocked$,
    () => client.friends.blocked,
    [client],
  );
}

/** A user; undefined while the client does not know the user. Changes of other users render nothing. */
export function useUser(client: UsersSource, id: UserId): SocialUserSnapshot | undefined {
  return useStream(
    () => client.users.user$(id),
    () => client.users.user(id),
    [client, id],
  );
}

/** A user's presence, as far as the player may see it. */
export function usePresence(client: PresenceSource, id: UserId): PresenceSnapshot {
  return useStream(
    () => client.presence.presence$(id),
    () => client.presence.presence(id),
    [client, id],
  );
}

/** What the client says of the player, and the player's sessions. */
export function useOwnPresence(client: PresenceSource): OwnPresenceSnapshot {
  return useStream(
    () => client.presence.own$,
    () => client.presence.own,
    [client],
  );
}

/** The invites that the player has received. */
export function useInvites(client: InvitesSource): readonly InviteSnapshot[] {
  return useStream(
    () => client.invites.invites$,
    () => client.invites.invites,
    [client],
  );
}

/** What the game was started for; undefined when there is nothing. */
export function useLaunch(client: InvitesSource): LaunchSnapshot | undefined {
  return useStream(
    () => client.invites.launch$,
    () => client.invites.launch,
    [client],
  );
}

/** The player's conversations, the newest first. */
export function useConversations(client: ConversationsSource): readonly ConversationSnapshot[] {
  return useStream(
    () => client.messages.conversations$,
    () => client.messages.conversations,
    [client],
  );
}

/**
 * The latest value of any stream that replays it, or what `select` makes of it.
 *
 * @param open gives the stream; called again when `dependencies` change
 * @param read gives the value for the first render
 */
export function useStream<Value, Selected = Value>(
  open: () => Stream<Value>,
  read: () => Value,
  dependencies: readonly unknown[],
  select: (value: Value) => Selected = same,
  isSame: (a: Selected, b: Selected) => boolean = Object.is,
): Selected {
  const store = useMemo(() => storeOf(open(), read()), dependencies);
  const last = useRef<{ readonly value: Value; readonly select: unknown; readonly selected: Selected }>(undefined);
  const getSnapshot = () => {
    const value = store.latest();
    const known = last.current;
    if (known && known.value === value && known.select === select) return known.selected;
    const made = select(value);
    const selected = known && isSame(known.selected, made) ? known.selected : made;
    last.current = { value, select, selected };
    return selected;
  };
  return useSyncExternalStore(store.subscribe, getSnapshot, getSnapshot);
}

/** The latest value of a stream, for as long as somebody subscribes. A getter may make a new value with every call. */
function storeOf<Value>(stream: Stream<Value>, first: Value) {
  let value = first;
  return {
    latest: () => value,
    subscribe: (onChange: () => void) => {
      const subscription = stream.subscribe({
        next: next => {
          value = next;
          onChange();
        },
      });
      return () => subscription.unsubscribe();
    },
  };
}

function same<Value, Selected>(value: Value): Selected {
  return value as unknown as Selected;
}
