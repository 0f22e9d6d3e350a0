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

  async function identify(token: string): Promise<'ready' | 'later' | number> {
    const client = await GatewayClient.open(service.gateway);
    client.identify({ token });
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
    for (let count = 0; count < 4; count++) outcomes.push(await identify(await sessionToken(service, ada.id)));
    expect(outcomes).toEqual(['ready', 'ready', 'ready', 'later']);
    expect(await identify(await sessionToken(service, grace.id))).toBe('ready');
    await service.clock.advance(10_000);
    const later: unknown[] = [];
    for (let count = 0; count < 3; count++) later.push(await identify(await sessionToken(service, ada.id)));
    expect(later).toEqual(['ready', 'ready', 4008]);
  });
});
