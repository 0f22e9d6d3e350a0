import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Browser } from '../browser.ts';
import { ada, type Form, openService, type TestService } from '../support.ts';

let service: TestService;
beforeAll(async () => {
  service = await openService();
});
afterAll(() => service.close());

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

  it('by a second state is rejected', async () => {
    const end = new URL(await service.decide(`${service.authorizeUrl()}&state=evil`));
    expect(Object.fromEntries(end.searchParams)).toEqual({
      error: 'invalid_request',
      error_description: '"state" is given more than once',
      iss: service.web,
    });
  });

  it('with a planted cookie fails, because the cookie changes at sign-in', async () => {
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
