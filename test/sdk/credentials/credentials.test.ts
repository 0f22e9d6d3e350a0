import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { KeychainError } from '../../../src/model/errors/errors.ts';
import { AuthorizationArgs } from '../../../src/sdk/auth/authorization-args.ts';
import { Client } from '../../../src/sdk/client.ts';
import type { Credentials, CredentialsSnapshot } from '../../../src/sdk/credentials/credentials.ts';
import { openCredentials } from '../../../src/sdk/credentials/open-credentials.ts';
import type { Keychain } from '../../../src/sdk/keychain/keychain.ts';
import { memoryKeychain } from '../../../src/sdk/keychain/opened-keychain.ts';
import { silentLogger, systemEntropy } from '../../../src/wire/clock/ports.ts';
import { VirtualClock } from '../../../src/wire/clock/virtual-clock.ts';
import { passTime } from '../../support/clock/pass-time.ts';
import { SleepyClock } from '../../support/clock/sleepy-clock.ts';
import { TokenOffice } from '../../support/http/token-office.ts';
import { temporaryFolder } from '../../support/runs/folder.ts';

const startMs = Date.UTC(2026, 0, 1);
const hourMs = 3_600_000;

let clock: VirtualClock;
let machine: SleepyClock;
let office: TokenOffice;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
/** What all windows of the game share. */
let shared: Keychain;
/** What the keychain refuses at present. */
let locked: Set<'get' | 'set' | 'delete'>;
let opened: { credentials: Credentials; client: Client }[];
let log: string[];
/** Whether the keychain answers nothing any more. */
let hung: boolean;

// It takes longer to load than virtual time would wait for.
beforeAll(() => import('openid-client'));

beforeEach(async () => {
  clock = new VirtualClock(startMs);
  machine = new SleepyClock(clock);
  office = new TokenOffice(machine);
  folder = await temporaryFolder();
  await office.open();
  locked = new Set();
  shared = lockable(memoryKeychain());
  opened = [];
  log = [];
  hung = false;
});

afterEach(async () => {
  office.release();
  locked.clear();
  for (const { credentials, client } of opened) {
    await credentials.close();
    await client.close();
  }
  await office.close();
  await folder.remove();
});

function lockable(keychain: Keychain): Keychain {
  const unlessLocked = (call: 'get' | 'set' | 'delete') => {
    if (locked.has(call)) throw new KeychainError('keychain_locked', 'locked');
  };
  return {
    ...keychain,
    async get(account) {
      unlessLocked('get');
      return keychain.get(account);
    },
    async set(account, secret) {
      unlessLocked('set');
      if (hung) return new Promise(() => {});
      return keychain.set(account, secret);
    },
    async delete(account) {
      unlessLocked('delete');
      return keychain.delete(account);
    },
  };
}

/** Another window of the game. */
async function open({ entropy = systemEntropy } = {}): Promise<Credentials> {
  const say = (fields: object, message: string) => log.push(JSON.stringify({ ...fields, message }));
  const logger = { ...silentLogger, info: say, warn: say };
  const client = new Client({ baseUrl: office.baseUrl, applicationId: '1', clock: machine });
  const parts = { client, keychain: shared, folder: folder.path, clock: machine, entropy, logger };
  const credentials = await openCredentials(parts);
  opened.push({ credentials, client });
  return credentials;
}

/** A window in which the player has just signed in. */
async function signedIn(): Promise<Credentials> {
  const credentials = await open();
  await credentials.accept(office.issue());
  await clock.advance(1_000);
  return credentials;
}

/** As a process does that changed what the keychain holds. */
async function tellAll(): Promise<void> {
  const files = await readdir(folder.path);
  for (const file of files.filter(name => name.endsWith('.changed'))) await writeFile(join(folder.path, file), 'told');
}

/** The same number again and again. */
const always = (byte: number) => ({ bytes: (count: number) => new Uint8Array(count).fill(byte) });
const clientOf = (credentials: Credentials) => opened.find(one => one.credentials === credentials)?.client;
const stored = async () => JSON.parse((await shared.get('1')) ?? 'null') as Record<string, unknown> | null;
/** Within a short span the work gets more real time, for its files, which are real. */
const passing = <T>(work: Promise<T>, spanMs?: number) => passTime(clock, work, spanMs, spanMs === undefined ? 2 : 20);
const refusing = (credentials: Credentials) => credentials.accessToken({ rejected: office.accessToken });

/** Resolves with the first snapshot that fits, the present one included; time passes as needed. */
async function until(credentials: Credentials, fits: (snapshot: CredentialsSnapshot) => boolean, spanMs?: number) {
  let found: (snapshot: CredentialsSnapshot) => void = () => {};
  const seen = new Promise<CredentialsSnapshot>(resolve => {
    found = resolve;
  });
  const watching = credentials.state$.subscribe(snapshot => {
    if (fits(snapshot)) found(snapshot);
  });
  return passing(seen, spanMs).finally(() => watching.unsubscribe());
}

