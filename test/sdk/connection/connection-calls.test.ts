import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { closeCodes, opcodes } from '../../../src/model/gateway.ts';
import { ScriptedGame } from '../../support/gateway/scripted-game.ts';

let game: ScriptedGame;
beforeEach(async () => {
  game = await ScriptedGame.start();
});
afterEach(() => game.close());

/** What came of a call, once something has. */
function outcome(call: Promise<unknown>): { readonly code?: string } {
  const seen: { code?: string } = {};
  call.then(
    () => {
      seen.code = 'done';
    },
    (error: { code?: string }) => {
      seen.code = error.code ?? 'no code';
    },
  );
  return seen;
}

const moment = () => new Promise(resolve => setImmediate(resolve));

describe('calls out of a status subscriber', () => {
  it('open one socket when a subscriber connects while the client is connecting', async () => {
    const { client, gateway } = game;
    client.status$.subscribe(({ status }) => {
      if (status === 'connecting') void client.connect();
    });
    await game.connect();
    await game.clock.advance(1_000);
    expect([gateway.asked, gateway.openMax, gateway.waiting]).toEqual([1, 1, 0]);
  });

  it.each(['connecting', 'connected', 'ready'] as const)('end the connection when it disconnects at %s', async when => {
    const { client, gateway } = game;
    client.status$.subscribe(({ status }) => {
      if (status === when) void client.disconnect();
    });
    const connecting = outcome(client.connect());
    if (when !== 'connecting') await (await gateway.link()).open().catch(() => {});
    await game.until('disconnected');
    await moment();
    expect([connecting.code, client.status.status]).toEqual(['aborted', 'disconnected']);
  });

  it('leave everybody with the same last status, each in the order of what happened', async () => {
    const { client } = game;
    client.status$.subscribe(({ status }) => {
      if (status === 'ready') void client.disconnect();
    });
    const late: string[] = [];
    client.status$.subscribe(({ status }) => late.push(status));
    client.connect().catch(() => {});
    await (await game.gateway.link()).open();
    await game.until('disconnecting');
    await game.until('disconnected');
    const expected = ['disconnected', 'connecting', 'connected', 'ready', 'disconnecting', 'disconnected'];
    expect([game.statuses, late]).toEqual([expected, expected]);
  });

  it('can connect again, with another token, as soon as the first was rejected', async () => {
    const { client, gateway } = game;
    const link = await game.connect();
    client.status$.subscribe(({ closeCode }) => {
      if (closeCode !== closeCodes.AUTHENTICATION_FAILED.code) return;
      client.updateToken('the-new-token');
      void client.connect();
    });
    link.close(closeCodes.AUTHENTICATION_FAILED.code);
    const identify = await (await gateway.link()).open();
    await game.until('ready');
    expect(identify).toMatchObject({ d: { token: 'Bearer the-new-token' } });
    expect(game.statuses.slice(-5)).toEqual(['ready', 'disconnected', 'connecting', 'connected', 'ready']);
  });
});

