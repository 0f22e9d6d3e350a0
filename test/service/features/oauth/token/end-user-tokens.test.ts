import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hashSecret } from '../../../../../src/service/support/secret.ts';
import { GatewayClient } from '../../../../support/gateway/gateway-client.ts';
import { Browser } from '../browser.ts';
import { ada, ben, game, openService, type TestService } from '../support.ts';

const child = { id: '101', name: 'Child', owner_id: '9', public_client: true, parent_id: game.id };

let service: TestService;
beforeEach(async () => {
  service = await openService();
  await service.addFixtures({ applications: [child] });
});
afterEach(() => service.close());

const granted = 'openid identify gateway.connect';

async function post(path: string, body: unknown, authorization?: string) {
  const headers = { 'content-type': 'application/json', ...(authorization !== undefined && { authorization }) };
  const answer = await fetch(service.api + path, { method: 'POST', headers, body: JSON.stringify(body) });
  return (await answer.json()) as Record<string, unknown>;
}

async function control(method: string, path: string) {
  const answer = await fetch(`${service.control.base}${path}`, {
    method,
    headers: { authorization: `Bearer ${service.control.token}` },
  });
  return { status: answer.status, text: await answer.text() };
}

const gateway = () => `${service.web.replace('http', 'ws')}/gateway`;

/** Everything that a user can be signed in by, and how to tell whether it still is. */
async function signInEverywhere(userId: string) {
  const pair = await service.signIn({ scope: granted }, userId);
  const unused = await service.code({ scope: granted }, userId);
  const device = await service.startDevice();
  await service.answerDevice(device.userCode, 'granted', userId);
  const { access_token: childToken } = await post('/partner-sdk/child-token', {
    parent_access_token: pair.access_token,
    child_application_id: child.id,
  });
  const { token: session } = JSON.parse((await control('POST', `/users/${userId}/session`)).text);
  const browser = new Browser();
  const page = await browser.get(service.authorizeUrl());
  await browser.submit(page, service.web, '/oauth2/sign-in', { user_id: userId });
  const player = await GatewayClient.identified(gateway(), { token: `Bearer ${pair.access_token}` });
  const ownClient = await GatewayClient.identified(gateway(), { token: session });
  const asOwnClient = async () =>
    (await post('/oauth2/device/verify', { user_code: device.userCode }, session)).client_id !== undefined;
  const isSignedIn = async () => {
    const { text } = await browser.get(service.authorizeUrl());
    return !text.includes('/oauth2/sign-in');
  };
  return { pair, unused, device, childToken, player, ownClient, asOwnClient, isSignedIn };
}

type SignedIn = Awaited<ReturnType<typeof signInEverywhere>>;

async function expectSignedIn({ pair, childToken, asOwnClient, player, ownClient, isSignedIn }: SignedIn) {
  expect(await service.isLive(pair.access_token)).toBe(true);
  expect(await service.isLive(childToken)).toBe(true);
  expect(await asOwnClient()).toBe(true);
  expect(await isSignedIn()).toBe(true);
  await player.beat();
  await ownClient.beat();
}

async function expectEnded({ pair, unused, device, childToken, player, ownClient, asOwnClient }: SignedIn) {
  expect(await player.closed).toMatchObject({ code: 4003 });
  expect(await ownClient.closed).toMatchObject({ code: 4003 });
  expect(await service.isLive(pair.access_token)).toBe(false);
  expect(await service.isLive(childToken)).toBe(false);
  expect(await asOwnClient()).toBe(false);
  for (const answer of [
    await service.refresh(pair.refresh_token),
    await service.exchange(unused),
    await service.pollDevice(device.deviceCode),
  ]) {
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
  }
}

describe('DELETE /control/users/{id}/tokens', () => {
  it('ends the sign-ins and the gateway sessions of the user, and of no other user', async () => {
    const of = { ada: await signInEverywhere(ada.id), ben: await signInEverywhere(ben.id) };
    await expectSignedIn(of.ada);
    expect(await control('DELETE', `/users/${ada.id}/tokens`)).toEqual({ status: 204, text: '' });
    await expectEnded(of.ada);
    expect(await of.ada.isSignedIn()).toBe(false);
    await expectSignedIn(of.ben);
    const { authorizations } = await service.content();
    expect(authorizations.map(({ user_id }) => user_id)).toEqual([ben.id]);
  });

  it('lets the user sign in again, and may be called twice', async () => {
    await service.signIn();
    for (let time = 0; time < 2; time++) {
      expect((await control('DELETE', `/users/${ada.id}/tokens`)).status).toBe(204);
    }
    expect(await service.isLive((await service.signIn()).access_token)).toBe(true);
  });

  it('answers 404 for an unknown user, and 400 for an invalid id', async () => {
    expect((await control('DELETE', '/users/404/tokens')).status).toBe(404);
    expect((await control('DELETE', '/users/ada/tokens')).status).toBe(400);
  });
});