describe('signing in and starting again', () => {
  it('start signed out, and say how they would be stored', async () => {
    const credentials = await open();
    expect(credentials.state).toEqual({
      status: 'signed-out',
      tier: 'memory',
      backend: 'memory',
      lock: expect.stringMatching(/^(native|sqlite)$/),
    });
    expect(Object.isFrozen(credentials.state)).toBe(true);
    await expect(credentials.accessToken()).rejects.toMatchObject({ name: 'OAuthError', code: 'signed_out' });
  });

  it('store accepted tokens, and pass them to the client', async () => {
    const credentials = await signedIn();
    expect(credentials.state).toMatchObject({
      status: 'signed-in',
      scopes: 'openid',
      expiresAtMs: startMs + hourMs,
    });
    expect(clientOf(credentials)?.isAuthenticated).toBe(true);
    expect(await credentials.accessToken()).toBe('access-1');
    expect(await stored()).toMatchObject({ generation: 1, accessToken: 'access-1', refreshToken: 'refresh-1' });
  });

  it('are found by the next start', async () => {
    await (await signedIn()).close();
    const next = await open();
    expect(next.state.status).toBe('signed-in');
    expect(clientOf(next)?.isAuthenticated).toBe(true);
    expect(await next.accessToken()).toBe('access-1');
    expect(office.asked).toBe(0);
  });

  it.each([
    ['not text of ours', 'nonsense'],
    ['of a newer format', '{"format":2,"applicationId":"1"}'],
    [
      'of another application',
      '{"format":1,"applicationId":"2","generation":1,"accessToken":"a","scopes":"","receivedAtMs":0,"expiresAtMs":0}',
    ],
    ['incomplete', '{"format":1,"applicationId":"1","generation":1}'],
  ])('take an entry that is %s for nobody’s, and leave it', async (_, text) => {
    await shared.set('1', text);
    const credentials = await open();
    expect(credentials.state.status).toBe('signed-out');
    expect(await shared.get('1')).toBe(text);
    await credentials.accept(office.issue());
    expect((await open()).state.status).toBe('signed-in');
  });

  it('cannot be opened without options, a client or a keychain', async () => {
    await expect(openCredentials(undefined as never)).rejects.toMatchObject({ code: 'invalid_argument' });
    await expect(openCredentials({ keychain: shared } as never)).rejects.toMatchObject({ code: 'invalid_argument' });
    const client = new Client({ baseUrl: office.baseUrl, applicationId: '1' });
    await expect(openCredentials({ client } as never)).rejects.toMatchObject({ code: 'invalid_argument' });
  });

  it('reject the sign-in to another application before a page is opened', async () => {
    const credentials = await open();
    const args = new AuthorizationArgs().setClientId('2');
    await expect(credentials.signIn(args)).rejects.toMatchObject({ name: 'ArgumentError', code: 'invalid_argument' });
    expect(await shared.get('1')).toBeUndefined();
  });

  it('do not return a token to a call that is already aborted', async () => {
    const credentials = await signedIn();
    const aborted = credentials.accessToken({ signal: AbortSignal.abort() });
    await expect(aborted).rejects.toMatchObject({ name: 'TransportError', code: 'aborted' });
    expect(await credentials.accessToken()).toBe(office.accessToken);
  });

  it('accept tokens without scopes, which another process can read', async () => {
    const { accessToken, expiresAtMs } = office.issue();
    await (await open()).accept({ accessToken, expiresAtMs } as never);
    expect((await open()).state).toMatchObject({ status: 'signed-in', scopes: '' });
  });

  it('cannot be opened without an application, with a relative folder, or while the keychain is locked', async () => {
    const { baseUrl } = office;
    const options = { client: new Client({ baseUrl }), keychain: shared, folder: folder.path };
    await expect(openCredentials(options)).rejects.toMatchObject({ code: 'missing_application_id' });
    const client = new Client({ baseUrl, applicationId: '1' });
    await expect(openCredentials({ ...options, client, folder: 'here' })).rejects.toMatchObject({
      code: 'invalid_folder',
    });
    locked.add('get');
    await expect(open()).rejects.toMatchObject({ name: 'KeychainError', code: 'keychain_locked' });
  });

  it('accept only valid tokens', async () => {
    const credentials = await open();
    const tokens = office.issue();
    const refused = (changes: object) => expect(credentials.accept({ ...tokens, ...changes })).rejects;
    await refused({ accessToken: '' }).toMatchObject({ code: 'missing_access_token' });
    await refused({ accessToken: 'a\nb' }).toMatchObject({ code: 'invalid_credential' });
    for (const expiresAtMs of [Number.NaN, undefined]) {
      await refused({ expiresAtMs }).toMatchObject({ code: 'invalid_expiry' });
    }
    await expect(credentials.accept(undefined as never)).rejects.toMatchObject({ code: 'invalid_argument' });
    expect(credentials.state.status).toBe('signed-out');
    expect(credentials.state.status).toBe('signed-out');
    expect(await stored()).toBeNull();
  });

  it('accept no tokens that the keychain cannot store', async () => {
    const credentials = await signedIn();
    locked.add('set');
    const other = { ...office.issue(), accessToken: 'other' };
    await expect(credentials.accept(other)).rejects.toMatchObject({ code: 'keychain_locked' });
    expect(await credentials.accessToken()).toBe('access-1');
  });

  it('are shared by all windows, for sign-in and sign-out', async () => {
    const [one, other] = [await open(), await open()];
    await one.accept(office.issue());
    await until(other, ({ status }) => status === 'signed-in');
    expect(await other.accessToken()).toBe('access-1');
    await other.signOut();
    await until(one, ({ status }) => status === 'signed-out');
    expect(one.state.reason).toBe('signed-out');
    expect(clientOf(one)?.isAuthenticated).toBe(false);
  });
});

