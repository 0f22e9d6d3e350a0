import { describe, expect, it } from 'vitest';
import { MessageGaps, type MissedOptions } from '../../../src/sdk/lobby/message-gaps.ts';
import { readMessage } from '../../../src/sdk/lobby/message-reader.ts';
import type { LobbyMessages } from '../../../src/sdk/lobby/snapshot.ts';
import { LobbyStore } from '../../../src/sdk/lobby/store.ts';
import { type Logger, silentLogger } from '../../../src/wire/clock/ports.ts';

const said = (id: string) => ({ id, lobby_id: '1', content: `line ${id}` });
const turn = () => new Promise(resolve => setImmediate(resolve));

function setUp() {
  const store = new LobbyStore(silentLogger);
  store.apply('READY', { lobbies: [{ id: '1', application_id: '1' }] });
  store.apply('LOBBY_MESSAGE_CREATE', said('5'));
  const shown: string[] = [];
  store.messages$('1').subscribe(messages => shown.push(messages.map(({ id }) => id).join()));
  const asked: (PromiseWithResolvers<LobbyMessages> & { signal: AbortSignal; limit: number })[] = [];
  const warnings: unknown[] = [];
  const logger: Logger = { ...silentLogger, warn: fields => warnings.push(fields) };
  const load = (_: string, { limit, signal }: MissedOptions) => {
    const answer = Promise.withResolvers<LobbyMessages>();
    asked.push({ ...answer, signal, limit });
    return answer.promise;
  };
  const history = (...ids: string[]) => ids.map(id => readMessage(said(id))).filter(one => one !== undefined);
  const gaps = new MessageGaps(store, load, logger);
  const fill = () => {
    gaps.open(['1']);
    gaps.fill();
  };
  return { store, shown, asked, warnings, history, gaps, fill };
}

describe('MessageGaps', () => {
  it('shows what was missed before what came meanwhile, in one emission', async () => {
    const { store, shown, asked, history, fill } = setUp();
    fill();
    store.apply('LOBBY_MESSAGE_CREATE', said('8'));
    expect([shown, asked[0]?.limit]).toEqual([['5'], 25]);
    asked[0]?.resolve(history('5', '6', '7', '8'));
    await turn();
    expect(shown).toEqual(['5', '5,6,7,8']);
  });

  it('shows what arrived when the history cannot be loaded, and logs it', async () => {
    const { store, shown, asked, warnings, fill } = setUp();
    fill();
    store.apply('LOBBY_MESSAGE_CREATE', said('8'));
    asked[0]?.reject(new Error('no way'));
    await turn();
    expect([shown, warnings]).toEqual([
      ['5', '5,8'],
      [{ id: '1', error: expect.objectContaining({ class: 'Error', message: 'no way' }) }],
    ]);
  });

  it('starts again with another gap, and ignores the first answer', async () => {
    const { store, shown, asked, history, fill } = setUp();
    fill();
    fill();
    asked[0]?.resolve(history('6'));
    await turn();
    expect([shown, asked[0]?.signal.aborted]).toEqual([['5'], true]);
    store.apply('LOBBY_MESSAGE_CREATE', said('9'));
    asked[1]?.resolve(history('6', '7'));
    await turn();
    expect(shown).toEqual(['5', '5,6,7,9']);
  });

  it('does nothing to a lobby that is gone meanwhile, or gone and come again', async () => {
    const { store, shown, asked, history, fill } = setUp();
    fill();
    store.apply('LOBBY_DELETE', { id: '1' });
    store.apply('LOBBY_CREATE', { id: '1', application_id: '1' });
    asked[0]?.resolve(history('6', '7'));
    await turn();
    expect(shown).toEqual(['5', '']);
  });

  it('shows nothing newer from the beginning of the session on, and asks when the client is ready', async () => {
    const { store, shown, asked, history, gaps } = setUp();
    gaps.open(['1']);
    store.apply('LOBBY_MESSAGE_CREATE', said('8'));
    expect([shown, asked]).toEqual([['5'], []]);
    gaps.fill();
    gaps.fill();
    asked[0]?.resolve(history('5', '7', '8'));
    await turn();
    gaps.fill();
    expect([shown, asked.length]).toEqual([['5', '5,7,8'], 1]);
  });

  it('requests again, the next time the client is ready, what could not be loaded', async () => {
    const { shown, asked, history, gaps, fill } = setUp();
    fill();
    asked[0]?.reject(new Error('no way'));
    await turn();
    gaps.fill();
    asked[1]?.resolve(history('5', '6'));
    await turn();
    gaps.fill();
    expect([shown, asked.length]).toEqual([['5', '5,6'], 2]);
  });

  it('asks for nothing more once it was stopped', async () => {
    const { asked, gaps, fill } = setUp();
    fill();
    gaps.stop();
    gaps.fill();
    expect([asked.length, asked[0]?.signal.aborted]).toEqual([1, true]);
  });
});
