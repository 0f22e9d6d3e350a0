import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { opcodes } from '../../../../src/model/gateway.ts';
import { type LimitProfile, limitProfiles } from '../../../../src/model/limits/limit-profiles.ts';
import { type Service, startService } from '../../../../src/service/index.ts';
import { GatewayClient } from '../../../support/gateway/gateway-client.ts';
import { starfall } from '../../../support/service/starfall.ts';
import { sessionToken } from '../../../support/service/tokens.ts';

const { 'gateway-identify-user': day, 'gateway-identify-user-pace': pace } = limitProfiles.standard.buckets;
const few: LimitProfile = {
  ...limitProfiles.off,
  buckets: {
    'gateway-identify-user': { requests: 5, windowMs: 60_000 },
    'gateway-identify-user-pace': { requests: 3, windowMs: 10_000 },
  },
};

describe('the Identifies of a user', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ fixtures: starfall, limits: few, clock: 'virtual' });
  });
  afterAll(() => service.close());

  /** @param isEarly time passes until the answer comes */
  async function identify(token: string, isEarly = false): Promise<'ready' | 'later' | number> {
    const client = await GatewayClient.open(service.gateway);
    client.identify({ token });
    if (isEarly) {
      await client.beat();
      expect(client.frames.map(({ op }) => op)).not.toContain(opcodes.INVALID_SESSION);
      await service.clock.advance(10_000);
    }
    const answered = client
      .until(() => client.frames.some(({ op, t }) => t === 'READY' || op === opcodes.INVALID_SESSION))
      .then(() => undefined);
    const code = await Promise.race([answered, client.closed.then(({ code }) => code)]);
    if (code !== undefined) return code;
    const outcome = client.frames.some(({ t }) => t === 'READY') ? 'ready' : 'later';
    await client.end();
    return outcome;
  }

  it('are ten in ten seconds, and a thousand a day', () => {
    expect([day, pace]).toEqual([
      { requests: 1000, windowMs: 86_400_000 },
      { requests: 10, windowMs: 10_000 },
    ]);
  });

  it('get op 9 when they come too fast, and 4008 once they are used up, whichever client they come from', async () => {
    const [ada, grace] = starfall.users;
    const outcomes: unknown[] = [];
    for (let count = 0; count < 3; count++) outcomes.push(await identify(await sessionToken(service, ada.id)));
    expect(await identify(await sessionToken(service, grace.id))).toBe('ready');
    outcomes.push(await identify(await sessionToken(service, ada.id), true));
    expect(outcomes).toEqual(['ready', 'ready', 'ready', 'later']);
    const later: unknown[] = [];
    for (let count = 0; count < 3; count++) later.push(await identify(await sessionToken(service, ada.id)));
    expect(later).toEqual(['ready', 'ready', 4008]);
  });
});

describe('a bot that identifies again the moment it is asked to', () => {
  it('is never closed, and gets ready as soon as the pace allows it', async () => {
    const service = await startService({ fixtures: starfall, limits: limitProfiles.standard, clock: 'virtual' });
    const identity = { token: starfall.applications[0].bot_token };
    const first = await GatewayClient.identified(service.gateway, identity);
    const client = await GatewayClient.open(service.gateway);
    const asked = () => client.frames.filter(({ op }) => op === opcodes.INVALID_SESSION).length;
    client.identify(identity);
    await client.beat();
    await service.clock.advance(4_999);
    await client.beat();
    expect(asked()).toBe(0);
    await service.clock.advance(1);
    await client.until(() => asked() === 1);
    client.identify(identity);
    await client.until(() => client.frames.some(({ t }) => t === 'READY'));
    for (const one of [first, client]) await one.end();
    await service.close();
  });

  it('gets ready by the pace of the system although nobody advances the virtual clock', async () => {
    const pace = { requests: 1, windowMs: 100 };
    const limits = { ...limitProfiles.off, buckets: { 'gateway-identify-pace': pace } };
    const service = await startService({ fixtures: starfall, limits, clock: 'virtual' });
    const startMs = service.clock.now();
    const identity = { token: starfall.applications[0].bot_token };
    const first = await GatewayClient.identified(service.gateway, identity);
    const client = await GatewayClient.open(service.gateway);
    client.identify(identity);
    await client.until(() => client.frames.some(({ op, t }) => t === 'READY' || op === opcodes.INVALID_SESSION));
    if (!client.frames.some(({ t }) => t === 'READY')) client.identify(identity);
    await client.until(() => client.frames.some(({ t }) => t === 'READY'));
    expect(service.clock.now()).toBe(startMs);
    for (const one of [first, client]) await one.end();
    await service.close();
  });

  it('may lose its connection meanwhile', async () => {
    const service = await startService({ fixtures: starfall, limits: limitProfiles.standard, clock: 'virtual' });
    const identity = { token: starfall.applications[0].bot_token };
    const first = await GatewayClient.identified(service.gateway, identity);
    const client = await GatewayClient.open(service.gateway);
    client.identify(identity);
    await client.beat();
    await client.end();
    await service.clock.advance(5_000);
    await first.beat();
    const next = await GatewayClient.identified(service.gateway, identity);
    expect(next.frames.some(({ t }) => t === 'READY')).toBe(true);
    for (const one of [first, next]) await one.end();
    await service.close();
  });
});
