import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Client } from '../../src/sdk/client.ts';
import type { Credentials } from '../../src/sdk/credentials/credentials.ts';
import { openCredentials } from '../../src/sdk/credentials/open-credentials.ts';
import { memoryKeychain } from '../../src/sdk/keychain/opened-keychain.ts';
import { type Service, startService } from '../../src/service/service.ts';
import { browserOf, signIn } from '../support/browser/player.ts';
import { temporaryFolder } from '../support/runs/folder.ts';
import { starfall } from '../support/service/starfall.ts';

const [application] = starfall.applications;
const [ada] = starfall.users;

let service: Service;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let client: Client;
let credentials: Credentials;

beforeEach(async () => {
  service = await startService({ fixtures: starfall });
  folder = await temporaryFolder();
  client = new Client({
    applicationId: application.id,
    baseUrl: service.webBase,
    openBrowser: browserOf(service, ada.id),
  });
  credentials = await openCredentials({ client, keychain: memoryKeychain(), folder: folder.path });
});

afterEach(async () => {
  await credentials.close();
  await client.close();
  await service.close();
  await folder.remove();
});

describe('connecting with credentials', () => {
  it('takes the token of the player who is signed in', async () => {
    await credentials.signIn();
    await credentials.connect();
    expect(client.status).toMatchObject({ status: 'ready', userId: ada.id });
  });

  it('refreshes a token that has ended first', async () => {
    const tokens = await signIn(client);
    await credentials.accept({ ...tokens, expiresAtMs: Date.now() - 1 });
    await credentials.connect();
    expect(await credentials.accessToken()).not.toBe(tokens.accessToken);
    expect(client.status.status).toBe('ready');
  });

  it('refreshes a token that the gateway rejects, and connects with the new one', async () => {
    const tokens = await signIn(client);
    await credentials.accept({ ...tokens, accessToken: 'no-such-token' });
    await credentials.connect();
    expect(client.status).toMatchObject({ status: 'ready', userId: ada.id });
  });

  it('gives up when there is no other token, and when no user is signed in', async () => {
    await expect(credentials.connect()).rejects.toMatchObject({ code: 'signed_out' });
    const { expiresAtMs, scopes } = await signIn(client);
    await credentials.accept({ accessToken: 'no-such-token', refreshToken: 'no-such-token', expiresAtMs, scopes });
    await expect(credentials.connect()).rejects.toMatchObject({ code: 'signed_out' });
    expect(client.status.status).toBe('disconnected');
  });

  it('ends by its signal', async () => {
    await credentials.signIn();
    await expect(credentials.connect({ signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'aborted' });
    expect(client.status.status).toBe('disconnected');
  });
});
