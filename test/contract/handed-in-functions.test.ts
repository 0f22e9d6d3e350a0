import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createBackend } from '../../src/backend/index.ts';
import { Client, openCredentials } from '../../src/sdk/index.ts';
import { type Service, startService } from '../../src/service/index.ts';
import { temporaryFolder } from '../support/runs/folder.ts';
import { starfall } from '../support/service/starfall.ts';

const [application] = starfall.applications;
const broken = new Error('the game’s own fault');
const fail = () => {
  throw broken;
};
const brokenLogger = { debug: fail, info: fail, warn: fail, error: fail };

let service: Service;
beforeEach(async () => {
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
    client.updateToken('not a token');
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
