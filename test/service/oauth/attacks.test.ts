import { globSync, readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type LimitProfile, limitProfiles } from '../../../src/model/limits.ts';
import { formToken, isFormToken } from '../../../src/service/oauth/sign-in.ts';
import { hashSecret, isSameSecret, matchesSecret } from '../../../src/service/secret.ts';
import { codeChallengeOf } from '../../../src/wire/pkce.ts';
import { Browser } from './browser.ts';
import {
  ada,
  basic,
  ben,
  type Form,
  game,
  openService,
  secret,
  site,
  siteExchange,
  siteRequest,
  soundExchange,
  soundRequest,
  type TestService,
} from './support.ts';

let service: TestService;
beforeAll(async () => {
  service = await openService();
});
afterAll(() => service.close());

const invalidGrant = (name: string) => ({ status: 400, body: { error: 'invalid_grant', error_description: name } });
const invalidCode = invalidGrant('Invalid "code" in request.');
const otherVerifier = 'z'.repeat(64);

describe('one who has got hold of a code', () => {
  it.each<[string, Form, object]>([
    [
      'without the verifier',
      { code_verifier: undefined },
      { error: 'invalid_request', error_description: 'Missing "code_verifier"' },
    ],
    ['with another verifier', { code_verifier: otherVerifier }, { error: 'invalid_grant' }],
    [
      'with the challenge in place of the verifier',
      { code_verifier: soundRequest.code_challenge },
      { error: 'invalid_grant' },
    ],
    [
      'with a verifier too short',
      { code_verifier: 'a'.repeat(42) },
      { error: 'invalid_request', error_description: 'Invalid "code_verifier"' },
    ],
    [
      'with a verifier too long',
      { code_verifier: 'a'.repeat(129) },
      { error: 'invalid_request', error_description: 'Invalid "code_verifier"' },
    ],
    [
      'with a verifier of other characters',
      { code_verifier: `${'a'.repeat(63)}!` },
      { error: 'invalid_request', error_description: 'Invalid "code_verifier"' },
    ],
    [
      'with another redirect',
      { redirect_uri: 'https://game.example/callback' },
      { error: 'invalid_request', error_description: 'Invalid "redirect_uri" in request.' },
    ],
    [
      'on another port of the same machine',
      { redirect_uri: 'http://127.0.0.1:4322/callback' },
      { error: 'invalid_request' },
    ],
    ['as another application', { client_id: site.id, client_secret: secret }, invalidCode.body],
    ['as a refresh token', { grant_type: 'refresh_token', refresh_token: 'code' }, { error: 'invalid_grant' }],
    [
      'as the code of a device',
      { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code: 'code' },
      { error: 'invalid_grant' },
    ],
  ])('gets nothing %s, and spoils nothing', async (_, changes, body) => {
    const code = await service.code();
    const filled = Object.fromEntries(
      Object.entries(changes).map(([name, value]) => [name, value === 'code' ? code : value]),
    );
    expect(await service.exchange(code, filled)).toMatchObject({ status: 400, body });
    expect((await service.exchange(code)).status).toBe(200);
  });

  it('who put in a challenge of their own gets a code that the victim’s client refuses to the service', async () => {
    const code = await service.code({ code_challenge: codeChallengeOf(otherVerifier) });
    expect(await service.exchange(code)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
  });

  it('who took the challenge out cannot have the client’s verifier pass for proof', async () => {
    const code = await service.code(siteRequest);
    const answer = await service.exchange(code, { ...siteExchange, code_verifier: soundExchange.code_verifier });
    expect(answer.body).toEqual({ error: 'invalid_request', error_description: 'Invalid "code_verifier"' });
  });

  it('and uses it after its owner, with all its proof, ends what it gave, and that alone', async () => {
    const before = await service.signIn();
    const code = await service.code();
    const { body } = await service.exchange(code);
    const { body: refreshed } = await service.refresh(String(body.refresh_token));
    expect(await service.exchange(code)).toMatchObject(invalidCode);
    expect(await service.isLive(refreshed.access_token)).toBe(false);
    expect((await service.refresh(String(refreshed.refresh_token))).status).toBe(400);
    expect(await service.isLive(before.access_token)).toBe(true);
    expect(await service.exchange(code)).toMatchObject(invalidCode);
  });

  it('and uses it after its owner, without the proof, ends nothing', async () => {
    const code = await service.code();
    const { body } = await service.exchange(code);
    expect((await service.exchange(code, { code_verifier: otherVerifier })).status).toBe(400);
    expect(await service.isLive(body.access_token)).toBe(true);
  });
});

describe('a challenge by the method plain', () => {
  it.each([{ code_challenge_method: 'plain' }, { code_challenge_method: undefined }])(
    'is refused (%j), so that a challenge seen is no verifier',
    async changes => {
      const { searchParams } = new URL(await service.decide(service.authorizeUrl(changes)));
      expect(searchParams.get('error_description')).toBe('Unsupported "code_challenge_method"');
      expect(searchParams.has('code')).toBe(false);
    },
  );
});

describe('a redirect that is not quite the registered one', () => {
  const attacked = { ...game, id: '300', bot_token: null };
  const redirects = [
    'https://game.example/callback',
    'http://127.0.0.1/callback',
    'http://[::1]/callback',
    'https://game.example:8443/deep/callback?from=us',
  ];
  beforeAll(() => service.addFixtures({ applications: [{ ...attacked, redirect_uris: redirects }] }));

  it.each([
    ['a longer path', 'https://game.example/callback/evil'],
    ['a longer name', 'https://game.example/callbackevil'],
    ['a shorter path', 'https://game.example/'],
    ['a slash at its end', 'https://game.example/callback/'],
    ['a query', 'https://game.example/callback?next=https://evil.example'],
    ['an empty query', 'https://game.example/callback?'],
    ['a fragment', 'https://game.example/callback#evil'],
    ['an empty fragment', 'https://game.example/callback#'],
    ['user information', 'https://game.example@evil.example/callback'],
    ['user information of its own', 'https://user:word@game.example/callback'],
    ['user information on the loopback address', 'http://127.0.0.1:1@evil.example/callback'],
    ['an @ in place of the port', 'http://127.0.0.1:@evil.example/callback'],
    ['another case of the host', 'https://GAME.example/callback'],
    ['another case of the scheme', 'HTTPS://game.example/callback'],
    ['another case of the path', 'https://game.example/Callback'],
    ['the default port', 'https://game.example:443/callback'],
    ['another port', 'https://game.example:444/callback'],
    ['another port than one named', 'https://game.example:8444/deep/callback?from=us'],
    ['a double slash', 'https://game.example//callback'],
    ['a double slash in front', '//game.example/callback'],
    ['a third slash', 'https:///game.example/callback'],
    ['backslashes', 'https:\\\\game.example\\callback'],
    ['a backslash before the host of another', 'https://evil.example\\@game.example/callback'],
    ['an encoded slash', 'https://game.example%2fcallback'],
    ['an encoded letter', 'https://game.example/%63allback'],
    ['an encoded dot', 'https://game%2eexample/callback'],
    ['a path up and down', 'https://game.example/x/../callback'],
    ['an encoded path up', 'https://game.example/callback/%2e%2e/evil'],
    ['a dot behind the host', 'https://game.example./callback'],
    ['a host below', 'https://evil.game.example/callback'],
    ['a host beside', 'https://game.example.evil.example/callback'],
    ['a host before', 'https://evilgame.example/callback'],
    ['letters that look alike', 'https://gаme.example/callback'],
    ['a blank', 'https://game.example/callback '],
    ['a line break', 'https://game.example/callback\n'],
    ['a line break that would be a header', 'https://game.example/callback\r\nset-cookie: a=b'],
    ['a zero byte', 'https://game.example/callback\0'],
    ['a tab in the scheme', 'ht\ttps://game.example/callback'],
    ['no encryption', 'http://game.example/callback'],
    ['another scheme', 'javascript://game.example/callback'],
    ['the name of the loopback address', 'http://localhost/callback'],
    ['a name that ends like it', 'http://127.0.0.1.evil.example/callback'],
    ['another loopback address', 'http://127.0.0.2/callback'],
    ['the loopback address in short', 'http://127.1/callback'],
    ['the loopback address as a number', 'http://2130706433/callback'],
    ['the loopback address in hexadecimal', 'http://0x7f.0.0.1/callback'],
    ['all addresses', 'http://0.0.0.0/callback'],
    ['the loopback address with encryption', 'https://127.0.0.1/callback'],
    ['the long form of the IPv6 loopback address', 'http://[0:0:0:0:0:0:0:1]/callback'],
    ['the IPv4 address inside an IPv6 one', 'http://[::ffff:127.0.0.1]/callback'],
    ['a zone on the IPv6 loopback address', 'http://[::1%25eth0]/callback'],
    ['a port with a leading zero', 'http://127.0.0.1:080/callback'],
    ['port zero', 'http://127.0.0.1:0/callback'],
    ['a port beyond the last', 'http://127.0.0.1:65536/callback'],
    ['a port that is none', 'http://127.0.0.1:8o/callback'],
    ['another path on the loopback address', 'http://127.0.0.1:4321/evil'],
    ['a query on the loopback address', 'http://127.0.0.1:4321/callback?a=b'],
  ])('%s: nothing is redirected', async (_, redirect_uri) => {
    const url = service.authorizeUrl({ client_id: attacked.id, redirect_uri });
    const response = await fetch(url, { redirect: 'manual' });
    expect(response.status).toBe(400);
    expect(response.headers.get('location')).toBeNull();
    await expect(service.decide(url)).rejects.toMatchObject({ status: 400, message: 'Invalid OAuth2 redirect_uri' });
  });

  it.each([
    ...redirects,
    'http://127.0.0.1:4321/callback',
    'http://127.0.0.1:65535/callback',
    'http://[::1]:4321/callback',
  ])('%s is a registered one', async redirect_uri => {
    const end = await service.decide(service.authorizeUrl({ client_id: attacked.id, redirect_uri }));
    expect(end).toMatch(/[?&]code=/);
    expect(end.startsWith(redirect_uri)).toBe(true);
  });
});

describe('state fixation', () => {
  it.each([
    ['a line break', 'a\r\nset-cookie: evil=1'],
    ['an ampersand', 'a&code=evil'],
    ['a fragment', 'a#code=evil'],
  ])('by a state with %s adds nothing to the answer', async (_, state) => {
    const end = new URL(await service.decide(service.authorizeUrl({ state })));
    expect(end.searchParams.getAll('state')).toEqual([state]);
    expect(end.searchParams.getAll('code')).toHaveLength(1);
    expect(end.hash).toBe('');
  });

  it('by a second state is refused', async () => {
    const end = new URL(await service.decide(`${service.authorizeUrl()}&state=evil`));
    expect(Object.fromEntries(end.searchParams)).toEqual({
      error: 'invalid_request',
      error_description: '"state" is given more than once',
      iss: service.web,
    });
  });

  it('by a planted cookie signs nobody in: the cookie changes with the one who signs in', async () => {
    const planter = new Browser();
    await planter.get(service.authorizeUrl());
    const victim = new Browser();
    for (const [name, value] of planter.cookies) victim.cookies.set(name, value);
    const page = await victim.get(service.authorizeUrl());
    await victim.submit(page, service.web, '/oauth2/sign-in', { user_id: ada.id });
    expect((await planter.get(service.authorizeUrl())).text).toContain('Choose who you are');
    expect((await victim.get(service.authorizeUrl())).text).toContain('@ada');
  });
});

describe('mix-up', () => {
  it.each<[string, Form, 'approve' | 'deny']>([
    ['a code', {}, 'approve'],
    ['a refusal', {}, 'deny'],
    ['a fault', { scope: 'nonsense' }, 'approve'],
  ])('is seen by the client: %s names the one who gives it', async (_, changes, decision) => {
    const end = new URL(await service.decide(service.authorizeUrl(changes), ada.id, decision));
    expect(end.searchParams.getAll('iss')).toEqual([service.web]);
  });

  it('is seen when a token comes in the redirect, too', async () => {
    const changes = { response_type: 'token', redirect_uri: 'https://game.example/callback' };
    const { hash } = new URL(await service.decide(service.authorizeUrl(changes)));
    expect(new URLSearchParams(hash.slice(1)).getAll('iss')).toEqual([service.web]);
  });

  it('cannot put in an issuer of its own', async () => {
    const end = new URL(await service.decide(`${service.authorizeUrl()}&iss=https%3A%2F%2Fevil.example`));
    expect(end.searchParams.getAll('iss')).toEqual([service.web]);
  });
});

describe('another site', () => {
  async function signedIn(): Promise<Browser> {
    const browser = new Browser();
    const page = await browser.get(service.authorizeUrl());
    await browser.submit(page, service.web, '/oauth2/sign-in', { user_id: ada.id });
    return browser;
  }

  it.each<[string, Record<string, string>]>([
    ['without the form’s token', {}],
    ['with a made-up one', { form_token: 'x'.repeat(43) }],
    ['with an empty one', { form_token: '' }],
  ])('cannot have a signed-in user consent %s', async (_, fields) => {
    const browser = await signedIn();
    const answer = await browser.post(service.authorizeUrl(), { decision: 'approve', ...fields });
    expect(answer.location ?? '').not.toContain('code=');
    expect(answer.status).toBe(403);
  });

  it('cannot have a signed-in user consent with the token of its own visit', async () => {
    const attacker = await signedIn();
    const page = await attacker.get(service.authorizeUrl());
    const form_token = /name="form_token" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
    expect(form_token).not.toBe('');
    const victim = await signedIn();
    const answer = await victim.post(service.authorizeUrl(), { decision: 'approve', form_token });
    expect(answer.status).toBe(403);
  });

  it('cannot consent by a link: to approve takes a form', async () => {
    const browser = await signedIn();
    const page = await browser.get(`${service.authorizeUrl()}&decision=approve`);
    expect([page.status, page.location]).toEqual([200, null]);
  });

  it('has no cookie of the user: it goes with the service’s own forms alone, and no script reads it', async () => {
    const response = await fetch(service.authorizeUrl());
    const cookie = response.headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(/HttpOnly/i);
    expect(cookie).toMatch(/SameSite=Lax/i);
    expect(cookie).toMatch(/Path=\//i);
  });

  it.each(['/oauth2/authorize', '/activate', '/oauth2/authorized'])('cannot show %s in a frame', async path => {
    const url = path === '/oauth2/authorize' ? service.authorizeUrl() : service.web + path;
    const { headers } = await fetch(url);
    expect(headers.get('content-security-policy')).toMatch(/frame-ancestors 'none'/);
    expect(headers.get('x-frame-options')).toBe('DENY');
  });

  it('cannot use the pages to send a browser on', async () => {
    const paths = [
      '/oauth2/authorize?redirect_uri=https://evil.example',
      `/oauth2/authorize?client_id=${game.id}&redirect_uri=https://evil.example&response_type=code`,
      '/oauth2/authorized?redirect_uri=https://evil.example&error=access_denied',
      '/activate?redirect_uri=https://evil.example',
      '//evil.example/oauth2/authorize',
      '/oauth2/authorize/..//evil.example',
      '/api/oauth2/authorize//evil.example',
    ];
    for (const path of paths) {
      const response = await fetch(service.web + path, { redirect: 'manual' });
      const location = response.headers.get('location') ?? '/';
      expect(new URL(location, service.web).origin).toBe(service.web);
    }
  });

  it('cannot put words into the page that ends an installation', async () => {
    const { search } = new URL(`${service.web}/?error=access_denied&error_description=Call+555-EVIL&guild_id=<b>`);
    const text = await (await fetch(`${service.web}/oauth2/authorized${search}`)).text();
    expect(text).not.toContain('EVIL');
    expect(text).not.toContain('<b>');
  });
});

describe('another application', () => {
  const asSite = { client_id: site.id, client_secret: secret };

  it.each<
    [
      string,
      (tokens: { access_token: string; refresh_token: string }) => Promise<{ status: number; body: object }>,
      object,
    ]
  >([
    [
      'refresh with a foreign refresh token',
      tokens => service.refresh(tokens.refresh_token, asSite),
      invalidGrant('Invalid "refresh_token" in request'),
    ],
    [
      'refresh with a foreign access token',
      tokens => service.refresh(tokens.access_token, asSite),
      invalidGrant('Invalid "refresh_token" in request'),
    ],
    [
      'revoke a foreign access token',
      tokens => service.revoke({ token: tokens.access_token, ...asSite }),
      { status: 200, body: {} },
    ],
    [
      'revoke a foreign refresh token',
      tokens => service.revoke({ token: tokens.refresh_token, ...asSite }),
      { status: 200, body: {} },
    ],
  ])('cannot %s', async (_, attack, answer) => {
    const tokens = await service.signIn();
    expect(await attack(tokens)).toMatchObject(answer);
    expect(await service.isLive(tokens.access_token)).toBe(true);
    expect((await service.refresh(tokens.refresh_token)).status).toBe(200);
  });

  it('cannot use a code or a device’s code that is not its own', async () => {
    const code = await service.code();
    expect(await service.exchange(code, { ...soundExchange, ...asSite })).toMatchObject(invalidCode);
    const { deviceCode, userCode } = await service.startDevice();
    await service.answerDevice(userCode);
    const polled = await service.pollDevice(deviceCode, asSite);
    expect(polled).toMatchObject(invalidGrant('Invalid "device_code" in request.'));
  });

  it('cannot name one application and prove another', async () => {
    const code = await service.code();
    const form = { ...soundExchange, code, client_id: game.id };
    expect(await service.token(form, basic(site.id, secret))).toMatchObject({ status: 401 });
  });

  it('cannot read with a token that was given for less', async () => {
    const { access_token } = await service.signIn({ scope: 'identify' });
    for (const path of ['/users/@me/guilds', '/oauth2/userinfo']) {
      expect(await service.get(path, access_token)).toMatchObject({ status: 403, body: { code: 50026 } });
    }
  });

  it('cannot pass a refresh token, a code or a form’s secret for an access token', async () => {
    const { refresh_token } = await service.signIn();
    for (const token of [refresh_token, await service.code(), secret, game.bot_token]) {
      expect((await service.get('/oauth2/@me', token)).status).toBe(401);
    }
  });
});

describe('guessing', () => {
  const limits: LimitProfile = {
    name: 'standard',
    asOf: '2026-11-20',
    buckets: {
      'oauth-proof': limitProfiles.standard.buckets['oauth-proof'] ?? { requests: 0, windowMs: 0 },
      'oauth-user-code': limitProfiles.standard.buckets['oauth-user-code'] ?? { requests: 0, windowMs: 0 },
    },
  };
  const proofs = limits.buckets['oauth-proof']?.requests ?? 0;
  const typed = limits.buckets['oauth-user-code']?.requests ?? 0;
  const windowMs = 60_000;
  const refused = { status: 429, body: { message: 'You are being rate limited.', global: false } };

  let limited: TestService;
  beforeEach(async () => {
    limited = await openService(Date.now(), limits);
  });
  afterEach(() => limited.close());

  const wrongSecret = () =>
    limited.token({ grant_type: 'client_credentials', scope: 'identify', client_id: site.id, client_secret: 'wrong' });
  const rightSecret = () =>
    limited.token({ grant_type: 'client_credentials', scope: 'identify', client_id: site.id, client_secret: secret });

  it.each<[string, () => Promise<{ status: number }>]>([
    ['a secret in the form', wrongSecret],
    [
      'a secret in the header',
      () => limited.token({ grant_type: 'client_credentials', scope: 'identify' }, basic(site.id, 'wrong')),
    ],
    ['a secret at revocation', () => limited.revoke({ token: 'x', client_id: site.id, client_secret: 'wrong' })],
    ['a secret at the start of a device', () => limited.startDevice({ client_id: site.id, client_secret: 'wrong' })],
    ['a code', () => limited.token({ ...siteExchange, grant_type: 'authorization_code', code: 'wrong' })],
    ['a refresh token', () => limited.refresh('wrong', { client_id: site.id, client_secret: secret })],
    ['a device’s code', () => limited.pollDevice('wrong', { client_id: site.id, client_secret: secret })],
  ])(
    `%s may be wrong ${proofs} times in a minute; then nothing is looked at, not even what is right`,
    async (_, guess) => {
      for (let time = 1; time < proofs; time++) expect((await guess()).status).toBeLessThan(429);
      expect((await rightSecret()).status).toBe(200);
      expect((await guess()).status).toBeLessThan(429);
      expect(await guess()).toMatchObject(refused);
      expect(await rightSecret()).toMatchObject(refused);
      await limited.clock.advance(windowMs - 1);
      expect(await rightSecret()).toMatchObject(refused);
      await limited.clock.advance(1);
      expect((await rightSecret()).status).toBe(200);
    },
  );

  it('many at once gets no further', async () => {
    const answers = await Promise.all(Array.from({ length: 3 * proofs }, wrongSecret));
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(proofs);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(2 * proofs);
  });

  it('says when to come again', async () => {
    for (let time = 0; time < proofs; time++) await wrongSecret();
    await limited.clock.advance(1500);
    const { headers, body } = await wrongSecret();
    expect(headers.get('retry-after')).toBe('59');
    expect(body.retry_after).toBe(58.5);
  });

  it('at one application leaves the others in peace', async () => {
    for (let time = 0; time < proofs; time++) await wrongSecret();
    const code = await limited.code();
    expect((await limited.exchange(code)).status).toBe(200);
  });

  it('of a waiting device is none: it may poll', async () => {
    const { deviceCode } = await limited.startDevice();
    for (let time = 0; time < 2 * proofs; time++) expect((await limited.pollDevice(deviceCode)).status).toBe(400);
  });

  it(`a device’s user code may be wrong ${typed} times in a minute for each user; then not even the right one is looked at`, async () => {
    const { userCode } = await limited.startDevice();
    for (let time = 1; time < typed; time++) expect((await limited.answerDevice('BBBBBBBB')).status).toBe(404);
    const verify = (user_code: string, userId: string = ada.id) =>
      limited.asUser(userId, 'POST', '/oauth2/device/verify', { user_code });
    expect((await verify(userCode)).status).toBe(200);
    expect((await verify('BBBBBBBB')).status).toBe(404);
    expect(await verify(userCode)).toMatchObject(refused);
    expect(await limited.answerDevice(userCode)).toMatchObject(refused);
    expect((await verify(userCode, ben.id)).status).toBe(200);
    await limited.clock.advance(windowMs);
    expect((await limited.answerDevice(userCode)).status).toBe(204);
  });
});

describe('the time that a comparison takes', () => {
  // Asked of the code, not measured: a measurement on a busy machine proves nothing.
  it.each<[string, (wrong: boolean) => boolean]>([
    ['matchesSecret', wrong => matchesSecret(wrong ? 'other' : secret, hashSecret(secret))],
    ['isFormToken', wrong => isFormToken('cookie', wrong ? 'x'.repeat(43) : formToken('cookie'))],
    ['isSameSecret', wrong => isSameSecret('abc', wrong ? 'abd' : 'abc')],
  ])('%s judges right and wrong', (_, compare) => {
    expect([compare(false), compare(true)]).toEqual([true, false]);
  });

  it('is judged by one function for secrets, which alone calls for constant time beside the one for passwords', () => {
    const callers = globSync('src/service/**/*.ts').filter(file =>
      readFileSync(file, 'utf8').includes('timingSafeEqual'),
    );
    expect(callers.sort()).toEqual(['src/service/oauth/password.ts', 'src/service/secret.ts']);
  });

  it('nowhere depends on where a secret differs: none is compared by ===', () => {
    const operand = String.raw`[\w.?]*(?:[sS]ecret|[vV]erifier|[cC]hallenge(?!Method)|[pP]assword)\w*(?:\([^()]*\))?`;
    const comparison = new RegExp(
      String.raw`(${operand}\s*[!=]==(?!\s*(?:undefined|null|'))|[!=]==\s*${operand}[\s;),])`,
    );
    const found = globSync('src/service/{oauth,control,http,domain}/**/*.ts').flatMap(file =>
      readFileSync(file, 'utf8')
        .split('\n')
        .filter(line => comparison.test(line))
        .map(line => `${file}: ${line.trim()}`),
    );
    expect(found).toEqual([]);
    expect(comparison.test('if (codeChallengeOf(verifier) !== code_challenge) throw')).toBe(true);
  });

  it('tells nothing of what is kept: codes and tokens are found by their hash', async () => {
    const { access_token, refresh_token } = await service.signIn();
    const code = await service.code();
    const { deviceCode, userCode } = await service.startDevice();
    const kept = JSON.stringify(await service.content());
    for (const secretText of [access_token, refresh_token, code, deviceCode, userCode, secret, game.bot_token]) {
      expect(kept).not.toContain(secretText);
    }
  });
});