describe('connect()', () => {
  it('does not even begin when it was aborted before', async () => {
    const { client, gateway } = game;
    await expect(client.connect({ signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'aborted' });
    expect([game.statuses, gateway.asked]).toEqual([['disconnected'], 0]);
  });

  it('of several that wait together, ends alone when its own signal does, also the first', async () => {
    const { client } = game;
    const [own, firsts] = [new AbortController(), new AbortController()];
    const first = outcome(client.connect({ signal: firsts.signal }));
    const second = outcome(client.connect({ signal: own.signal }));
    const third = outcome(client.connect());
    const link = await game.gateway.link();
    own.abort();
    await moment();
    expect([first.code, second.code, third.code]).toEqual([undefined, 'aborted', undefined]);
    firsts.abort();
    await moment();
    expect([first.code, third.code]).toEqual(['aborted', undefined]);
    await link.open();
    await game.until('ready');
    await moment();
    expect(third.code).toBe('done');
  });

  it('ends the attempt with the last signal of those who wait for it', async () => {
    const { client } = game;
    const signals = [new AbortController(), new AbortController()];
    const calls = signals.map(({ signal }) => outcome(client.connect({ signal })));
    await game.gateway.link();
    for (const one of signals) one.abort();
    await game.until('disconnected');
    expect(calls.map(({ code }) => code)).toEqual(['aborted', 'aborted']);
    expect(game.statuses.slice(-3)).toEqual(['connecting', 'disconnecting', 'disconnected']);
  });

  it('is no longer connecting when it has been rejected, and can be called again', async () => {
    const { client, gateway } = game;
    const abort = new AbortController();
    const connecting = client.connect({ signal: abort.signal });
    const statusAfter = connecting.then(
      () => 'resolved',
      () => client.status.status,
    );
    await gateway.link();
    abort.abort();
    expect(await statusAfter).toBe('disconnecting');
    const again = client.connect();
    await (await gateway.link()).open();
    await again;
    expect(client.status.status).toBe('ready');
  });

  it('has 30 s of its own when it joins an attempt, which goes on with it', async () => {
    const { client, clock, gateway } = game;
    const first = outcome(client.connect());
    await gateway.link();
    await clock.advance(20_000);
    const second = outcome(client.connect());
    await clock.advance(10_000);
    await moment();
    expect([first.code, second.code]).toEqual(['deadline_exceeded', undefined]);
    expect(client.status.status).not.toMatch(/^disconnect/);
    await clock.advance(20_000);
    await moment();
    expect(second.code).toBe('deadline_exceeded');
    expect(client.status.status).toMatch(/^disconnect/);
  });

  it('has the reason in the status when it rejects', async () => {
    const { client, gateway } = game;
    const connecting = client.connect();
    const statusAfter = connecting.catch(() => client.status);
    (await gateway.link()).close(closeCodes.AUTHENTICATION_FAILED.code);
    const closeCode = closeCodes.AUTHENTICATION_FAILED.code;
    expect(await statusAfter).toMatchObject({ status: 'disconnected', closeCode });
  });

  it('while reconnecting waits until the client is ready again', async () => {
    const { client } = game;
    (await game.connect()).cut();
    await game.until('reconnecting');
    const again = outcome(client.connect());
    await moment();
    expect(again.code).toBeUndefined();
    const link = await game.nextLink();
    link.hello();
    await link.next();
    link.send({ op: opcodes.DISPATCH, t: 'RESUMED', d: {}, s: 2 });
    await game.until('ready');
    await moment();
    expect(again.code).toBe('done');
  });

  it('while reconnecting waits 30 s at most, which ends nothing but the wait', async () => {
    const { client } = game;
    (await game.connect()).cut();
    await game.until('reconnecting');
    const again = outcome(client.connect());
    for (let seconds = 0; seconds < 29; seconds++) await game.clock.advance(1_000);
    expect(again.code).toBeUndefined();
    await game.clock.advance(1_000);
    expect([again.code, client.status.status]).toEqual(['deadline_exceeded', expect.not.stringMatching('disconnect')]);
  });

  it('while reconnecting rejects with what ends the connection for good', async () => {
    const { client } = game;
    (await game.connect()).cut();
    await game.until('reconnecting');
    const again = outcome(client.connect());
    (await game.nextLink()).close(closeCodes.AUTHENTICATION_FAILED.code);
    await game.until('disconnected');
    await moment();
    expect(again.code).toBe('gateway_closed');
  });
});

describe('the last call counts', () => {
  it('disconnect() also takes back a connect() that waits for the end of the connection before', async () => {
    const { client, gateway } = game;
    await game.connect();
    const gone = client.disconnect();
    const connecting = outcome(client.connect());
    await client.disconnect();
    await gone;
    await game.clock.advance(1_000);
    expect([connecting.code, client.status.status, gateway.asked]).toEqual(['aborted', 'disconnected', 1]);
  });

  it('close() takes it back, too, and a second close() ends no sooner than the first', async () => {
    const { client, gateway } = game;
    await game.connect();
    const gone = client.disconnect();
    const connecting = outcome(client.connect());
    const closed = outcome(client.close());
    await client.close();
    await moment();
    expect([closed.code, connecting.code, client.status.status]).toEqual(['done', 'aborted', 'disconnected']);
    await gone;
    await game.clock.advance(1_000);
    expect([gateway.asked, gateway.waiting]).toEqual([1, 0]);
  });

  it("disconnect() also cancels reconnecting with another player's token", async () => {
    const { client, gateway } = game;
    await game.connect();
    client.updateToken({ accessToken: 'of-another', userId: '10' });
    await client.disconnect();
    await game.clock.advance(1_000);
    expect([client.status.status, gateway.asked]).toEqual(['disconnected', 1]);
  });

  it('connect() after disconnect() after connect() ends connected, with one socket at a time', async () => {
    const { client, gateway } = game;
    const first = outcome(client.connect());
    void client.disconnect();
    const second = outcome(client.connect());
    void client.disconnect();
    const third = outcome(client.connect());
    const link = await gateway.link();
    await link.open();
    await game.until('ready');
    await moment();
    expect([first.code, second.code, third.code]).toEqual(['aborted', 'aborted', 'done']);
    expect([gateway.openMax, gateway.waiting]).toEqual([1, 0]);
  });
});
