import { TransportError } from '../../model/errors/errors.ts';
import type { Metadata } from '../../model/lobby.ts';
import type { RedirectWay } from '../auth/authorizer.ts';
import type { Client, ClientSignInOptions } from '../client.ts';
import type { CommandPlace } from '../command/snapshot.ts';
import { BehaviorSubject, type Observable } from '../live/rxjs.ts';
import { selectFrom } from '../live/select.ts';
import type { LobbyHandle } from '../lobby/lobby-handle.ts';
import type { CallSnapshot } from '../voice/snapshot.ts';
import { joinOptions, oneOf, operationOptions, record, text } from './arguments.ts';
import { absentCall, gamePrefix } from './messages.ts';
import type { SharedSignIn } from './shared-sign-in.ts';
import { type HandleState, sharedSocial, threadState } from './shared-social.ts';
import type { SharedParts } from './window-connection.ts';

/** What a game shares with its windows beside the client, by name. */
export interface GameParts {
  /**
   * What windows may call. Arguments are JSON values of any shape, so that each function checks its own. Windows get what it
   * returns, or what it throws if that is an error of this package.
   */
  readonly calls?: Readonly<Record<string, (...args: never[]) => unknown>> | undefined;
  /** What windows may watch: observables that replay their latest value. Values are JSON, and hold no secrets. */
  readonly states?: Readonly<Record<string, Observable<unknown>>> | undefined;
}

const noHandle: HandleState = Object.freeze({ messages: Object.freeze([]), unreadCount: 0, hasOlder: false });

/**
 * What windows share of a client: its states, its events, and operations on lobbies and on the player's sign-in. Nothing
 * here gives out a token, a code, a verifier or an authorization address, and none is accepted.
 */
export function sharedParts(
  client: Client<unknown, unknown>,
  shared: SharedSignIn | undefined,
  { calls = {}, states = {} }: GameParts = {},
): SharedParts {
  const handleOf = (id: unknown): LobbyHandle<unknown, unknown> => {
    const handle = client.lobbies.get(text(id, 'lobbyId') as string);
    if (!handle) throw new TransportError('lobby_ended', 'The lobby ended, or the player is no longer in it.');
    return handle;
  };
  const social = sharedSocial(client);
  return {
    states: {
      ...social.states,
      status: () => client.status$,
      lobbies: () => client.lobbies$,
      waits: () => client.waits$,
      credentials: () => shared?.state$ ?? new BehaviorSubject(undefined),
      messages: id => client.lobbyMessages$(text(id, 'lobbyId')),
      commands: place => client.commands$(place as CommandPlace),
      handle: id => handleState(client.lobbies.get(text(id, 'lobbyId'))),
      call: id => callWithoutToken(text(id, 'lobbyId'), client.lobbies.get(text(id, 'lobbyId'))?.call.snapshot$),
      ...named(states, state$ => () => state$),
    },
    events: { events: () => client.events$ },
    calls: {
      ...social.calls,
      /** Its answer comes after the states that were subscribed to before. */
      ping: async () => undefined,
      connect: async (_, signal) => (shared ? shared.connect(signal) : client.connect({ signal })),
      disconnect: async () => client.disconnect(),
      checkConnection: async () => client.checkConnection(),
      fetchCurrentUser: async (_, signal) => client.fetchCurrentUser({ signal }),
      signIn: async ([given], signal) => {
        const { forThisRun = false, ...options } = record(given);
        if (shared) await shared.signIn({ ...signInOptions(options), forThisRun: forThisRun === true, signal });
        else await client.signIn({ ...signInOptions(options), signal });
      },
      cancelSignIn: async () => shared?.cancel(),
      signOut: async ([given], signal) => {
        const { revoke } = record(given);
        if (!shared) return client.updateToken(undefined);
        await shared.signOut({ ...(revoke !== undefined && { revoke: revoke === true }), signal });
      },
      join: async ([secret, given], signal) => {
        const handle = await client.lobbies.join(text(secret, 'secret'), joinOptions(given, signal));
        return handle.id;
      },
      arrival: async ([id, given], signal) =>
        (await client.lobbies.arrival(text(id, 'lobbyId'), operationOptions(given, signal))).id,
      leaveCalls: async ([given], signal) => client.lobbies.leaveCalls(operationOptions(given, signal)),
      send: async ([id, content, given], signal) => {
        const { metadata, flags, ...rest } = record(given);
        return handleOf(id).send(text(content, 'content'), {
          ...operationOptions(rest, signal),
          metadata: metadata as Metadata | undefined,
          flags: flags as number | undefined,
        });
      },
      resend: async ([id, draft, given], signal) =>
        handleOf(id).resend(text(draft, 'id'), operationOptions(given, signal)),
      discard: async ([id, draft]) => handleOf(id).discard(text(draft, 'id')),
      markRead: async ([id]) => handleOf(id).markRead(),
      loadOlder: async ([id, count, given], signal) =>
        handleOf(id).loadOlder((count ?? undefined) as number | undefined, operationOptions(given, signal)),
      leave: async ([id, given], signal) => {
        // Repeatable: one that is gone has been left.
        await client.lobbies.get(text(id, 'lobbyId'))?.leave(operationOptions(given, signal));
      },
      setMetadata: async ([id, change, given], signal) => {
        const { lobby, member } = record(change);
        const metadata = { lobby: lobby as Metadata | undefined, member: member as Metadata | undefined };
        await handleOf(id).setMetadata(metadata, operationOptions(given, signal));
      },
      linkChannel: async ([id, channel, given], signal) =>
        handleOf(id).linkChannel(text(channel, 'channelId'), operationOptions(given, signal)),
      unlinkChannel: async ([id, given], signal) => handleOf(id).unlinkChannel(operationOptions(given, signal)),
      createInvite: async ([id, given], signal) => handleOf(id).createInvite(operationOptions(given, signal)),
      joinLinkedGuild: async ([id, given], signal) => handleOf(id).joinLinkedGuild(operationOptions(given, signal)),
      callJoin: async ([id, given], signal) => handleOf(id).call.join(callOptions(given, signal)),
      callUpdate: async ([id, settings, given], signal) =>
        handleOf(id).call.update(callOptions(settings, signal), operationOptions(given, signal)),
      callLeave: async ([id, given], signal) => handleOf(id).call.leave(operationOptions(given, signal)),
      getUserGuilds: async ([given], signal) => client.getUserGuilds(operationOptions(given, signal)),
      getGuildChannels: async ([guild, given], signal) =>
        client.getGuildChannels(text(guild, 'guildId'), operationOptions(given, signal)),
      ...named(calls, call => async (args: readonly unknown[]) => call(...(args as never[]))),
    },
  };
}

