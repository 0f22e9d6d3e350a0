// @vitest-environment happy-dom
import { act, createElement, type ReactNode, StrictMode } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { BehaviorSubject } from 'rxjs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  useCommands,
  useFriends,
  useLobbies,
  useLobby,
  useMember,
  useMembers,
  useMessages,
  useStatus,
  useUnreadCount,
  useUser,
} from '../../src/react/index.ts';
import { LobbyNews } from '../../src/sdk/lobby/lobby-news.ts';
import { LobbyStore } from '../../src/sdk/lobby/store.ts';
import { People } from '../../src/sdk/social/people.ts';
import { silentLogger } from '../../src/wire/clock/ports.ts';

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });

let root: Root;
let container: HTMLElement;
let renders: number;

beforeEach(() => {
  container = document.createElement('div');
  root = createRoot(container);
  renders = 0;
});
afterEach(() => act(() => root.unmount()));

const id = '1';
const memberOf = (user_id: string, score: string) => ({ user_id, metadata: { score }, flags: 0, connected: true });

/** A client's live state, changed as the gateway changes it. */
function openLobbies() {
  const store = new LobbyStore(silentLogger);
  const base = { id, application_id: '2', metadata: {}, flags: 0, voice_states: [], region: 'x' };
  store.apply('READY', { lobbies: [{ ...base, members: [memberOf('10', '0'), memberOf('11', '0')] }] });
  const client = {
    lobbies$: store.lobbies$,
    lobbies: {
      get snapshot() {
        return store.lobbies;
      },
    },
    lobby$: (lobbyId: string) => store.lobby$(lobbyId),
    lobby: (lobbyId: string) => store.lobby(lobbyId),
    members$: (lobbyId: string) => store.members$(lobbyId),
    members: (lobbyId: string) => store.members(lobbyId),
    member$: (lobbyId: string, userId: string) => store.member$(lobbyId, userId),
    member: (lobbyId: string, userId: string) => store.member(lobbyId, userId),
  };
  const score = (userId: string, value: string) =>
    act(() =>
      store.apply('LOBBY_MEMBER_UPDATE', { lobby_id: id, application_id: '2', member: memberOf(userId, value) }),
    );
  return { client, store, score };
}

/** Renders what `read` returns, counting how often. */
function show(read: () => ReactNode): void {
  const Shown = () => {
    renders++;
    return read();
  };
  act(() => root.render(createElement(Shown)));
}

it('useStatus shows the state of the connection, and every change', () => {
  const status$ = new BehaviorSubject({ status: 'connecting' } as const as { readonly status: 'connecting' | 'ready' });
  const client = {
    status$,
    get status() {
      return status$.value;
    },
  };
  show(() => useStatus(client as never).status);
  expect(container.textContent).toBe('connecting');
  act(() => status$.next({ status: 'ready' }));
  expect(container.textContent).toBe('ready');
});

it('useLobby, useMembers and useMember show the present state immediately and every change', () => {
  const { client, score } = openLobbies();
  show(() => {
    const lobby = useLobby(client, id);
    const members = useMembers(client, id);
    const member = useMember(client, id, '10');
    return `${lobby?.id} ${members.length} ${member?.metadata.score}`;
  });
  expect(container.textContent).toBe('1 2 0');
  score('10', '5');
  expect(container.textContent).toBe('1 2 5');
  expect(renders).toBe(2);
});

it('useMember does not render for changes of other members', () => {
  const { client, score } = openLobbies();
  show(() => useMember(client, id, '10')?.metadata.score);
  score('11', '7');
  expect(renders).toBe(1);
});

it('a selector renders only when its result changes, also when it is written in the component', () => {
  const { client, score } = openLobbies();
  show(() => useLobbies(client, lobbies => lobbies.flatMap(({ members }) => members).length));
  score('10', '1');
  score('11', '2');
  expect([container.textContent, renders]).toEqual(['2', 1]);
});

it('a selector whose results are compared by value renders only when they differ', () => {
  const { client, score } = openLobbies();
  const isSame = (a: readonly string[], b: readonly string[]) => a.join() === b.join();
  show(() => useMembers(client, id, members => members.map(member => member.id), isSame).join());
  score('10', '1');
  expect([container.textContent, renders]).toEqual(['10,11', 1]);
});

it('a hook follows another lobby when its argument changes', () => {
  const { client } = openLobbies();
  const Shown = ({ of }: { of: string }) => useLobby(client, of)?.id ?? 'none';
  act(() => root.render(createElement(Shown, { of: '7' })));
  expect(container.textContent).toBe('none');
  act(() => root.render(createElement(Shown, { of: id })));
  expect(container.textContent).toBe(id);
});

it('useMessages works with a getter that makes a new list every time', () => {
  const messages$ = new BehaviorSubject<readonly { readonly content: string }[]>([{ content: 'a' }]);
  const lobby = {
    messages$,
    get messages() {
      return [...messages$.value];
    },
    unreadCount$: new BehaviorSubject(3),
    unreadCount: 3,
  };
  show(() => `${useMessages(lobby).map(({ content }) => content)} ${useUnreadCount(lobby)}`);
  act(() => messages$.next([{ content: 'a' }, { content: 'b' }]));
  expect(container.textContent).toBe('a,b 3');
});

it('useCommands takes a place that is written where it is used', () => {
  const opened: unknown[] = [];
  const commands = { status: 'current', commands: [] } as const;
  const client = {
    commands$: (place: unknown) => {
      opened.push(place);
      return new BehaviorSubject(commands);
    },
    commands: () => commands,
  };
  show(() => useCommands(client as never, { guildId: '5' }).status);
  act(() => root.render(createElement(() => useCommands(client as never, { guildId: '5' }).status)));
  expect(container.textContent).toBe('current');
  expect(opened).toEqual([{ guildId: '5' }, { guildId: '5' }]);
});

it('a component that goes leaves no subscription behind, in strict mode too', () => {
  const status$ = new BehaviorSubject({ status: 'ready' });
  const Shown = () => useStatus({ status$, status: status$.value } as never).status;
  act(() => root.render(createElement(StrictMode, null, createElement(Shown))));
  act(() => root.render(null));
  expect(status$.observed).toBe(false);
});

it('useFriends renders what is selected of the friends, and useUser one of them', () => {
  const people = new People('http://127.0.0.1', new LobbyNews());
  const relationships = ['2', '3'].map(one => ({ id: one, type: 1, user: { id: one, username: `user${one}` } }));
  people.began({ user: { id: '9' }, relationships, presences: [] });
  const friends = {
    friends$: people.friends$,
    requests$: people.requests$,
    blocked$: people.blocked$,
    get friends() {
      return people.friends;
    },
    get requests() {
      return people.requests;
    },
    get blocked() {
      return people.blocked;
    },
  };
  const client = {
    friends,
    users: { user$: (one: string) => people.user$(one), user: (one: string) => people.user(one) },
  };
  show(() => `${useFriends(client, ({ offline }) => offline.length)} ${useUser(client, '2')?.status}`);
  expect([container.textContent, renders]).toEqual(['2 offline', 1]);
  act(() => people.apply('PRESENCE_UPDATE', { user: { id: '2' }, status: 'online', activities: [] }));
  expect(container.textContent).toBe('1 online');
  const before = renders;
  act(() => people.apply('RELATIONSHIP_UPDATE', { id: '3', type: 1, nickname: 'Three' }));
  expect(renders).toBe(before);
});