describe('refreshing before the expiry', () => {
  it.each([
    ['at the earliest', 255, 0.85],
    ['at the latest', 0, 0.9],
  ])('refresh between 85 and 90 per cent of the token’s life: %s', async (_, byte, fraction) => {
    const credentials = await open({ entropy: always(byte) });
    await credentials.accept(office.issue());
    await clock.advance(Math.floor(hourMs * fraction) - 1_000);
    expect(office.asked).toBe(0);
    await clock.advance(2_000);
    await until(credentials, ({ expiresAtMs = 0 }) => expiresAtMs > startMs + hourMs);
    expect(office.refreshed).toBe(1);
    expect(await credentials.accessToken()).toBe('access-2');
  });

  it('continues while the player is signed in', async () => {
    const credentials = await open({ entropy: always(0) });
    await credentials.accept(office.issue());
    for (let i = 0; i < 5; i++) {
      const before = credentials.state.expiresAtMs ?? 0;
      await clock.advance(before - machine.now() - 0.1 * hourMs - 1);
      await until(credentials, ({ expiresAtMs = 0 }) => expiresAtMs > before);
      expect(machine.now()).toBeLessThan(before);
    }
    expect(office.refreshed).toBe(5);
    expect(await stored()).toMatchObject({ generation: 6, refreshToken: 'refresh-6' });
  });

  it('happens within seconds of waking up when the machine slept past it', async () => {
    const credentials = await signedIn();
    machine.sleep(8 * hourMs);
    await until(credentials, ({ expiresAtMs = 0 }) => expiresAtMs > machine.now(), 7_000);
    expect(office.refreshed).toBe(1);
  });

  it('happens first when a start finds an expired token', async () => {
    await (await signedIn()).close();
    machine.sleep(8 * hourMs);
    const next = await open();
    expect(await passing(next.accessToken())).toBe('access-2');
    expect(office.refreshed).toBe(1);
  });

  it('is shared by concurrent callers, and aborting one call does not abort it', async () => {
    const credentials = await signedIn();
    office.moods = ['hold'];
    const abort = new AbortController();
    const asking = Array.from({ length: 20 }, () => refusing(credentials));
    const leaving = credentials.accessToken({ rejected: 'access-1', signal: abort.signal });
    const left = expect(leaving).rejects.toMatchObject({ name: 'TransportError', code: 'aborted' });
    await passing(office.untilAsked(1));
    abort.abort();
    await left;
    office.release();
    expect(new Set(await passing(Promise.all(asking)))).toEqual(new Set(['access-2']));
    expect(office.asked).toBe(1);
  });

  it('happens once for all windows, which then have the new token', async () => {
    const windows = [await signedIn(), await open(), await open(), await open()];
    const tokens = await passing(Promise.all(windows.map(one => one.accessToken({ rejected: 'access-1' }))));
    expect(new Set(tokens)).toEqual(new Set(['access-2']));
    machine.sleep(8 * hourMs);
    for (const one of windows) await until(one, ({ expiresAtMs = 0 }) => expiresAtMs > machine.now());
    expect(office.asked).toBe(2);
    for (const one of windows) expect(await one.accessToken()).toBe('access-3');
  });

  it('returns no rejected token, and returns the current one to a caller that rejects an older one', async () => {
    const credentials = await signedIn();
    expect(await passing(credentials.accessToken({ rejected: 'access-1' }))).toBe('access-2');
    expect(await credentials.accessToken({ rejected: 'access-1' })).toBe('access-2');
    expect(office.asked).toBe(1);
  });

  it('also happens for an expired token that another process stored', async () => {
    const credentials = await signedIn();
    await shared.set('1', JSON.stringify({ ...(await stored()), accessToken: 'older', expiresAtMs: startMs }));
    machine.sleep(8 * hourMs);
    expect(await passing(credentials.accessToken())).toBe('access-2');
    expect(office.refreshed).toBe(1);
  });

  it('happens at most every five seconds, however short-lived the tokens are', async () => {
    const credentials = await signedIn();
    office.lifeSeconds = 0;
    await expect(passing(refusing(credentials))).rejects.toMatchObject({ code: 'no_usable_token' });
    const before = office.asked;
    await passing(clock.advance(0).then(() => office.untilAsked(before + 3)));
    const sinceMs = machine.now();
    await passing(office.untilAsked(before + 6));
    expect(machine.now() - sinceMs).toBeGreaterThanOrEqual(3 * 5_000 - 1_000);
    expect(credentials.state.status).toBe('signed-in');
  });

  it('is impossible without a refresh token: the sign-in ends with the access token', async () => {
    const credentials = await open();
    const { refreshToken, ...provisional } = office.issue();
    await credentials.accept(provisional);
    await clock.advance(hourMs - 1_000);
    expect(credentials.state.status).toBe('signed-in');
    await until(credentials, ({ status }) => status === 'signed-out');
    expect(credentials.state.reason).toBe('expired');
    expect(office.asked).toBe(0);
    expect(await stored()).toBeNull();
    await expect(credentials.accessToken()).rejects.toMatchObject({ code: 'signed_out' });
  });
});

