import type { Client, ConnectionStatus } from '@rallypoint/sdk';
import { isAccidental, nameOf, titleOf } from '../shared/names.ts';
import { problemOf } from '../shared/problem.ts';
import type { Tone } from '../shared/state.ts';
import type { Journal } from './journal.ts';

const connectionNews: Readonly<Partial<Record<ConnectionStatus, readonly [text: string, tone: Tone]>>> = {
  ready: ['Connected: everything you see is live.', 'good'],
  reconnecting: ['The connection was lost. The game tries again by itself.', 'warning'],
};

const memberNews = {
  memberJoined: 'joined',
  memberLeft: 'left',
  memberConnected: 'is back',
  memberDisconnected: 'went offline',
} as const;

/** Notes what happens to the connection and in the player's lobbies. */
export function noteClientNews(client: Client, journal: Journal): void {
  let last: ConnectionStatus = 'disconnected';
  client.status$.subscribe(({ status, error }) => {
    if (status === last) return;
    last = status;
    const [text, tone] = connectionNews[status] ?? [];
    if (text !== undefined) journal.note(text, tone);
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
      case 'lobbyLeft':
        if (!isAccidental(event.lobby)) journal.note(`You left ${titleOf(event.lobby)}.`);
        break;
      case 'removed':
      case 'lobbyEnded':
        journal.note(`${titleOf(event.lobby)} is over for you.`);
    }
  });
}
