import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { type LimitProfile, limitProfiles } from '../../../src/model/limits/limit-profiles.ts';
import { Blocklist } from '../../../src/service/http/limiter.ts';
import { type Service, startService } from '../../../src/service/index.ts';
import { silentLogger } from '../../../src/wire/clock/ports.ts';
import { VirtualClock } from '../../../src/wire/clock/virtual-clock.ts';
import { botHeaders, callApi, starfall } from '../../support/service/starfall.ts';
import { clientToken, playerToken } from '../../support/service/tokens.ts';

const { invalidRequests = { requests: 0, windowMs: 0, blockMs: 0 } } = limitProfiles.standard;
const { requests, windowMs, blockMs, blockMaxMs = 0 } = invalidRequests;

function blocklistOf(limits: LimitProfile = limitProfiles.standard) {
  const clock = new VirtualClock(0);
  const blocklist = new Blocklist({ clock, limits, log: silentLogger });
  const refuse = (times: number, address = 'a', status = 401) => {
    for (let time = 0; time < times; time++) blocklist.count(address, { status }, undefined);
  };
  return { clock, blocklist, refuse };
}

describe('an address', () => {
  it('is let in after 9,999 rejections and blocked after 10,000, for half a minute', async () => {
    expect([requests, windowMs, blockMs]).toEqual([10_000, 600_000, 30_000]);
    const { clock, blocklist, refuse } = blocklistOf();
    refuse(requests - 1);
    expect(blocklist.blockedForMs('a')).toBe(0);
    refuse(1);
    expect(blocklist.blockedForMs('a')).toBe(blockMs);
    await clock.advance(blockMs - 1);
    expect(blocklist.blockedForMs('a')).toBe(1);
    await clock.advance(1);
    expect(blocklist.blockedForMs('a')).toBe(0);
    refuse(requests - 1);
    expect(blocklist.blockedForMs('a')).toBe(0);
  });

  it('is blocked twice as long each time, up to a quarter of an hour, until it was not for as long', async () => {
    const { clock, blocklist, refuse } = blocklistOf();
    const blocks: number[] = [];
    for (let block = 0; block < 7; block++) {
      refuse(requests);
      blocks.push(blocklist.blockedForMs('a'));
      await clock.advance(blocks.at(-1) ?? 0);
    }
    expect(blocks.map(ms => ms / 1000)).toEqual([30, 60, 120, 240, 480, 900, 900]);
    await clock.advance(blockMaxMs - 1);
    refuse(requests);
    expect(blocklist.blockedForMs('a')).toBe(blockMaxMs);
    await clock.advance(2 * blockMaxMs);
    refuse(requests);
    expect(blocklist.blockedForMs('a')).toBe(blockMs);
  });

  it('starts again once ten minutes have passed since the first rejection', async () => {
    const { clock, blocklist, refuse } = blocklistOf();
    refuse(1);
    await clock.advance(windowMs - 1);
    refuse(requests - 2);
    await clock.advance(1);
    refuse(1);
    expect(blocklist.blockedForMs('a')).toBe(0);
    refuse(requests - 1);
    expect(blocklist.blockedForMs('a')).toBe(blockMs);
  });

  it.each([401, 403, 429])('is counted by answers of %i', status => {
    const { blocklist, refuse } = blocklistOf();
    refuse(requests, 'a', status);
    expect(blocklist.blockedForMs('a')).toBe(blockMs);
  });

  it.each([200, 204, 400, 404, 405, 413, 500])('is not counted by answers of %i', status => {
    const { blocklist, refuse } = blocklistOf();
    refuse(requests, 'a', status);
    expect(blocklist.blockedForMs('a')).toBe(0);
  });

  it('is not counted by a limit that is not its own', () => {
    const { blocklist } = blocklistOf();
    const shared = { 'x-ratelimit-scope': 'shared' };
    for (let time = 0; time < requests; time++) {
      blocklist.count('a', { status: 429, headers: shared }, undefined);
      blocklist.count('b', { status: 429 }, shared);
      blocklist.count('c', { status: 429 }, { 'x-ratelimit-scope': 'user' });
    }
    expect(['a', 'b', 'c'].map(address => blocklist.blockedForMs(address))).toEqual([0, 0, blockMs]);
  });

  it('does not answer for another', () => {
    const { blocklist, refuse } = blocklistOf();
    refuse(requests);
    expect(blocklist.blockedForMs('b')).toBe(0);
  });

  it('is forgotten when ten thousand others were rejected since it first was', () => {
    const { blocklist, refuse } = blocklistOf();
    refuse(requests);
    for (let other = 0; other < 9_999; other++) refuse(1, String(other));
    expect(blocklist.blockedForMs('a')).toBe(blockMs);
    refuse(1, 'one more');
    expect(blocklist.blockedForMs('a')).toBe(0);
  });

  it('is never blocked by a profile without a row for it', () => {
    const { blocklist, refuse } = blocklistOf(limitProfiles.off);
    refuse(2 * requests);
    expect(blocklist.blockedForMs('a')).toBe(0);
  });
});

