import { scryptSync } from 'node:crypto';
import { request } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type LimitProfile, limitProfiles } from '../../../../../src/model/limits/limit-profiles.ts';
import type { UserId } from '../../../../../src/model/snowflake.ts';
import { signInLifeMs } from '../../../../../src/service/features/oauth/sign-in/sign-in.ts';
import { intakeLimits } from '../../../../../src/service/support/service-limits.ts';
import { Browser, formOf, type Visited } from '../browser.ts';
import { ada, openService, type TestService } from '../support.ts';

const password = 'correct horse battery';
const wrong = 'The user name or the password is wrong.';
const signInPath = '/oauth2/sign-in';

/** As `standard`, but with fewer attempts: each takes long. */
const perUser = { requests: 3, windowMs: 300_000 };
const perAddress = { requests: 6, windowMs: 300_000 };
const perName = { requests: 4, windowMs: 3_600_000 };
const profile: LimitProfile = {
  ...limitProfiles.standard,
  buckets: {
    ...limitProfiles.standard.buckets,
    'sign-in-user': perUser,
    'sign-in-address': perAddress,
    'sign-in-name': perName,
  },
};

let service: TestService;
beforeEach(async () => {
  service = await openService(Date.now(), profile, { signIn: 'password', trustedProxies: ['127.0.0.1'] });
  await service.addFixtures({ users: [{ ...ada, password }] });
});
afterEach(() => service.close());

async function attempt(name: string, given: string, browser = new Browser()): Promise<Visited> {
  const page = await browser.get(service.authorizeUrl());
  return browser.submit(page, service.web, signInPath, { name, password: given });
}

function messageOf({ text }: Visited): string | undefined {
  return /<p class="fault"[^>]*>([^<]*)</.exec(text)?.[1];
}

/** The page without what differs from visit to visit. */
function shown({ text }: Visited): string {
  return text.replace(/name="form_token" value="[^"]*"/, '').replace(/value="(ada|nobody|ben)"/, '');
}

describe('signing in by password', () => {
  it('leads on to consent, and the user id of developer sign-in to nothing', async () => {
    const browser = new Browser();
    const page = await browser.get(service.authorizeUrl());
    expect(page.text).toContain('type="password"');
    expect(page.text).not.toContain('@ada');
    const chosen = await browser.submit(page, service.web, signInPath, { user_id: ada.id });
    expect(chosen.status).toBe(403);
    const answer = await attempt('Ada', password, browser);
    expect(answer.status).toBe(303);
    expect((await browser.get(new URL(answer.location ?? '', service.web).href)).text).toContain('@ada');
  });

  it('gives a cookie that was not there before, and none to a wrong password', async () => {
    const browser = new Browser();
    await browser.get(service.authorizeUrl());
    const planted = [...browser.cookies.values()];
    await attempt('ada', 'nonsense', browser);
    expect([...browser.cookies.values()]).toEqual(planted);
    await attempt('ada', password, browser);
    expect([...browser.cookies.values()]).not.toEqual(planted);
  });

  it('answers a wrong password, an unknown user and one without password alike', async () => {
    const answers = [await attempt('ada', 'nonsense'), await attempt('nobody', password), await attempt('ben', '')];
    for (const answer of answers) {
      expect(answer.status).toBe(403);
      expect(messageOf(answer)).toBe(wrong);
      expect(shown(answer)).toBe(shown(answers[0] ?? answer));
    }
  });

  it('never shows or logs what was given as password, and shows the name escaped', async () => {
    const given = 'hunter2-"><script>';
    const answer = await attempt(given, `secret-${given}`);
    expect(answer.text).toContain('value="hunter2-&quot;&gt;&lt;script&gt;"');
    expect(answer.text).not.toContain('secret-');
    expect(JSON.stringify([await service.log(), await service.content()])).not.toContain('hunter2');
  });

  it('rejects a form without the token of this browser before it looks at the password', async () => {
    const url = service.authorizeUrl().replace('/oauth2/authorize', signInPath);
    expect((await new Browser().post(url, { name: 'ada', password })).status).toBe(403);
    const form = formOf((await new Browser().get(service.authorizeUrl())).text, signInPath);
    const forged = await new Browser().post(service.web + form.action, { ...form.hidden, name: 'ada', password });
    expect(forged.text).not.toContain('type="password"');
  });
});