describe('failed refreshes', () => {
  it('do not delay the end of a token that has no refresh token', async () => {
    const credentials = await open();
    const { refreshToken, ...provisional } = office.issue();
    await credentials.accept(provisional);
    await clock.advance(1_000);
    const refused = { rejected: 'access-1' };
    await expect(passing(credentials.accessToken(refused))).rejects.toMatchObject({ code: 'no_usable_token' });
    locked.add('get');
    await expect(passing(credentials.accessToken(refused))).rejects.toMatchObject({ code: 'keychain_locked' });
    locked.clear();
    await until(credentials, ({ trouble }) => !trouble);
    await clock.advance(startMs + hourMs - 1_000 - machine.now());
    expect(credentials.state.status).toBe('signed-in');
    await until(credentials, ({ status }) => status === 'signed-out');
    expect(credentials.state.reason).toBe('expired');
  });

  it.each([
    ['a failing service', 503, 'ApiError'],
    ['a limit', 429, 'RateLimitError'],
    ['a refusal that is not the token’s fault', 'invalid_client', 'OAuthError'],
    ['a line that breaks', 'lose', 'TransportError'],
  ] as const)('lose nothing to %s, show it, and try again', async (_, mood, name) => {
    const credentials = await signedIn();
    office.moods = [mood, mood, 'answer'];
    await expect(passing(refusing(credentials))).rejects.toMatchObject({ name });
    expect(credentials.state).toMatchObject({ status: 'signed-in', trouble: { name } });
    expect(await credentials.accessToken()).toBe('access-1');
    await until(credentials, ({ trouble }) => !trouble, 300_000);
    expect(await credentials.accessToken()).toBe('access-2');
    expect(office.refreshed).toBe(1);
  });

  it('lose nothing when the service never answers', async () => {
    const credentials = await signedIn();
    office.moods = ['hold', 'answer'];
    await expect(passing(refusing(credentials))).rejects.toMatchObject({ code: 'deadline_exceeded' });
    await until(credentials, ({ trouble }) => !trouble, 60_000);
    expect(await credentials.accessToken()).toBe('access-2');
    expect(office.refreshed).toBe(1);
  });

  it('are retried with growing pauses, of five minutes at most', async () => {
    const credentials = await signedIn();
    office.moods = [500];
    await expect(passing(refusing(credentials))).rejects.toMatchObject({ name: 'ApiError' });
    for (let i = 0; i < 60; i++) await clock.advance(60_000);
    expect(office.asked).toBeGreaterThan(12);
    expect(office.asked).toBeLessThan(40);
    expect(credentials.state.status).toBe('signed-in');
  });

  it('reject accessToken() after the expiry, and the player stays signed in', async () => {
    const credentials = await signedIn();
    office.moods = [500];
    machine.sleep(2 * hourMs);
    await expect(passing(credentials.accessToken())).rejects.toMatchObject({ name: 'ApiError' });
    expect(credentials.state.status).toBe('signed-in');
    office.moods = ['answer'];
    expect(await passing(credentials.accessToken())).toBe('access-2');
  });

  it.each([
    ['once a second after three failures', [500], 3_600, { name: 'ApiError' }, 3, 1],
    ['not before the time that a limit names', [429], 3_600, { code: 'rate_limited' }, 1, 20],
    ['once a second after three tokens that have expired already', ['answer'], 0, { code: 'no_usable_token' }, 3, 1],
  ] as const)(
    'reach the service %s, however often the game asks',
    async (_, moods, lifeSeconds, error, attempts, seconds) => {
      const credentials = await signedIn();
      office.moods = [...moods];
      office.lifeSeconds = lifeSeconds;
      machine.sleep(2 * hourMs);
      for (let attempt = 0; attempt < attempts; attempt++)
        await expect(passing(credentials.accessToken())).rejects.toMatchObject(error);
      const asked = office.asked;
      for (let call = 0; call < 10; call++) await expect(credentials.accessToken()).rejects.toMatchObject(error);
      expect(office.asked).toBe(asked);
      office.moods = ['answer'];
      office.lifeSeconds = 3_600;
      await clock.advance(seconds * 1_000);
      expect(await passing(credentials.accessToken())).toMatch(/^access-/);
      expect(office.asked).toBe(asked + 1);
    },
  );

  it('end the sign-in in all windows when the service reports a revoked grant', async () => {
    const [one, other] = [await signedIn(), await open()];
    office.moods = ['invalid_grant'];
    await expect(passing(one.accessToken({ rejected: 'access-1' }))).rejects.toMatchObject({ code: 'signed_out' });
    expect(one.state).toMatchObject({ status: 'signed-out', reason: 'revoked' });
    expect(clientOf(one)?.isAuthenticated).toBe(false);
    expect(await stored()).toBeNull();
    await until(other, ({ status }) => status === 'signed-out');
    office.moods = ['answer'];
    await one.accept(office.issue());
    expect(one.state).not.toHaveProperty('reason');
  });

  it('are ignored when another process has stored a newer credential, of any player', async () => {
    const credentials = await signedIn();
    office.moods = ['hold'];
    const asking = refusing(credentials);
    await passing(office.untilAsked(1));
    // As a process would that holds another lock.
    const newer = { ...(await stored()), accessToken: 'newer', refreshToken: 'newer-refresh' };
    await shared.set('1', JSON.stringify({ ...newer, attempt: undefined }));
    office.issue();
    office.release();
    office.moods = ['invalid_grant'];
    await passing(asking).catch(() => {});
    expect(credentials.state.status).toBe('signed-in');
  });
});

