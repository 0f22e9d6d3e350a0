import type { Client, ConnectionStatus } from '@rallypoint/sdk';
import type { GameWindowServer, SignInSnapshot } from '@rallypoint/sdk/electron/main';
import { isAccidental, nameOf, titleOf } from '../shared/names.ts';
import { endingOf, problemOf } from '../shared/problem.ts';
import type { Tone } from '../shared/state.ts';
import type { Journal } from './journal.ts';

/** What {@link noteNews} reads, and where it writes. */
export interface NewsParts {
  readonly client: Client;
  readonly windows: GameWindowServer;
  readonly journal: Journal;
}

type Note = readonly [text: string, tone?: Tone];

const connectionNews: Readonly<Partial<Record<ConnectionStatus, Note>>> = {
  ready: ['Connected: everything you see is live.', 'good'],
  reconnecting: ['The connection was lost. The game tries again by itself.', 'warning'],
};

const inviteWords = { join: 'invites you to join', join_request: 'would like to join you' } as const;

const memberNews = {
  memberJoined: 'joined',
  memberLeft: 'left',
  memberConnected: 'is back',
  memberDisconnected: 'went offline',
} as const;

/** Notes what happens to the sign-in, to the connection and in the player's lobbies. */
export function noteNews({ client, windows, journal }: NewsParts): void {
  let before: SignInSnapshot = { status: 'opening' };
  windows.credentials$.subscribe(now => {
    const note = now && now.status !== before.status ? signInNews(before, now) : undefined;
    if (note) journal.note(...note);
    before = now ?? before;
  });
  let last: ConnectionStatus = 'disconnected';
  client.status$.subscribe(({ status, error }) => {
    if (status === last) return;
    last = status;
    const note = connectionNews[status];
    if (note) journal.note(...note);
    if (status === 'disconnected' && error) journal.note(`Not connected: ${problemOf(error).message}`, 'bad');
  });
  client.events$.subscribe(event => {
    switch (event.type) {
      case 'memberJoined':
      case 'memberLeft':
      case 'memberConnected':
      case 'memberDisconnected': {
        const { type, lobbyId, member } = event;
        const lobby = client.lobby(lobbyId);
        const text = `${nameOf(member)} ${memberNews[type]}`;
        const news = { lobbyId, memberId: member.id, isJoin: type === 'memberJoined', text };
        if (lobby) journal.note(`${titleOf(lobby)}: ${text}.`, 'plain', news);
        break;
      }
      case 'relationshipCreated': {
        const { displayName, relationship } = event.user;
        const [kind, where] = event.isGame ? [relationship.gameType, ' in this game'] : [relationship.type, ''];
        if (kind === 'friend') journal.note(`You and ${displayName} are friends${where}.`, 'good');
        if (kind === 'incoming') journal.note(`${displayName} would like to be your friend${where}.`);
        break;
      }
      case 'inviteReceived':
        journal.note(`${event.invite.sender?.displayName ?? 'A player'} ${inviteWords[event.invite.type]}.`);
        break;
      case 'lobbyLeft':
        if (!isAccidental(event.lobby)) journal.note(`You left ${titleOf(event.lobby)}.`);
        break;
      case 'removed':
      case 'lobbyEnded':
        journal.note(`${titleOf(event.lobby)} is over for you.`);
    }
  });
}

function signInNews(before: SignInSnapshot, now: SignInSnapshot): Note | undefined {
  const why = now.error && problemOf(now.error).message;
  switch (now.status) {
    case 'unavailable':
      return [`Your sign-in cannot be kept: ${why}`, 'warning'];
    case 'signing-in':
      return ['The browser opens, for you to sign in.'];
    case 'signed-in':
      return [before.status === 'opening' ? 'Still signed in from last time.' : 'You are signed in.', 'good'];
    case 'signed-out':
      if (why !== undefined) return [`Signing in did not succeed: ${why}`, 'warning'];
      if (before.status === 'signing-out') return ['You signed out: here, in other windows and at the service.'];
      if (before.status === 'signed-in') return [endingOf(now)?.message ?? 'You are signed out.', 'warning'];
      return before.status === 'opening' ? ['Ready to sign in.'] : undefined;
  }
  return undefined;
}
