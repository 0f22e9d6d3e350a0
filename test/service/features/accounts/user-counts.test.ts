import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Service, startService } from '../../../../src/service/index.ts';
import { serviceLimits } from '../../../../src/service/support/service-limits.ts';
import { callApi, starfall } from '../../../support/service/starfall.ts';
import { playerToken } from '../../../support/service/tokens.ts';

const [application] = starfall.applications;
const [ada, grace, edsger] = starfall.users;

let service: Service;
beforeAll(async () => {
  service = await startService({ fixtures: starfall, limits: 'off', clock: 'virtual' });
});
beforeEach(() => service.reset());
afterAll(() => service.close());

async function counts() {
  const { body } = await callApi(service, 'GET', '/applications/@me');
  const { approximate_user_authorization_count, approximate_user_install_count } = body as Record<string, number>;
  return { authorized: approximate_user_authorization_count, installed: approximate_user_install_count };
}

async function control(method: string, path: string, body?: unknown): Promise<unknown> {
  const answer = await fetch(`${service.controlBase}${path}`, {
    method,
    headers: { authorization: `Bearer ${service.controlToken}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return text === '' ? undefined : JSON.parse(text);
}

describe('the users of an application', () => {
  it('are counted: those who authorized it, and those who installed it for themselves', async () => {
    expect(await counts()).toEqual({ authorized: 0, installed: 0 });
    await playerToken(service, ada.id, 'identify');
    await playerToken(service, ada.id, 'guilds');
    await playerToken(service, grace.id, 'identify');
    expect(await counts()).toEqual({ authorized: 2, installed: 0 });
    await playerToken(service, edsger.id, 'applications.commands', { integration_type: '1' });
    expect(await counts()).toEqual({ authorized: 3, installed: 1 });
  });

  it('are fewer once an authorization ends', async () => {
    const token = await playerToken(service, ada.id, 'identify');
    const form = { token, client_id: application.id, client_secret: application.client_secret };
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    await callApi(service, 'POST', '/oauth2/token/revoke', new URLSearchParams(form).toString(), headers);
    expect(await counts()).toEqual({ authorized: 0, installed: 0 });
  });

  it('are counted past one page, and not at each request when they are many', async () => {
    const users = serviceLimits.usersCountedMax + 5;
    type Content = { readonly authorizations: readonly object[] };
    const snapshot = (await control('GET', '/snapshot')) as { readonly content: Content };
    const authorizationsOf = (count: number) =>
      Array.from({ length: count }, (_, at) => ({
        id: String(5000 + at),
        application_id: application.id,
        user_id: String(10_000 + at),
        scopes: at % 2 === 0 ? ['identify'] : ['applications.commands'],
      }));
    const load = (count: number) =>
      control('PUT', '/snapshot', {
        ...snapshot,
        content: { ...snapshot.content, authorizations: authorizationsOf(count) },
      });
    await load(users);
    expect(await counts()).toEqual({ authorized: users, installed: Math.floor(users / 2) });
    await load(1);
    expect((await counts()).authorized).toBe(users);
    await service.clock.advance(serviceLimits.usersCountAgeMaxMs);
    expect(await counts()).toEqual({ authorized: 1, installed: 0 });
  });
});
