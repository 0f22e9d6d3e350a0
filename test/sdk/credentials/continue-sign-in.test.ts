import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { KeychainError } from '../../../src/model/errors/errors.ts';
import { AuthorizationArgs } from '../../../src/sdk/auth/authorization-args.ts';
import { Client } from '../../../src/sdk/client.ts';
import type { Credentials } from '../../../src/sdk/credentials/credentials.ts';
import { openCredentials } from '../../../src/sdk/credentials/open-credentials.ts';
import { pendingSignInLifeMs } from '../../../src/sdk/credentials/sign-in.ts';
import type { Keychain } from '../../../src/sdk/keychain/keychain.ts';
import { memoryKeychain } from '../../../src/sdk/keychain/opened-keychain.ts';
import { type Service, startService } from '../../../src/service/index.ts';
import { silentLogger } from '../../../src/wire/clock/ports.ts';
import { VirtualClock } from '../../../src/wire/clock/virtual-clock.ts';
import { decide } from '../../support/browser/player.ts';
import { temporaryFolder } from '../../support/runs/folder.ts';
import { starfall } from '../../support/service/starfall.ts';

const [application] = starfall.applications;
const [ada] = starfall.users;
const byScheme = { redirect: 'custom-scheme' } as const;

let service: Service;
let clock: VirtualClock;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
/** What all processes of the game share: account → secret. */
let kept: Map<string, string>;
let isLocked: boolean;
let keychain: Keychain;
let processes: GameProcess[];
let log: string[];

/** A process of the game, as far as signing in goes. */
interface GameProcess {
  readonly client: Client;
  readonly credentials: Credentials;
  /** Pages that it opened. */
  readonly pages: string[];
}

beforeEach(async () => {
  service = await startService({ fixtures: starfall, limits: 'off' });
  clock = new VirtualClock(Date.now());
  folder = await temporaryFolder();
  kept = new Map();
  isLocked = false;
  keychain = listed(memoryKeychain());
  processes = [];
  log = [];
});

afterEach(async () => {
  for (const one of processes) await end(one);
  await service.close();
  await folder.remove();
});

function listed(inner: Keychain): Keychain {
  const unlessLocked = () => {
    if (isLocked) throw new KeychainError('keychain_locked', 'locked');
  };
  return {
    ...inner,
    async get(account) {
      unlessLocked();
      return kept.get(account);
    },
    async set(account, secret) {
      unlessLocked();
      kept.set(account, secret);
    },
    async delete(account) {
      unlessLocked();
      return kept.delete(account);
    },
  };
}

async function start(account?: string): Promise<GameProcess> {
  const pages: string[] = [];
  const { webBase: baseUrl } = service;
  const openBrowser = (url: string) => void pages.push(url);
  const client = new Client({ applicationId: application.id, baseUrl, openBrowser });
  const say = (fields: object, message: string) => void log.push(JSON.stringify({ ...fields, message }));
  const logger = { ...silentLogger, info: say, warn: say };
  const credentials = await openCredentials({ client, keychain, folder: folder.path, clock, logger, account });
  const one = { client, credentials, pages };
  processes.push(one);
  return one;
}

/** As the system does when a process dies: nothing of it is tidied up. */
async function end({ client, credentials }: GameProcess): Promise<void> {
  await credentials.close();
  await client.close();
}

/** A process that asked and ended before the player answered. */
async function asked(args?: AuthorizationArgs): Promise<{ page: string }> {
  const one = await start();
  const asking = expect(one.credentials.signIn(args, byScheme)).rejects.toMatchObject({ code: 'aborted' });
  await expect.poll(() => one.pages.length).toBe(1);
  await end(one);
  await asking;
  return { page: one.pages[0] ?? '' };
}

const notes = () => [...kept.keys()].filter(account => account.startsWith('sign-in-'));