describe('an answer to a refresh that is lost', () => {
  it('is requested again with the same key, also by another process, and the player stays signed in', async () => {
    const one = await signedIn();
    office.moods = ['lose'];
    await expect(passing(refusing(one))).rejects.toMatchObject({ code: 'connection_lost' });
    expect(await stored()).toMatchObject({ refreshToken: 'refresh-1', attempt: { key: expect.any(String) } });
    await one.close();
    office.moods = ['answer'];
    const next = await open();
    await until(next, ({ expiresAtMs }) => expiresAtMs !== startMs + hourMs);
    expect(await next.accessToken()).toBe('access-2');
    expect(await stored()).not.toHaveProperty('attempt');
    expect(office).toMatchObject({ asked: 2, refreshed: 1 });
  });

  it('is requested again by another window within seconds when its process dies', async () => {
    const other = await signedIn();
    // What a process leaves that was killed between the service and the keychain.
    const attempt = { key: 'k'.repeat(32), sinceMs: machine.now() };
    await shared.set('1', JSON.stringify({ ...(await stored()), attempt }));
    await tellAll();
    await until(other, ({ expiresAtMs }) => expiresAtMs !== startMs + hourMs);
    expect(await other.accessToken()).toBe('access-2');
  });

  it('is requested again immediately when the clock of the process that asked was ahead', async () => {
    const one = await signedIn();
    const attempt = { key: 'k'.repeat(32), sinceMs: machine.now() + 24 * hourMs };
    await one.close();
    await shared.set('1', JSON.stringify({ ...(await stored()), attempt }));
    const next = await open();
    await until(next, ({ expiresAtMs }) => expiresAtMs !== startMs + hourMs, 5_000);
    expect(await next.accessToken()).toBe('access-2');
  });

  it('signs the player out as interrupted where the service does not support keys', async () => {
    const credentials = await signedIn();
    office.knowsKeys = false;
    office.moods = ['lose', 'answer'];
    await expect(passing(refusing(credentials))).rejects.toMatchObject({ code: 'connection_lost' });
    await until(credentials, ({ status }) => status === 'signed-out');
    expect(credentials.state.reason).toBe('interrupted');
  });
});

const dayMs = 24 * hourMs;

