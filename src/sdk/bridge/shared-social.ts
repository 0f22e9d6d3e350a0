import type { Metadata } from '../../model/lobby.ts';
import type { Client } from '../client.ts';
import { Observable } from '../live/rxjs.ts';
import type { LobbyMessageEntry } from '../lobby/snapshot.ts';
import type { Conversation } from '../social/conversation.ts';
import type { OnlineStatus, RichPresence } from '../social/snapshot.ts';
import { joinOptions, operationOptions, record, text } from './arguments.ts';
import type { SharedParts } from './window-connection.ts';

/** What a window gets of a lobby's handle beside what is in {@link LobbySnapshot}. */
export interface HandleState<Entry = LobbyMessageEntry> {
  readonly messages: readonly Entry[];
  readonly unreadCount: number;
  readonly hasOlder: boolean;
}

/** What windows share of a client's friends, presence, invites and conversations. */
export function sharedSocial(client: Client<unknown, unknown>): Pick<SharedParts, 'states' | 'calls'> {
  const { friends, presence, invites, messages, users } = client;
  const conversation = (id: unknown) => messages.get(text(id, 'userId'));
  return {
    states: {
      friends: () => friends.friends$,
      requests: () => friends.requests$,
      blocked: () => friends.blocked$,
      ownPresence: () => presence.own$,
      user: id => users.user$(text(id, 'userId')),
      invites: () => invites.invites$,
      launch: () => invites.launch$,
      conversations: () => messages.conversations$,
      conversation: id => threadState(conversation(id)),
    },
    calls: {
      'friends.add': async ([id, given], signal) => friends.add(text(id, 'userId'), requestOptions(given, signal)),
      'friends.addByUsername': async ([name, given], signal) =>
        friends.addByUsername(text(name, 'username'), requestOptions(given, signal)),
      'friends.accept': async ([id, given], signal) =>
        friends.accept(text(id, 'userId'), requestOptions(given, signal)),
      'friends.decline': async ([id, given], signal) =>
        friends.decline(text(id, 'userId'), requestOptions(given, signal)),
      'friends.cancel': async ([id, given], signal) =>
        friends.cancel(text(id, 'userId'), requestOptions(given, signal)),
      'friends.remove': async ([id, given], signal) =>
        friends.remove(text(id, 'userId'), requestOptions(given, signal)),
      'friends.block': async ([id, given], signal) =>
        friends.block(text(id, 'userId'), operationOptions(given, signal)),
      'friends.unblock': async ([id, given], signal) =>
        friends.unblock(text(id, 'userId'), operationOptions(given, signal)),
      'presence.set': async ([activity, given], signal) =>
        presence.set(record(activity) as RichPresence, operationOptions(given, signal)),
      'presence.clear': async ([given], signal) => presence.clear(operationOptions(given, signal)),
      'presence.setStatus': async ([status, given], signal) =>
        presence.setStatus(text(status, 'status') as OnlineStatus, operationOptions(given, signal)),
      'invites.send': async ([id, given], signal) => invites.send(text(id, 'userId'), inviteOptions(given, signal)),
      'invites.requestJoin': async ([id, given], signal) =>
        invites.requestJoin(text(id, 'userId'), inviteOptions(given, signal)),
      'invites.reply': async ([id, given], signal) => invites.reply(text(id, 'id'), inviteOptions(given, signal)),
      'invites.accept': async ([id, given], signal) => invites.accept(text(id, 'id'), operationOptions(given, signal)),
      'invites.join': async ([id, given], signal) =>
        (await invites.join(text(id, 'id'), joinOptions(given, signal))).id,
      'invites.dismiss': async ([id]) => invites.dismiss(text(id, 'id')),
      'invites.joinLaunch': async ([given], signal) => (await invites.joinLaunch(joinOptions(given, signal))).id,
      'invites.dismissLaunch': async () => invites.dismissLaunch(),
      'messages.summaries': async ([given], signal) => messages.summaries(operationOptions(given, signal)),
      'messages.send': async ([id, content, given], signal) => {
        const { metadata, flags, ...rest } = record(given);
        return conversation(id).send(text(content, 'content'), {
          ...operationOptions(rest, signal),
          metadata: metadata as Metadata | undefined,
          flags: flags as number | undefined,
        });
      },
      'messages.resend': async ([id, draft, given], signal) =>
        conversation(id).resend(text(draft, 'id'), operationOptions(given, signal)),
      'messages.discard': async ([id, draft]) => conversation(id).discard(text(draft, 'id')),
      'messages.edit': async ([id, message, content, given], signal) =>
        conversation(id).edit(text(message, 'id'), text(content, 'content'), operationOptions(given, signal)),
      'messages.delete': async ([id, message, given], signal) =>
        conversation(id).delete(text(message, 'id'), operationOptions(given, signal)),
      'messages.markRead': async ([id]) => conversation(id).markRead(),
      'messages.loadOlder': async ([id, count, given], signal) =>
        conversation(id).loadOlder((count ?? undefined) as number | undefined, operationOptions(given, signal)),
    },
  };
}

/** The messages of a lobby or conversation, and what belongs to them. */
export function threadState(
  thread: Pick<Conversation, 'unreadCount' | 'hasOlder' | 'unreadCount$'> & {
    readonly messages: readonly unknown[];
    readonly messages$: Observable<readonly unknown[]>;
  },
): Observable<HandleState> {
  return new Observable(watcher => {
    const emit = () => {
      const { messages, unreadCount, hasOlder } = thread;
      watcher.next({ messages: messages as HandleState['messages'], unreadCount, hasOlder });
    };
    const messages = thread.messages$.subscribe({ next: emit, complete: () => watcher.complete() });
    const unread = thread.unreadCount$.subscribe(emit);
    return () => {
      messages.unsubscribe();
      unread.unsubscribe();
    };
  });
}

function requestOptions(given: unknown, signal: AbortSignal) {
  const { game, note, ...rest } = record(given);
  return {
    ...operationOptions(rest, signal),
    game: game === true,
    ...(note !== undefined && { note: text(note, 'note') }),
  };
}

function inviteOptions(given: unknown, signal: AbortSignal) {
  const { content, ...rest } = record(given);
  return { ...operationOptions(rest, signal), ...(content !== undefined && { content: text(content, 'content') }) };
}
