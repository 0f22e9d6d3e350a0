import type { Client, ConnectionStatus } from '@rallypoint/sdk';
import type { Tone } from '../shared/state.ts';
import type { Journal } from './journal.ts';
import { problemOf } from './problem.ts';
import type { StateStore } from './state-store.ts';

const news: Readonly<Partial<Record<ConnectionStatus, readonly [text: string, tone: Tone]>>> = {
  ready: ['Connected: everything you see is live.', 'good'],
  reconnecting: ['The connection was lost. The game tries again by itself.', 'warning'],
};

/** Shows where the client stands with the gateway, and notes what changes. */
export function watchConnection(client: Client, store: StateStore, journal: Journal, now: () => number): void {
  client.status$.subscribe(({ status, error, retryAtMs }) => {
    const before = store.state.connection;
    store.set({
      connection: {
        status,
        sinceMs: before.status === status ? before.sinceMs : now(),
        ...(retryAtMs !== undefined && { retryAtMs }),
        ...(error !== undefined && { problem: problemOf(error) }),
      },
    });
    if (before.status === status) return;
    const [text, tone] = news[status] ?? [];
    if (text !== undefined) journal.note(text, tone);
    if (status === 'disconnected' && error) journal.note(`Not connected: ${problemOf(error).message}`, 'bad');
  });
}