describe('a clock that is wrong for a while', () => {
  /** Time passes, with some real time for requests in each quarter of a second. */
  async function live(ms: number): Promise<void> {
    for (let passedMs = 0; passedMs < ms; passedMs += 250) {
      await clock.advance(250);
      await setTimeout(5);
    }
  }

  const fetchUser = (credentials: Credentials) => passing(Promise.resolve(clientOf(credentials)?.fetchCurrentUser()));

  beforeEach(() => {
    office.serviceTime = () => clock.now();
  });

  it.each([
    ['8 days ahead', 8 * dayMs],
    ['8 days behind', -8 * dayMs],
    ['an hour ahead', hourMs],
  ])('signs nobody out, keeps every new pair, and delays no later refresh: %s', async (_, byMs) => {
    const credentials = await open({ entropy: always(0) });
    await credentials.accept(office.issue());
    machine.sleep(byMs);
    await live(15_000);
    machine.sleep(-byMs);
    await live(10_000);
    expect(credentials.state).not.toHaveProperty('trouble');
    expect(office.refreshed).toBeLessThanOrEqual(1);
    expect(await fetchUser(credentials)).toMatchObject({ id: '9' });
    for (let round = 0; round < 3; round++) {
      const { asked } = office;
      await clock.advance(0.9 * hourMs - 45_000);
      await passing(office.untilAsked(asked + 1));
      expect(await fetchUser(credentials)).toMatchObject({ id: '9' });
      expect(credentials.state.status).toBe('signed-in');
      expect(office.asked).toBe(asked + 1);
    }
  });

  it('accepts the new pair although its ID token has expired by the wrong clock', async () => {
    const credentials = await signedIn();
    machine.sleep(8 * dayMs);
    expect(await passing(credentials.accessToken())).toBe('access-2');
    expect(credentials.state.trouble).toBeUndefined();
    expect(await stored()).toMatchObject({ accessToken: 'access-2', refreshToken: 'refresh-2' });
  });

  it('delays the retry of a failed refresh by minutes at most, also when it is set back', async () => {
    const credentials = await signedIn();
    office.moods = [500];
    machine.sleep(8 * dayMs);
    await expect(passing(credentials.accessToken())).rejects.toMatchObject({ name: 'ApiError' });
    machine.sleep(-8 * dayMs);
    office.moods = ['answer'];
    await until(credentials, ({ trouble }) => !trouble, 300_000);
    expect(await credentials.accessToken()).toBe('access-2');
  });

  it('is noticed at the next start: a credential from the future is refreshed within seconds', async () => {
    const credentials = await signedIn();
    machine.sleep(8 * dayMs);
    await passing(credentials.accessToken());
    machine.sleep(-8 * dayMs);
    await credentials.close();
    const next = await open();
    await until(next, ({ expiresAtMs = 0 }) => expiresAtMs < startMs + dayMs, 15_000);
    expect(office.refreshed).toBe(2);
    expect(next.state.status).toBe('signed-in');
  });

  it('does not end a sign-in that has no refresh token', async () => {
    const credentials = await open();
    const { refreshToken, ...provisional } = office.issue();
    await credentials.accept(provisional);
    machine.sleep(8 * dayMs);
    await live(15_000);
    expect(await credentials.accessToken()).toBe('access-1');
    const started = await open();
    expect(started.state).toMatchObject({ status: 'signed-out', reason: 'expired' });
    machine.sleep(-8 * dayMs);
    await live(15_000);
    expect(credentials.state.status).toBe('signed-in');
    expect((await open()).state.status).toBe('signed-in');
  });

  it('ends a sign-in without a refresh token when the service rejects the token, too', async () => {
    const credentials = await open();
    const { refreshToken, ...provisional } = office.issue();
    await credentials.accept(provisional);
    office.rejectsAll = true;
    machine.sleep(8 * dayMs);
    const asking = Promise.resolve(clientOf(credentials)?.fetchCurrentUser());
    await expect(passing(asking)).rejects.toMatchObject({ status: 401 });
    expect(credentials.state).toMatchObject({ status: 'signed-out', reason: 'expired' });
  });
});