describe('the attempts of one user from one address', () => {
  it('are rejected once too many were wrong, also the right one, until the time the page says', async () => {
    for (let count = 1; count <= perUser.requests; count++) {
      expect(messageOf(await attempt('ada', `nonsense ${count}`))).toBe(wrong);
    }
    const refused = await attempt('ADA', password);
    expect(refused.status).toBe(429);
    expect(messageOf(refused)).toBe('Too many wrong attempts. Try again in 5 minutes.');
    expect(refused.headers.get('retry-after')).toBe(String(perUser.windowMs / 1000));

    await service.clock.advance(perUser.windowMs - 1);
    expect(messageOf(await attempt('ada', password))).toBe('Too many wrong attempts. Try again in a minute.');
    await service.clock.advance(1);
    expect((await attempt('ada', password)).status).toBe(303);
  });

  it('may be wrong as often as the limit says, less once, and right ones cost nothing', async () => {
    for (let count = 1; count < perUser.requests; count++) await attempt('ada', 'nonsense');
    expect((await attempt('ada', password)).status).toBe(303);
    expect((await attempt('ada', password)).status).toBe(303);
    expect(messageOf(await attempt('ada', 'nonsense'))).toBe(wrong);
    expect((await attempt('ada', password)).status).toBe(429);
  });

  it('count for a user who does not exist just as well', async () => {
    for (let count = 1; count <= perUser.requests; count++) await attempt('nobody', 'nonsense');
    expect((await attempt('nobody', 'nonsense')).status).toBe(429);
    expect((await attempt('ada', password)).status).toBe(303);
  });

  it('are bounded when they come concurrently', async () => {
    const answers = await Promise.all(
      Array.from({ length: 3 * perUser.requests }, (_, count) => attempt('ada', `nonsense ${count}`)),
    );
    expect(answers.filter(({ status }) => status === 403)).toHaveLength(perUser.requests);
  });
});

/** A browser at the address that the proxy names. */
const at = (address: string) => new Browser({ 'x-forwarded-for': address });

/** Wrong attempts for a user, one or more from each of many addresses. */
async function guessFromElsewhere(attempts: number, perGuesser = 1): Promise<void> {
  for (let count = 0; count < attempts; count++) {
    await attempt('ada', `nonsense ${count}`, at(`198.51.100.${Math.floor(count / perGuesser)}`));
  }
}

describe('the attempts of one user from many addresses', () => {
  it('do not lock the user out at another address', async () => {
    await guessFromElsewhere(perUser.requests, perUser.requests);
    expect((await attempt('ada', password, at('198.51.100.0'))).status).toBe(429);
    expect((await attempt('ada', password, at('203.0.113.1'))).status).toBe(303);
  });

  it('leave each new address one attempt once they are too many, and the user gets in', async () => {
    await guessFromElsewhere(perName.requests);
    const guesser = () => at('203.0.113.66');
    expect(messageOf(await attempt('ada', 'nonsense', guesser()))).toBe(wrong);
    expect((await attempt('ada', 'nonsense', guesser())).status).toBe(429);
    expect((await attempt('ada', password, guesser())).status).toBe(429);
    expect((await attempt('ada', password, at('198.51.100.0'))).status).toBe(429);
    expect((await attempt('ada', password, at('203.0.113.1'))).status).toBe(303);
    expect((await attempt('ben', '', guesser())).status).toBe(403);
    await service.clock.advance(perUser.windowMs);
    expect((await attempt('ada', password, guesser())).status).toBe(303);
  });

  it('leave an address where the user signed in before as many as ever', async () => {
    const home = () => at('203.0.113.1');
    expect((await attempt('ada', password, home())).status).toBe(303);
    await guessFromElsewhere(perName.requests);
    for (let count = 1; count < perUser.requests; count++) await attempt('ada', 'nonsense', home());
    expect((await attempt('ada', password, home())).status).toBe(303);
    expect(messageOf(await attempt('ada', 'nonsense', home()))).toBe(wrong);
    expect((await attempt('ada', password, home())).status).toBe(429);
  });

  it('are bounded when they come concurrently, and do not lock the user out at another address', async () => {
    const guess = (address: string) => attempt('ada', 'nonsense', at(address));
    const guessers = ['198.51.100.1', '198.51.100.2', '198.51.100.3'];
    for (const guesser of guessers) expect(messageOf(await guess(guesser))).toBe(wrong);
    const again = guessers.flatMap(guesser => Array.from({ length: perUser.requests - 1 }, () => guess(guesser)));
    const own = attempt('ada', password, at('203.0.113.1'));
    const statuses = (await Promise.all(again)).map(({ status }) => status);
    expect(statuses.filter(status => status === 403)).toHaveLength(perName.requests - guessers.length);
    expect(statuses.filter(status => status === 429)).toHaveLength(again.length - (perName.requests - guessers.length));
    expect((await own).status).toBe(303);
    const refused = await guess('198.51.100.1');
    expect(refused.headers.get('retry-after')).toBe(String(perUser.windowMs / 1000));
  });

  it('cost nothing when they are right, however many are concurrent', async () => {
    const guessers = Array.from({ length: perName.requests - 1 }, (_, count) => at(`198.51.100.${count}`));
    for (const guesser of guessers) await attempt('ada', 'nonsense', guesser);
    const answers = await Promise.all(
      Array.from({ length: 2 * perName.requests }, (_, count) => attempt('ada', password, at(`203.0.113.${count}`))),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 303));
    const [guesser = at('198.51.100.0')] = guessers;
    expect(messageOf(await attempt('ada', 'nonsense', guesser))).toBe(wrong);
    expect((await attempt('ada', 'nonsense', guesser)).status).toBe(429);
  });

  it('count by /64 of IPv6', async () => {
    for (let count = 1; count <= perUser.requests; count++) await attempt('ada', 'nonsense', at(`2001:db8::${count}`));
    expect((await attempt('ada', password, at('2001:db8::99'))).status).toBe(429);
    expect((await attempt('ada', password, at('2001:db8:0:1::1'))).status).toBe(303);
  });
});

