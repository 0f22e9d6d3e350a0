import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serviceLimits } from '../../../../../src/service/support/service-limits.ts';
import { game, openService, secret, site, type TestService } from '../support.ts';

let service: TestService;
beforeAll(async () => {
  service = await openService();
});
afterAll(() => service.close());

const refused = {
  status: 400,
  body: { error: 'invalid_grant', error_description: 'Invalid "refresh_token" in request' },
};
const idempotency_key = 'k'.repeat(16);

/** Refreshes and gives the new pair. */
async function refresh(refreshToken: string, changes = {}) {
  const { status, body } = await service.refresh(refreshToken, changes);
  expect(status).toBe(200);
  return { access_token: String(body.access_token), refresh_token: String(body.refresh_token) };
}

async function expectEnded(...pairs: readonly { access_token: string; refresh_token: string }[]) {
  for (const { access_token, refresh_token } of pairs) {
    expect(await service.isLive(access_token)).toBe(false);
    expect(await service.refresh(refresh_token)).toMatchObject(refused);
  }
}

describe('a refresh token that is used again after its successor was used', () => {
  it.each([
    ['one', 2],
    ['many', 12],
  ])('ends all tokens of its grant, with %s in between', async (_, rounds) => {
    const first = await service.signIn();
    let last = { access_token: first.access_token, refresh_token: first.refresh_token };
    for (let round = 0; round < rounds; round++) last = await refresh(last.refresh_token);
    expect(await service.refresh(first.refresh_token)).toMatchObject(refused);
    await expectEnded(last);
  });

  it.each([
    ['with the key of its refresh', { idempotency_key }],
    ['with another key', { idempotency_key: 'x'.repeat(16) }],
  ])('ends them also %s', async (_, changes) => {
    const { refresh_token } = await service.signIn();
    const second = await refresh(refresh_token, { idempotency_key });
    const third = await refresh(second.refresh_token, { idempotency_key });
    expect(await service.refresh(refresh_token, changes)).toMatchObject(refused);
    await expectEnded(second, third);
  });

  it('ends the tokens of child applications that the grant gave', async () => {
    const child = { id: '101', name: 'Child', owner_id: '9', public_client: true, parent_id: game.id };
    await service.addFixtures({ applications: [child] });
    const { refresh_token } = await service.signIn();
    const second = await refresh(refresh_token);
    const third = await refresh(second.refresh_token);
    const answer = await fetch(`${service.api}/partner-sdk/child-token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ parent_access_token: third.access_token, child_application_id: child.id }),
    });
    const { access_token: childToken } = (await answer.json()) as { access_token: string };
    expect(await service.isLive(childToken)).toBe(true);
    await service.refresh(refresh_token);
    expect(await service.isLive(childToken)).toBe(false);
  });

  it("leaves the user's other sign-ins, and the authorization", async () => {
    const other = await service.signIn();
    const { refresh_token } = await service.signIn();
    await refresh((await refresh(refresh_token)).refresh_token);
    await service.refresh(refresh_token);
    expect(await service.isLive(other.access_token)).toBe(true);
    expect(await refresh(other.refresh_token)).toMatchObject({ access_token: expect.any(String) });
    expect((await service.content()).authorizations).toHaveLength(1);
  });

  it('ends nothing when another client shows it', async () => {
    const { refresh_token } = await service.signIn();
    const third = await refresh((await refresh(refresh_token)).refresh_token);
    const asSite = { client_id: site.id, client_secret: secret };
    expect(await service.refresh(refresh_token, asSite)).toMatchObject(refused);
    expect(await service.isLive(third.access_token)).toBe(true);
  });

  it('revokes them after a restart of the client that lost the newest pair, whoever has the pair now', async () => {
    const { refresh_token } = await service.signIn();
    const stolen = await refresh((await refresh(refresh_token)).refresh_token);
    await service.clock.advance(serviceLimits.refreshTokenIdleMs - 1);
    const renewed = await refresh(stolen.refresh_token);
    await service.clock.advance(serviceLimits.refreshTokenIdleMs - 1);
    expect(await service.refresh(refresh_token)).toMatchObject(refused);
    await expectEnded(renewed);
  });
});

describe('a refresh token that is used again before its successor was', () => {
  it('is rejected for a moment, and the window that won stays signed in', async () => {
    const { refresh_token } = await service.signIn();
    const answers = await Promise.all(Array.from({ length: 8 }, () => service.refresh(refresh_token)));
    const [won, ...others] = answers.filter(({ status }) => status === 200);
    expect(others).toEqual([]);
    await service.clock.advance(serviceLimits.refreshGraceMs - 1);
    expect(await service.refresh(refresh_token)).toMatchObject(refused);
    expect(await service.refresh(refresh_token, { idempotency_key })).toMatchObject(refused);
    expect(await service.isLive(won?.body.access_token)).toBe(true);
    expect(await refresh(String(won?.body.refresh_token))).toMatchObject({ access_token: expect.any(String) });
  });

  it('ends the grant once the moment is over: one of the two who have it is not its owner', async () => {
    const { refresh_token } = await service.signIn();
    const next = await refresh(refresh_token);
    await service.clock.advance(serviceLimits.refreshGraceMs);
    expect(await service.refresh(refresh_token)).toMatchObject(refused);
    await expectEnded(next);
  });

  it('gets the same answer later, too, by the key of its refresh', async () => {
    const { refresh_token } = await service.signIn();
    const next = await refresh(refresh_token, { idempotency_key });
    await service.clock.advance(serviceLimits.refreshGraceMs * 100);
    expect(await refresh(refresh_token, { idempotency_key })).toEqual(next);
    expect(await service.isLive(next.access_token)).toBe(true);
  });
});

describe('an unused refresh token', () => {
  it('is good until just before its idle end', async () => {
    const { refresh_token } = await service.signIn();
    await service.clock.advance(serviceLimits.refreshTokenIdleMs - 1);
    const next = await refresh(refresh_token);
    await service.clock.advance(serviceLimits.refreshTokenIdleMs - 1);
    expect(await refresh(next.refresh_token)).toMatchObject({ access_token: expect.any(String) });
  });

  it('ends then, and is swept', async () => {
    const { refresh_token } = await service.signIn();
    await service.clock.advance(serviceLimits.refreshTokenIdleMs);
    expect(await service.refresh(refresh_token)).toMatchObject(refused);
    await service.clock.advance(10 * 60_000);
    expect((await service.content()).tokens).toEqual([]);
  });
});

describe('a refresh token from before there were families', () => {
  it('works once, and begins a family', async () => {
    const { refresh_token } = await service.signIn();
    const content = await service.content();
    const tokens = content.tokens.map(({ current_hash, ...token }) =>
      current_hash === undefined ? token : { ...token, hash: current_hash },
    );
    await service.restore({ ...content, tokens });
    const second = await refresh(refresh_token);
    expect(await service.refresh(refresh_token)).toMatchObject(refused);
    const third = await refresh(second.refresh_token);
    expect(await service.refresh(second.refresh_token)).toMatchObject(refused);
    const fourth = await refresh(third.refresh_token);
    expect(await service.refresh(second.refresh_token)).toMatchObject(refused);
    await expectEnded(fourth);
  });
});