describe('a token that the service rejects', () => {
  const ask = (credentials: Credentials) => passing(Promise.resolve(clientOf(credentials)?.fetchCurrentUser()));

  it('is refreshed once, and the call is repeated with the new one', async () => {
    const credentials = await signedIn();
    office.outdate();
    expect(await ask(credentials)).toMatchObject({ id: '9' });
    expect(office.asked).toBe(1);
    expect(office.userRequests).toEqual(['access-1', office.accessToken]);
  });

  it('is refreshed once for many concurrent calls', async () => {
    const credentials = await signedIn();
    office.outdate();
    await Promise.all(Array.from({ length: 10 }, () => ask(credentials)));
    expect(office.asked).toBe(1);
  });

  it('fails the call with the first error when it cannot be refreshed', async () => {
    const credentials = await signedIn();
    office.outdate();
    office.moods = [500];
    await expect(ask(credentials)).rejects.toMatchObject({ name: 'ApiError', status: 401 });
    expect(credentials.state.status).toBe('signed-in');
  });

  it('is refreshed once a minute at most when the service rejects the new ones, too', async () => {
    const credentials = await signedIn();
    office.rejectsAll = true;
    for (let call = 0; call < 10; call++) await expect(ask(credentials)).rejects.toMatchObject({ status: 401 });
    expect(office.asked).toBe(1);
    await clock.advance(60_000);
    await expect(ask(credentials)).rejects.toMatchObject({ status: 401 });
    expect(office.asked).toBe(2);
  });
});

describe('a keychain that fails', () => {
  it('is detected before a request is sent', async () => {
    const credentials = await signedIn();
    locked.add('set');
    await expect(passing(refusing(credentials))).rejects.toMatchObject({ code: 'keychain_locked' });
    expect(office.asked).toBe(0);
    expect(credentials.state).toMatchObject({ status: 'signed-in', trouble: { code: 'keychain_locked' } });
    expect(await credentials.accessToken()).toBe('access-1');
    locked.clear();
    await until(credentials, ({ trouble }) => !trouble);
    expect(await credentials.accessToken()).toBe('access-2');
  });

  it('does not lose the new token: it is used immediately, and stored as soon as the keychain works', async () => {
    const credentials = await signedIn();
    office.moods = ['hold'];
    const asking = refusing(credentials);
    await passing(office.untilAsked(1));
    locked.add('set');
    office.release();
    expect(await passing(asking)).toBe('access-2');
    expect(credentials.state).toMatchObject({ status: 'signed-in', trouble: { code: 'keychain_locked' } });
    locked.clear();
    await until(credentials, ({ trouble }) => !trouble);
    expect(await stored()).toMatchObject({ accessToken: 'access-2' });
  });

  it('does not let other windows use the old token meanwhile', async () => {
    const [one, other] = [await signedIn(), await open()];
    office.moods = ['hold'];
    const asking = refusing(one);
    await passing(office.untilAsked(1));
    locked.add('set');
    office.release();
    await passing(asking);
    await expect(passing(other.accessToken({ rejected: 'access-1' }))).rejects.toMatchObject({
      code: 'deadline_exceeded',
    });
    expect(office.asked).toBe(1);
    locked.clear();
    await until(one, ({ trouble }) => !trouble);
    expect(await passing(other.accessToken({ rejected: 'access-1' }))).toBe('access-2');
    expect(office.asked).toBe(1);
  });

  it('is tried a last time at close, and a sign-out replaces the attempt', async () => {
    for (const end of ['close', 'signOut'] as const) {
      const credentials = await signedIn();
      office.moods = ['hold'];
      const asking = refusing(credentials);
      const before = office.asked;
      await passing(office.untilAsked(before + 1));
      locked.add('set');
      office.release();
      office.moods = ['answer'];
      const token = await passing(asking);
      locked.clear();
      await passing(credentials[end]());
      if (end === 'close') expect(await stored()).toMatchObject({ accessToken: token });
      else expect(await stored()).toBeNull();
    }
  });
});