describe('a ban', () => {
  it('ends the same, and being let in again gives nothing back', async () => {
    const of = { ada: await signInEverywhere(ada.id), ben: await signInEverywhere(ben.id) };
    await service.addFixtures({ users: [{ ...ada, banned: true }] });
    await expectEnded(of.ada);
    await expectSignedIn(of.ben);
    await service.addFixtures({ users: [{ ...ada, banned: false }] });
    expect(await service.isLive(of.ada.pair.access_token)).toBe(false);
    expect(await service.refresh(of.ada.pair.refresh_token)).toMatchObject({ status: 400 });
    expect(await service.isLive((await service.signIn()).access_token)).toBe(true);
  });

  it('holds for tokens that come with a snapshot', async () => {
    const pair = await service.signIn();
    const content = await service.content();
    const users = content.users.map(user => (user.id === ada.id ? { ...user, banned: true } : user));
    await service.restore({ ...content, users });
    expect(await service.isLive(pair.access_token)).toBe(false);
    expect(await service.refresh(pair.refresh_token)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
  });

  it('reaches a provisional account', async () => {
    const { access_token } = await post(
      '/partner-sdk/token/bot',
      { external_user_id: 'guest' },
      `Bot ${game.bot_token}`,
    );
    expect(await service.isLive(access_token)).toBe(true);
    const { users } = await service.content();
    const guest = users.find(({ provisional_of }) => provisional_of === game.id);
    await service.addFixtures({ users: [{ id: String(guest?.id), banned: true }] });
    expect(await service.isLive(access_token)).toBe(false);
  });
});

describe('the end of more tokens than one transaction deletes', () => {
  /** As an earlier version stored them: without the fields that this one adds. */
  async function holdMany(count: number) {
    const pair = await service.signIn();
    const content = await service.content();
    const [kept] = content.tokens.filter(({ kind, user_id }) => kind === 'access' && user_id === ada.id);
    if (!kept) throw new Error('The sign-in issued no access token.');
    const { serial: _, ...former } = kept;
    const secrets = Array.from({ length: count }, (_, at) => `former-${at}`);
    const tokens = secrets.map(secret => ({ ...former, hash: hashSecret(secret) }));
    await service.restore({ ...content, tokens: [...content.tokens, ...tokens] });
    expect(await service.isLive(secrets.at(-1))).toBe(true);
    return { pair, secrets };
  }

  it.each([
    ['a revocation', pair => service.revoke({ token: pair.access_token })],
    ['DELETE /control/users/{id}/tokens', () => control('DELETE', `/users/${ada.id}/tokens`)],
    ['a ban', () => service.addFixtures({ users: [{ ...ada, banned: true }] })],
  ] as [string, (pair: Awaited<ReturnType<typeof service.signIn>>) => Promise<unknown>][])(
    '%s rejects every token immediately, and the store keeps none of them',
    async (_, end) => {
      const { pair, secrets } = await holdMany(1050);
      await end(pair);
      for (const secret of [secrets[0], secrets[500], secrets.at(-1), pair.access_token]) {
        expect(await service.isLive(secret)).toBe(false);
      }
      await service.clock?.advance(1);
      expect((await service.content()).tokens.filter(({ user_id }) => user_id === ada.id)).toEqual([]);
    },
  );
});

describe('a rise of the user’s credentials_epoch', () => {
  it('rejects everything that is still stored, and lets the user sign in again', async () => {
    const of = await signInEverywhere(ada.id);
    const content = await service.content();
    const users = content.users.map(user => (user.id === ada.id ? { ...user, credentials_epoch: 1 } : user));
    await service.restore({ ...content, users });
    expect(await service.isLive(of.pair.access_token)).toBe(false);
    expect(await service.isLive(of.childToken)).toBe(false);
    expect(await of.asOwnClient()).toBe(false);
    expect(await of.isSignedIn()).toBe(false);
    expect((await service.refresh(of.pair.refresh_token)).status).toBe(400);
    expect((await service.exchange(of.unused)).status).toBe(400);
    const again = await service.signIn({ scope: 'identify' });
    expect(await service.isLive(again.access_token)).toBe(true);
    expect(await service.isLive(of.pair.access_token)).toBe(false);
    const { authorizations } = await service.content();
    expect(authorizations.filter(({ user_id }) => user_id === ada.id)).toMatchObject([
      { scopes: ['identify'], credentials_epoch: 1 },
    ]);
  });
});
