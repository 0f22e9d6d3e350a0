import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { limits } from '../../../../../src/model/limits/limits.ts';
import { openService, secret, site, type TestService } from '../support.ts';

let service: TestService;
beforeAll(async () => {
  service = await openService();
});
afterAll(() => service.close());

const idempotency_key = 'k'.repeat(16);
const refused = {
  status: 400,
  body: { error: 'invalid_grant', error_description: 'Invalid "refresh_token" in request' },
};

describe('a refresh that its client named', () => {
  it('is answered the same again, as often as it is asked for, with what is left of its life', async () => {
    const { refresh_token } = await service.signIn({ scope: 'identify' });
    const { status, body } = await service.refresh(refresh_token, { idempotency_key });
    expect(status).toBe(200);
    await service.clock.advance(90_000);
    const repeated = await service.refresh(refresh_token, { idempotency_key });
    expect(repeated).toMatchObject({ status: 200, body: { ...body, expires_in: 604_800 - 90 } });
    expect((await service.refresh(refresh_token, { idempotency_key })).body).toEqual(repeated.body);
    expect(await service.isLive(body.access_token)).toBe(true);
  });

  it('has one answer for all concurrent requests', async () => {
    const { refresh_token } = await service.signIn();
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => service.refresh(refresh_token, { idempotency_key })),
    );
    expect(new Set(answers.map(({ body }) => body.access_token)).size).toBe(1);
    expect(new Set(answers.map(({ body }) => body.refresh_token)).size).toBe(1);
  });

  it('ends what it gave when it is asked for again after its pair has been refreshed in turn', async () => {
    const { refresh_token } = await service.signIn();
    const { body } = await service.refresh(refresh_token, { idempotency_key });
    const { body: next } = await service.refresh(String(body.refresh_token));
    expect(await service.refresh(refresh_token, { idempotency_key })).toMatchObject(refused);
    expect(await service.isLive(next.access_token)).toBe(false);
  });

  it('is answered no more once the user has ended the authorization', async () => {
    const { refresh_token } = await service.signIn();
    const { body } = await service.refresh(refresh_token, { idempotency_key });
    await service.revoke({ token: String(body.access_token) });
    expect(await service.refresh(refresh_token, { idempotency_key })).toMatchObject(refused);
  });

  it.each([
    ['another key', { idempotency_key: 'x'.repeat(16) }],
    ['none', {}],
    ['the same key, from another client', { idempotency_key, client_id: site.id, client_secret: secret }],
  ])('is rejected with %s, and what it gave stays good', async (_, changes) => {
    const { refresh_token } = await service.signIn();
    const { body } = await service.refresh(refresh_token, { idempotency_key });
    expect(await service.refresh(refresh_token, changes)).toMatchObject(refused);
    expect(await service.isLive(body.access_token)).toBe(true);
    expect((await service.refresh(refresh_token, { idempotency_key })).status).toBe(200);
  });

  it('gives a pair whose life is over when it is asked for again too late, and which can be refreshed', async () => {
    const { refresh_token } = await service.signIn();
    const { body } = await service.refresh(refresh_token, { idempotency_key });
    await service.clock.advance(2 * limits.accessTokenLifeMs);
    const { body: late } = await service.refresh(refresh_token, { idempotency_key });
    expect(late).toMatchObject({ refresh_token: body.refresh_token, expires_in: 0 });
    expect((await service.refresh(String(late.refresh_token))).status).toBe(200);
  });

  it('leaves no token in the store that can be read', async () => {
    const { refresh_token } = await service.signIn();
    const { body } = await service.refresh(refresh_token, { idempotency_key });
    const kept = JSON.stringify(await service.content());
    for (const text of [refresh_token, idempotency_key, body.access_token, body.refresh_token]) {
      expect(kept).not.toContain(text);
    }
  });

  it.each([
    ['15 characters', 'k'.repeat(15)],
    ['129 characters', 'k'.repeat(129)],
    ['a blank in it', `${'k'.repeat(16)} `],
  ])('is rejected when its key has %s, and leaves the token good', async (_, key) => {
    const { refresh_token } = await service.signIn();
    expect(await service.refresh(refresh_token, { idempotency_key: key })).toMatchObject({
      status: 400,
      body: { error: 'invalid_request', error_description: 'Invalid "idempotency_key"' },
    });
    expect((await service.refresh(refresh_token, { idempotency_key: 'k'.repeat(128) })).status).toBe(200);
  });
});