function named<Given, Made>(parts: Readonly<Record<string, Given>>, make: (part: Given) => Made): Record<string, Made> {
  return Object.fromEntries(Object.entries(parts).map(([name, part]) => [gamePrefix + name, make(part)]));
}

function handleState(handle: LobbyHandle<unknown, unknown> | undefined): Observable<HandleState> {
  if (!handle) return new BehaviorSubject(noHandle);
  return threadState(handle);
}

/** The token of a voice server lets its holder in: the main process keeps it. */
function callWithoutToken(lobbyId: string, call$: Observable<CallSnapshot> | undefined): Observable<unknown> {
  if (!call$) return new BehaviorSubject(absentCall(lobbyId));
  const withoutToken = ({ server, ...call }: CallSnapshot) => ({
    ...call,
    server: server && { endpoint: server.endpoint },
  });
  return selectFrom(call$, withoutToken, Object.is);
}

function callOptions(given: unknown, signal: AbortSignal) {
  const { selfMute, selfDeaf, ...rest } = record(given);
  return {
    ...operationOptions(rest, signal),
    ...(selfMute !== undefined && { selfMute: selfMute as boolean }),
    ...(selfDeaf !== undefined && { selfDeaf: selfDeaf as boolean }),
  };
}

function signInOptions({ scopes, scheme, redirect }: Readonly<Record<string, unknown>>): ClientSignInOptions {
  return {
    ...(scopes !== undefined && { scopes: scopesOf(scopes) }),
    ...(scheme !== undefined && { scheme: text(scheme, 'scheme') }),
    ...(redirect !== undefined && {
      redirect: oneOf<RedirectWay>(redirect, 'redirect', ['custom-scheme', 'loopback']),
    }),
  };
}

function scopesOf(given: unknown): string {
  return Array.isArray(given) ? given.map(scope => text(scope, 'scopes')).join(' ') : text(given, 'scopes');
}