describe('signing out', () => {
  it('revokes at the service, deletes from the keychain and disconnects the client', async () => {
    const credentials = await signedIn();
    await credentials.signOut();
    expect(office.revoked).toEqual(['refresh-1']);
    expect(await stored()).toBeNull();
    expect(credentials.state).toMatchObject({ status: 'signed-out', reason: 'signed-out' });
    expect(clientOf(credentials)?.isAuthenticated).toBe(false);
    await credentials.signOut();
    expect(office.revoked).toHaveLength(1);
  });

  it('does not revoke with revoke: false, for the player’s other machines', async () => {
    const credentials = await signedIn();
    locked.add('delete');
    await expect(credentials.signOut({ revoke: false })).rejects.toMatchObject({ code: 'keychain_locked' });
    locked.clear();
    await credentials.signOut({ revoke: false });
    expect(office.revoked).toEqual([]);
    expect(await stored()).toBeNull();
    expect(credentials.state.status).toBe('signed-out');
  });

  it('waits for a refresh in progress, and revokes its result', async () => {
    const credentials = await signedIn();
    office.moods = ['hold'];
    const asking = refusing(credentials);
    await passing(office.untilAsked(1));
    const leaving = credentials.signOut();
    office.moods = ['answer'];
    office.release();
    await passing(Promise.allSettled([asking, leaving]));
    expect(office.revoked).toEqual(['refresh-2']);
    expect(await stored()).toBeNull();
    expect(credentials.state.status).toBe('signed-out');
    await clock.advance(2 * hourMs);
    expect(office.asked).toBe(1);
  });

  it('succeeds here when the service cannot be reached', async () => {
    const credentials = await signedIn();
    office.moods = [500];
    await credentials.signOut();
    expect(credentials.state.status).toBe('signed-out');
    expect(await stored()).toBeNull();
  });

  it('succeeds when the service has revoked but the keychain fails, and the next start finds the credential rejected', async () => {
    const credentials = await signedIn();
    locked.add('delete');
    await credentials.signOut();
    expect(credentials.state.status).toBe('signed-out');
    expect(office.revoked).toEqual(['refresh-1']);
  });

  it('rejects when neither the service nor the keychain can be reached, and the player stays signed in', async () => {
    const credentials = await signedIn();
    office.moods = [500];
    locked.add('delete');
    await expect(credentials.signOut()).rejects.toMatchObject({ code: 'keychain_locked' });
    expect(credentials.state.status).toBe('signed-in');
    expect(await credentials.accessToken()).toBe('access-1');
  });

  it('can be aborted before it begins', async () => {
    const credentials = await signedIn();
    await expect(credentials.signOut({ signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'aborted' });
    expect(credentials.state.status).toBe('signed-in');
  });
});

describe('closing', () => {
  it('waits for a refresh in progress and stores its result', async () => {
    const credentials = await signedIn();
    office.moods = ['hold'];
    const asking = refusing(credentials);
    await passing(office.untilAsked(1));
    const closing = credentials.close();
    office.release();
    await passing(closing);
    expect(await asking).toBe('access-2');
    expect(await stored()).toMatchObject({ accessToken: 'access-2' });
  });

  it.each([
    ['a refresh that is never answered', 'hold', 1],
    ['the pause that a limit asks for', 429, 1],
  ] as const)('ends within a second during %s, and the next process finishes the refresh', async (_, mood, asked) => {
    const credentials = await signedIn();
    office.retryAfterSeconds = 5;
    office.moods = [mood];
    const asking = refusing(credentials).catch(() => {});
    await passing(office.untilAsked(asked));
    const sinceMs = machine.now();
    await passing(credentials.close(), 1_500);
    expect(machine.now() - sinceMs).toBeLessThanOrEqual(1_500);
    await asking;
    office.moods = ['answer'];
    const next = await open();
    expect(await passing(next.accessToken({ rejected: 'access-1' }))).toBe('access-2');
    expect(office.refreshed).toBe(1);
  });

  it('ends within a second when the keychain never answers', async () => {
    const credentials = await signedIn();
    office.moods = ['hold'];
    const asking = refusing(credentials).catch(() => {});
    await passing(office.untilAsked(1));
    hung = true;
    office.release();
    await passing(clock.advance(1_000));
    await passing(credentials.close(), 1_500);
    hung = false;
    void asking;
    expect(() => credentials.state).not.toThrow();
  });

  it('stops refreshing, rejects later calls, completes the stream, and is idempotent', async () => {
    const credentials = await signedIn();
    let isComplete = false;
    credentials.state$.subscribe({
      complete: () => {
        isComplete = true;
      },
    });
    await credentials.close();
    await credentials[Symbol.asyncDispose]();
    expect(isComplete).toBe(true);
    await clock.advance(2 * hourMs);
    expect(office.asked).toBe(0);
    for (const call of [
      credentials.accessToken(),
      credentials.accept(office.issue()),
      credentials.signOut(),
      credentials.signIn(),
    ]) {
      await expect(call).rejects.toMatchObject({ name: 'ArgumentError', code: 'closed' });
    }
    expect((await open()).state.status).toBe('signed-in');
  });
});

describe('what is published and logged', () => {
  it('contains no secret in the log', async () => {
    const credentials = await signedIn();
    office.moods = ['lose', 'answer'];
    await passing(refusing(credentials)).catch(() => {});
    await until(credentials, ({ trouble }) => !trouble);
    await credentials.signOut();
    expect(log.length).toBeGreaterThanOrEqual(3);
    for (const line of log) expect(line).not.toMatch(/access-\d|refresh-\d/);
  });

  it('is emitted when it changes, and frozen', async () => {
    const credentials = await open();
    const seen: CredentialsSnapshot[] = [];
    credentials.state$.subscribe(snapshot => seen.push(snapshot));
    await credentials.accept(office.issue());
    await clock.advance(1_000);
    await passing(refusing(credentials));
    await credentials.signOut();
    expect(seen.map(({ status }) => status)).toEqual(['signed-out', 'signed-in', 'signed-in', 'signed-out']);
    expect(seen.every(snapshot => Object.isFrozen(snapshot))).toBe(true);
  });
});