describe('150 concurrent attempts of one user from 30 addresses', () => {
  const addresses = 30;
  const { 'sign-in-name': ofName = perName, 'sign-in-user': ofUser = perUser } = limitProfiles.standard.buckets;

  let standard: TestService;
  beforeEach(async () => {
    standard = await openService(Date.now(), 'standard', { signIn: 'password', trustedProxies: ['127.0.0.1'] });
    const content = await standard.content();
    // There are many attempts, so one costs a tenth, but still enough that they overlap.
    const [N, r, p, salt] = [2 ** 13, 8, 1, 'salt'];
    const key = scryptSync(password, salt, 32, { N, r, p }).toString('base64url');
    const kept = `scrypt$${N}$${r}$${p}$${Buffer.from(salt).toString('base64url')}$${key}`;
    await standard.restore({ ...content, passwords: [{ user_id: ada.id as UserId, name: 'ada', hash: kept }] });
  });
  afterEach(() => standard.close());

  /** @returns what sends the form, which has been opened */
  async function prepare(address: string, given: string): Promise<() => Promise<number>> {
    const browser = at(address);
    const page = await browser.get(standard.authorizeUrl());
    return async () => (await browser.submit(page, standard.web, signInPath, { name: 'ada', password: given })).status;
  }

  const prepareGuesses = (count: number) =>
    Promise.all(Array.from({ length: count }, (_, at) => prepare(`198.51.100.${at % addresses}`, 'nonsense')));

  it('are wrong as often as the limit of the name says, and do not lock the user out elsewhere', async () => {
    const first = await prepareGuesses(addresses);
    const more = await prepareGuesses(addresses * (ofUser.requests - 1));
    const own = await prepare('203.0.113.1', password);
    expect(await Promise.all(first.map(send => send()))).toEqual(first.map(() => 403));
    const [ownStatus, ...statuses] = await Promise.all([own, ...more].map(send => send()));
    expect(statuses.filter(status => status === 403)).toHaveLength(ofName.requests - addresses);
    expect(statuses.filter(status => status === 429)).toHaveLength(more.length - (ofName.requests - addresses));
    expect(ownStatus).toBe(303);
    expect(await (await prepare('203.0.113.2', password))()).toBe(303);
  });
});

describe('the attempts from one address', () => {
  it('do not lock out a user who signed in there before', async () => {
    expect((await attempt('ada', password)).status).toBe(303);
    const attempts = Array.from({ length: perAddress.requests }, (_, count) => attempt(`user-${count}`, 'nonsense'));
    await Promise.all(attempts);
    expect((await attempt('ben', 'nonsense')).status).toBe(429);
    expect((await attempt('ada', password)).status).toBe(303);
  });

  it('are rejected once too many were wrong, for any user', async () => {
    const attempts = Array.from({ length: perAddress.requests }, (_, count) => attempt(`user-${count}`, 'nonsense'));
    for (const answer of await Promise.all(attempts)) expect(messageOf(answer)).toBe(wrong);
    expect((await attempt('ada', password)).status).toBe(429);
    await service.clock.advance(perAddress.windowMs);
    expect((await attempt('ada', password)).status).toBe(303);
  });
});

describe('more concurrent attempts than can be checked', () => {
  it('are rejected quickly, and those before them are answered', async () => {
    const { signInsPerAddressMax } = intakeLimits;
    const answers = await Promise.all(
      Array.from({ length: 4 * signInsPerAddressMax }, (_, count) => attempt(`user-${count}`, 'nonsense')),
    );
    const looked = answers.filter(({ status }) => status === 403);
    expect(looked.length).toBeLessThanOrEqual(perAddress.requests);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([403, 429]));
    await service.clock.advance(perAddress.windowMs);
    expect((await attempt('ada', password)).status).toBe(303);
  });
});

describe('virtual time', () => {
  it('does not move while a password is looked at', async () => {
    const browser = new Browser();
    const form = formOf((await browser.get(service.authorizeUrl())).text, signInPath);
    const beganAtMs = service.clock.now();
    const fields = new URLSearchParams({ ...form.hidden, name: 'ada', password }).toString();
    const [cookie = ['', '']] = browser.cookies;
    const sent = request(service.web + form.action, {
      method: 'POST',
      headers: {
        cookie: cookie.join('='),
        expect: '100-continue',
        'content-type': 'application/x-www-form-urlencoded',
        'content-length': fields.length,
      },
    });
    const answered = new Promise<number | undefined>((resolve, reject) => {
      sent.on('response', response => resolve(response.resume().statusCode));
      sent.on('error', reject);
    });
    // The service has begun with the request when it asks for the body.
    await new Promise(resolve => {
      sent.on('continue', resolve);
      sent.flushHeaders();
    });
    sent.end(fields);
    await service.clock.advance(60_000);
    expect(await answered).toBe(303);
    const { sign_ins } = await service.content();
    expect(sign_ins).toMatchObject([{ user_id: ada.id, expires_at_ms: beganAtMs + signInLifeMs }]);
  });
});