describe('a service with a public URL and no trusted proxy', () => {
  it.each([
    [{ publicUrl: 'https://play.example' }, 1],
    [{ publicUrl: 'https://play.example', trustedProxies: ['127.0.0.1'] }, 0],
    [{}, 0],
  ])('warns that all count as one address: %j', async (options, warnings) => {
    const warned: string[] = [];
    const log = { ...silentLogger, warn: (_: unknown, message: string) => warned.push(message) };
    await (await startService({ ...options, log })).close();
    expect(warned.filter(message => message.includes('--trusted-proxy'))).toHaveLength(warnings);
  });
});

describe('requests from a blocked address', () => {
  const few = { requests: 3, windowMs: 60_000, blockMs: 10_000 };
  const limits: LimitProfile = { ...limitProfiles.off, invalidRequests: few };
  const call = (service: Service, headers: Record<string, string> = botHeaders) =>
    callApi(service, 'GET', '/lobbies/1', undefined, headers);

  it('is answered 40333 with the time to wait where it has no valid credential, until that has passed', async () => {
    const service = await startService({ fixtures: starfall, limits, clock: 'virtual' });
    for (let time = 1; time <= few.requests; time++) expect((await call(service, {})).status).toBe(401);
    const strangers = [{}, { authorization: 'Bot nobody' }, { authorization: 'Bearer nobody' }];
    for (const headers of strangers) {
      const blocked = await call(service, headers);
      expect(blocked).toMatchObject({ status: 403, body: { message: 'internal network error', code: 40333 } });
      expect(blocked.headers.get('retry-after')).toBe('10');
    }
    expect((await callApi(service, 'GET', '/gateway', undefined, {})).status).toBe(403);
    expect((await callApi(service, 'POST', '/interactions/1/nobody/callback', '{}', {})).status).toBe(403);
    await service.clock.advance(few.blockMs - 1);
    expect((await call(service, {})).status).toBe(403);
    await service.clock.advance(1);
    expect((await call(service, {})).status).toBe(401);
    await service.close();
  });

  it('are answered so, too, when they began before the block and are rejected after it', async () => {
    const service = await startService({ fixtures: starfall, limits, clock: 'virtual' });
    // A node of a cluster ignores blocks from before its start, by the clock.
    await service.clock.advance(1);
    const form = `grant_type=client_credentials&client_id=${starfall.applications[0].id}&client_secret=wrong`;
    const begun = Array.from({ length: 3 * few.requests }, () =>
      request(`${service.apiBase}/v10/oauth2/token`, {
        ...{ method: 'POST', agent: false },
        headers: {
          expect: '100-continue',
          'content-type': 'application/x-www-form-urlencoded',
          'content-length': form.length,
        },
      }),
    );
    const statuses = begun.map(async sent => {
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      return response.resume().statusCode;
    });
    for (const sent of begun) sent.flushHeaders();
    await Promise.all(begun.map(sent => once(sent, 'continue')));
    for (const sent of begun) sent.end(form);
    const answered = await Promise.all(statuses);
    expect(answered.filter(status => status === 401)).toHaveLength(few.requests);
    expect(answered.filter(status => status === 403)).toHaveLength(2 * few.requests);
    await service.close();
  });

  it('are served with a valid credential, and neither blocked nor counted', async () => {
    const service = await startService({ fixtures: starfall, limits, clock: 'virtual' });
    const player = await playerToken(service, starfall.users[0].id, 'identify');
    const asPlayer = { authorization: `Bearer ${player}` };
    for (let time = 0; time < 2 * few.requests; time++) {
      expect((await callApi(service, 'GET', '/users/@me/connections', undefined, asPlayer)).status).toBe(403);
    }
    expect((await callApi(service, 'GET', '/gateway', undefined, {})).status).toBe(200);
    for (let time = 1; time <= few.requests; time++) expect((await call(service, {})).status).toBe(401);
    expect((await callApi(service, 'GET', '/gateway', undefined, {})).status).toBe(403);
    expect((await call(service)).status).toBe(404);
    expect((await callApi(service, 'GET', '/users/@me', undefined, asPlayer)).status).toBe(200);
    expect(await playerToken(service, starfall.users[1].id, 'identify')).toMatch(/./);
    expect(await clientToken(service, 'identify')).toMatch(/./);
    await service.close();
  });

  it('are logged when the block begins, and still reach the control API', async () => {
    const warned: unknown[] = [];
    const log = { ...silentLogger, warn: (fields: unknown) => warned.push(fields) };
    const service = await startService({ fixtures: starfall, limits, clock: 'virtual', log });
    for (let time = 1; time <= few.requests + 1; time++) await call(service, {});
    expect(warned).toEqual([{ address: '127.0.0.1', blockMs: few.blockMs }]);
    const headers = { authorization: `Bearer ${service.controlToken}` };
    expect((await fetch(`${service.controlBase}/clock`, { headers })).status).toBe(200);
    await service.close();
  });
});
