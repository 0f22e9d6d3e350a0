import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createBackend } from '../../src/backend/index.ts';
import { Client, openCredentials } from '../../src/sdk/index.ts';
import { type Service, startService } from '../../src/service/index.ts';
import { VirtualClock } from '../../src/wire/clock/virtual-clock.ts';
import { passTime } from '../support/clock/pass-time.ts';
import { temporaryFolder } from '../support/runs/folder.ts';
import { starfall } from '../support/service/starfall.ts';
import { playerToken } from '../support/service/tokens.ts';

const [application] = starfall.applications;
const broken = new Error('the game’s own fault');
const fail = () => {
  throw broken;
};
const brokenLogger = { debug: fail, info: fail, warn: fail, error: fail };

let service: Service;
let clock: VirtualClock;
beforeEach(async () => {
  clock = new VirtualClock(0);
  service = await startService({ fixtures: starfall, limits: 'off', log: brokenLogger });
});
afterEach(() => service.close());

describe('functions that are handed in and throw', () => {
  it('fail no call when they are loggers, of the service, the backend module or the client', async () => {
    const { webBase: baseUrl } = service;
    const backend = createBackend({
      applicationId: application.id,
      botToken: application.bot_token,
      baseUrl,
      logger: brokenLogger,
    });
    const lobby = await backend.lobbies.create();
    await expect(backend.lobbies.get('1')).rejects.toMatchObject({ code: 'unknown_lobby' });
    await backend.lobbies.delete(lobby.id);
    backend.close();

    const client = new Client({ applicationId: application.id, baseUrl, logger: brokenLogger });
    client.updateToken('not-a-token');
    await expect(client.connect()).rejects.toMatchObject({ code: 'gateway_closed' });
    await client.close();
  });

  it('do not stop a deploy half-way when its progress is reported to them', async () => {
    const backend = createBackend({
      applicationId: application.id,
      botToken: application.bot_token,
      baseUrl: service.webBase,
    });
    const plan = await backend.commands.plan([
      { name: 'one', description: 'One' },
      { name: 'two', description: 'Two' },
    ]);
    expect((await backend.commands.deploy(plan, { onProgress: fail })).isInSync).toBe(true);
    backend.close();
  });

  it('come back with a code, and as the cause, when they make sockets', async () => {
    const { webBase: baseUrl } = service;
    const client = new Client({ applicationId: application.id, baseUrl, socket: fail });
    client.updateToken('token');
    await expect(client.connect()).rejects.toMatchObject({ code: 'unreachable', cause: broken });
    await client.close();
  });

  it('lose the connection and not the process when their socket throws, and need not close it', async () => {
    const { webBase: baseUrl } = service;
    const down = Promise.withResolvers<void>();
    const client = new Client({
      applicationId: application.id,
      baseUrl,
      clock,
      socket(_, events) {
        queueMicrotask(() => {
          events.opened();
          events.received('{"op":10,"d":{"heartbeat_interval":40000}}');
        });
        return {
          send: fail,
          close: code => (code === 4000 ? (events.closed as (code: number) => void)(code) : undefined),
        };
      },
    });
    client.updateToken('token');
    client.status$.subscribe(({ closeCode }) => closeCode === 4000 && down.resolve());
    const connected = client.connect();
    connected.catch(() => {});
    await down.promise;
    const closed = client.close();
    await expect(connected).rejects.toMatchObject({ code: 'aborted' });
    await passTime(clock, closed);
    expect(client.status.status).toBe('disconnected');
  });

  it('may take the token away in the moment in which the connection opens', async () => {
    const { webBase: baseUrl } = service;
    const client = new Client({ applicationId: application.id, baseUrl });
    client.updateToken(await playerToken(service, starfall.users[0].id));
    client.status$.subscribe(({ status }) => status === 'connected' && client.updateToken(undefined));
    await expect(client.connect()).rejects.toMatchObject({ code: 'aborted' });
    await client.close();
    expect(client.status.status).toBe('disconnected');
  });

  it('end by the deadline when they fetch and never answer, and do not delay close()', async () => {
    const { webBase: baseUrl } = service;
    const never = new Promise<never>(() => {});
    const fetches = [() => never, async () => new Response(new ReadableStream({ pull: () => never }))];
    for (const fetch of fetches) {
      const client = new Client({ applicationId: application.id, baseUrl, fetch, clock });
      client.updateToken('token');
      const fetched = client.fetchCurrentUser();
      await expect(passTime(clock, fetched)).rejects.toMatchObject({ code: 'deadline_exceeded' });
      const refreshed = client.refreshToken('token');
      refreshed.catch(() => {});
      await client.close();
      await expect(refreshed).rejects.toMatchObject({ code: 'aborted' });
    }
  });

  it('come back with a code when they fetch, without what they threw, for it may quote a token', async () => {
    const { webBase: baseUrl } = service;
    const client = new Client({ applicationId: application.id, baseUrl, fetch: fail });
    client.updateToken('token');
    const error = await client.getUserGuilds({ whenOffline: 'fail' }).catch(caught => caught);
    expect(error.code).toMatch(/^(client_not_ready|connection_lost)$/);
    const lost = await client.connect().catch(caught => caught);
    expect([lost.code, lost.cause]).toEqual(['connection_lost', undefined]);
    await client.close();
  });

  it('come back with a code, and as the cause, when they are a keychain', async () => {
    const folder = await temporaryFolder();
    const { webBase: baseUrl } = service;
    const client = new Client({ applicationId: application.id, baseUrl });
    const keychain = { tier: 'memory', backend: 'memory', get: fail, set: fail, delete: fail } as const;
    const opened = openCredentials({ client, keychain, folder: folder.path, logger: brokenLogger });
    await expect(opened).rejects.toMatchObject({ name: 'KeychainError', code: 'keychain_unusable', cause: broken });
    await client.close();
    await folder.remove();
  });
});
