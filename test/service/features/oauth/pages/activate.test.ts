import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { limitProfiles } from '../../../../../src/model/limits/limit-profiles.ts';
import { serviceLimits } from '../../../../../src/service/support/service-limits.ts';
import { Browser, type Visited } from '../browser.ts';
import { ada, ben, openService, type TestService } from '../support.ts';

const page = '/oauth2/activate';
const signIn = `${page}/sign-in`;
const signOut = `${page}/sign-out`;

let service: TestService;
beforeEach(async () => {
  service = await openService(Date.now(), 'standard');
});
afterEach(() => service.close());

/** Follows redirects within the service. */
async function follow(browser: Browser, visited: Visited): Promise<Visited> {
  let last = visited;
  while (last.location?.startsWith('/')) last = await browser.get(service.web + last.location);
  return last;
}

async function open(
  userCode: string | undefined,
  userId: string = ada.id,
): Promise<{ browser: Browser; page: Visited }> {
  const browser = new Browser();
  const query = userCode === undefined ? '' : `?${new URLSearchParams({ user_code: userCode })}`;
  const first = await follow(browser, await browser.get(`${service.web}/activate${query}`));
  if (!first.text.includes(signIn)) return { browser, page: first };
  const answer = await browser.submit(first, service.web, signIn, { user_id: userId });
  return { browser, page: await follow(browser, answer) };
}

describe('the page for devices', () => {
  it('asks for the code, then for sign-in, then for consent, and says that the device is connected', async () => {
    const { deviceCode, userCode } = await service.startDevice();
    const empty = (await open(undefined)).page;
    expect(empty.text).toContain('Enter the code that your game or device shows.');
    expect(empty.headers.getSetCookie()).toEqual([]);
    const { browser, page: consent } = await open(userCode);
    expect(consent.text).toContain('Darf Starfall dein Konto auf deinem Gerät verwenden?');
    expect(consent.text).toContain(userCode);
    const done = await browser.submit(consent, service.web, `${page}?`, { decision: 'approve' });
    expect(done.status).toBe(200);
    expect(done.text).toContain('Dein Gerät ist verbunden');
    expect(done.text).toContain('Starfall');
    expect((await service.pollDevice(deviceCode)).status).toBe(200);
  });

  it('denies when the user cancels, and for anything but "approve"', async () => {
    for (const decision of ['deny', 'Approve']) {
      const { deviceCode, userCode } = await service.startDevice();
      const { browser, page: consent } = await open(userCode);
      const done = await browser.submit(consent, service.web, `${page}?`, { decision });
      expect(done.text).toContain('Dein Gerät ist nicht verbunden');
      expect(done.text).toContain('Starfall');
      expect((await service.pollDevice(deviceCode)).body).toMatchObject({ error: 'access_denied' });
    }
  });

  it('tells the device when a banned user cancels', async () => {
    await service.addFixtures({ users: [{ ...ben, banned: true }] });
    const { deviceCode, userCode } = await service.startDevice();
    const { browser, page: consent } = await open(userCode, ben.id);
    expect((await browser.submit(consent, service.web, `${page}?`, { decision: 'approve' })).status).toBe(403);
    expect((await browser.submit(consent, service.web, `${page}?`, { decision: 'deny' })).status).toBe(200);
    expect((await service.pollDevice(deviceCode)).body).toMatchObject({ error: 'access_denied' });
  });

  it('takes the code in small letters, with blanks and hyphens', async () => {
    const { userCode } = await service.startDevice();
    const typed = ` ${userCode.slice(0, 4).toLowerCase()} - ${userCode.slice(4)} `;
    expect((await open(typed)).page.text).toContain('Starfall');
  });

  it.each(['nonsense', 'BCDFGHJK', '<script>'])(
    'shows the form again for the code %j, which is nobody’s',
    async code => {
      const { page: again } = await open(code);
      expect(again.status).toBe(404);
      expect(again.text).toContain('Kein Gerät zeigt diesen Code an');
      expect(again.text).toContain(`value="${code.replace('<', '&lt;').replace('>', '&gt;')}"`);
      expect(again.text).not.toContain('<script');
    },
  );

  it('shows what a code is for only after sign-in', async () => {
    const { userCode } = await service.startDevice();
    const browser = new Browser();
    const known = await browser.get(`${service.web}${page}?user_code=${userCode}`);
    const unknown = await browser.get(`${service.web}${page}?user_code=BCDFGHJK`);
    expect(known.text).not.toContain('Starfall');
    expect(known.text.replaceAll(userCode, '')).toBe(unknown.text.replaceAll('BCDFGHJK', ''));
  });

  it('says that the code was answered already, or has expired meanwhile', async () => {
    const { userCode } = await service.startDevice();
    const [mine, theirs] = [await open(userCode), await open(userCode, ben.id)];
    await mine.browser.submit(mine.page, service.web, `${page}?`, { decision: 'approve' });
    const answered = await theirs.browser.submit(theirs.page, service.web, `${page}?`, { decision: 'approve' });
    expect(answered.status).toBe(409);
    expect(answered.text).toContain('This code has already been used');
    expect((await theirs.browser.get(`${service.web}${page}?user_code=${userCode}`)).status).toBe(409);

    const late = await service.startDevice();
    const { browser, page: consent } = await open(late.userCode);
    await service.clock.advance(serviceLimits.deviceCodeLifeMs);
    expect((await browser.submit(consent, service.web, `${page}?`, { decision: 'approve' })).status).toBe(404);
  });

  it('lets a user guess as often as the limit says, and says when to try again', async () => {
    const { requests, windowMs } = limitProfiles.standard.buckets['oauth-user-code'] ?? expect.fail();
    const { browser } = await open('BCDFGHJK');
    for (let count = 2; count <= requests; count++) {
      expect((await browser.get(`${service.web}${page}?user_code=BCDFGHJ${'KLMNPQRSTVWXZ'[count]}`)).status).toBe(404);
    }
    const { userCode } = await service.startDevice();
    const refused = await browser.get(`${service.web}${page}?user_code=${userCode}`);
    expect(refused.status).toBe(429);
    expect(refused.text).toContain('Zu viele falsche Codes. Versuche es in einer Minute noch einmal.');
    expect(refused.headers.get('retry-after')).toBe(String(windowMs / 1000));
    await service.clock.advance(windowMs);
    expect((await browser.get(`${service.web}${page}?user_code=${userCode}`)).status).toBe(200);
  });

  it.each([page, signIn, signOut])('rejects a forged form at %s and leads back to where it began', async path => {
    const { userCode } = await service.startDevice();
    const { browser } = await open(userCode);
    const url = `${service.web}${path}?user_code=${userCode}`;
    const answer = await browser.post(url, { decision: 'approve', user_id: ada.id });
    expect(answer.status).toBe(403);
    expect(answer.text).toContain(`href="${page}?user_code=${userCode}"`);
  });

  it('lets the user change to another account', async () => {
    const { userCode } = await service.startDevice();
    const { browser, page: consent } = await open(userCode);
    const choose = await follow(browser, await browser.submit(consent, service.web, signOut, {}));
    const again = await follow(browser, await browser.submit(choose, service.web, signIn, { user_id: ben.id }));
    expect(again.text).toContain('@ben');
  });
});