describe('a sign-in whose process has ended', () => {
  it('is finished by the process that the redirect starts, which opens no page', async () => {
    const { page } = await asked();
    const answer = await decide(service, page, ada.id);
    const next = await start();
    await next.credentials.continueSignIn(answer);
    expect(next.credentials.state).toMatchObject({ status: 'signed-in', tier: 'memory' });
    expect(await next.client.fetchCurrentUser()).toMatchObject({ id: ada.id });
    expect(next.pages).toEqual([]);
    expect([...kept.keys()]).toEqual([application.id]);
  });

  it('uses the arguments of the earlier process: state, nonce and scheme', async () => {
    const scheme = `discord-${application.id}`;
    const args = new AuthorizationArgs().setState('mine').setNonce('n-0S6_WzA2Mj').setCustomSchemeParam(scheme);
    const { page } = await asked(args);
    expect(new URL(page).searchParams.get('state')).toBe('mine');
    const next = await start();
    // The ID token must carry that nonce, or the tokens would be refused.
    await next.credentials.continueSignIn(await decide(service, page, ada.id));
    expect(next.credentials.state.status).toBe('signed-in');
  });

  it('rejects when the player declined, and has ended then', async () => {
    const { page } = await asked();
    const answer = await decide(service, page, ada.id, 'deny');
    const next = await start();
    await expect(next.credentials.continueSignIn(answer)).rejects.toMatchObject({ code: 'access_denied' });
    await expect(next.credentials.continueSignIn(answer)).rejects.toMatchObject({ code: 'foreign_redirect' });
    expect(notes()).toEqual([]);
  });

  it('is finished once: the same redirect again is foreign', async () => {
    const { page } = await asked();
    const answer = await decide(service, page, ada.id);
    const next = await start();
    await next.credentials.continueSignIn(answer);
    const before = await next.credentials.accessToken();
    await expect(next.credentials.continueSignIn(answer)).rejects.toMatchObject({ code: 'foreign_redirect' });
    expect(await next.credentials.accessToken()).toBe(before);
  });

  it('is not affected by a forged redirect', async () => {
    const { page } = await asked();
    const next = await start();
    const redirect = `discord-${application.id}:/authorize/callback`;
    for (const forged of [
      `${redirect}?code=stolen&state=guessed`,
      `${redirect}?code=stolen`,
      `${redirect}?error=access_denied&state=guessed`,
      'https://example.com/?code=stolen',
      'nonsense',
      '',
    ]) {
      await expect(next.credentials.continueSignIn(forged)).rejects.toMatchObject({ code: 'foreign_redirect' });
    }
    await next.credentials.continueSignIn(await decide(service, page, ada.id));
    expect(next.credentials.state.status).toBe('signed-in');
  });

  it.each([
    ['just before 10 minutes', pendingSignInLifeMs - 1, 'signed-in'],
    ['not any more at 10 minutes', pendingSignInLifeMs, 'foreign_redirect'],
  ])('goes on %s', async (_, passedMs, outcome) => {
    const { page } = await asked();
    await clock.advance(passedMs);
    const next = await start();
    const answer = await decide(service, page, ada.id);
    const became = await next.credentials.continueSignIn(answer).then(
      () => next.credentials.state.status,
      ({ code }) => code,
    );
    expect(became).toBe(outcome);
  });

  it('cannot be finished for another account of the game', async () => {
    const { page } = await asked();
    const answer = await decide(service, page, ada.id);
    const other = await start('second player');
    await expect(other.credentials.continueSignIn(answer)).rejects.toMatchObject({ code: 'foreign_redirect' });
    await (await start()).credentials.continueSignIn(answer);
  });

  it.each(['', 'nonsense', '[]', '{"format":2}', '{"format":1,"applicationId":"1","state":5}'])(
    'is none where the keychain has %j for it',
    async text => {
      const { page } = await asked();
      kept.set(notes()[0] ?? '', text);
      const next = await start();
      const answer = await decide(service, page, ada.id);
      await expect(next.credentials.continueSignIn(answer)).rejects.toMatchObject({ code: 'foreign_redirect' });
    },
  );

  it('is the latest one where two windows began one', async () => {
    const { page: first } = await asked();
    const { page: second } = await asked();
    const next = await start();
    await expect(next.credentials.continueSignIn(await decide(service, first, ada.id))).rejects.toMatchObject({
      code: 'foreign_redirect',
    });
    await next.credentials.continueSignIn(await decide(service, second, ada.id));
    expect(next.credentials.state.status).toBe('signed-in');
  });

  it('is rejected by closed credentials', async () => {
    const one = await start();
    await one.credentials.close();
    await expect(one.credentials.continueSignIn('')).rejects.toMatchObject({ code: 'closed' });
  });
});

describe('a pending sign-in in the keychain', () => {
  it('is deleted once the player is signed in', async () => {
    const one = await start();
    const signingIn = one.credentials.signIn(undefined, byScheme);
    await expect.poll(() => one.pages.length).toBe(1);
    expect(notes().length).toBe(1);
    expect(one.client.handleRedirect(await decide(service, one.pages[0] ?? '', ada.id))).toBe(true);
    await signingIn;
    expect(notes()).toEqual([]);
  });

  it('is deleted when the player declines, and when the game aborts', async () => {
    const one = await start();
    const declined = expect(one.credentials.signIn(undefined, byScheme)).rejects.toMatchObject({
      code: 'access_denied',
    });
    await expect.poll(() => one.pages.length).toBe(1);
    one.client.handleRedirect(await decide(service, one.pages[0] ?? '', ada.id, 'deny'));
    await declined;
    expect(notes()).toEqual([]);

    const abort = new AbortController();
    const options = { ...byScheme, signal: abort.signal };
    const aborted = expect(one.credentials.signIn(undefined, options)).rejects.toMatchObject({ code: 'aborted' });
    await expect.poll(() => one.pages.length).toBe(2);
    abort.abort();
    await aborted;
    expect(notes()).toEqual([]);
  });

  it('is not deleted when another window has begun one since', async () => {
    const [one, other] = [await start(), await start()];
    const first = one.credentials.signIn(undefined, byScheme);
    await expect.poll(() => one.pages.length).toBe(1);
    const second = expect(other.credentials.signIn(undefined, byScheme)).rejects.toMatchObject({ code: 'aborted' });
    await expect.poll(() => other.pages.length).toBe(1);
    one.client.handleRedirect(await decide(service, one.pages[0] ?? '', ada.id));
    await first;
    expect(notes().length).toBe(1);
    other.client.abortAuthorize();
    await second;
    expect(notes()).toEqual([]);
  });

  it('is not deleted by a second call, which is rejected', async () => {
    const one = await start();
    const first = expect(one.credentials.signIn(undefined, byScheme)).rejects.toMatchObject({ code: 'aborted' });
    await expect.poll(() => one.pages.length).toBe(1);
    await expect(one.credentials.signIn(undefined, byScheme)).rejects.toMatchObject({
      code: 'authorization_in_progress',
    });
    expect(notes().length).toBe(1);
    one.client.abortAuthorize();
    await first;
  });

  it('is not written for loopback, whose port closes with the process', async () => {
    const one = await start();
    const asking = expect(one.credentials.signIn()).rejects.toMatchObject({ code: 'aborted' });
    await expect.poll(() => one.pages.length).toBe(1);
    expect(kept.size).toBe(0);
    one.client.abortAuthorize();
    await asking;
  });

  it('is written before the page is opened, so that a keychain that fails is reported in time', async () => {
    const one = await start();
    isLocked = true;
    await expect(one.credentials.signIn(undefined, byScheme)).rejects.toMatchObject({ code: 'keychain_locked' });
    expect(one.pages).toEqual([]);
  });

  it('does not prevent the sign-in when the keychain cannot delete it', async () => {
    const { page } = await asked();
    const answer = await decide(service, page, ada.id, 'deny');
    const next = await start();
    keychain.delete = async () => {
      throw new KeychainError('keychain_locked', 'locked');
    };
    await expect(next.credentials.continueSignIn(answer)).rejects.toMatchObject({ code: 'access_denied' });
    expect(log.join()).toContain('a finished sign-in could not be deleted from the keychain');
  });

  it('never appears in the log', async () => {
    const { page } = await asked();
    const { verifier, state } = JSON.parse(kept.get(notes()[0] ?? '') ?? '{}');
    await (await start()).credentials.continueSignIn(await decide(service, page, ada.id));
    expect(verifier.length).toBe(43);
    for (const line of log) for (const secret of [verifier, state]) expect(line).not.toContain(secret);
  });
});
