import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type LimitProfile, limitProfiles } from '../../../../../src/model/limits/limit-profiles.ts';
import { callApi } from '../../../../support/service/starfall.ts';
import { playerTokens } from '../../../../support/service/tokens.ts';
import { ada, game, openProvisionalWorld, type ProvisionalWorld } from '../provisional/support.ts';

const { buckets } = limitProfiles.standard;
const limits: LimitProfile = {
  ...limitProfiles.off,
  buckets: {
    'external-proof': buckets['external-proof'] ?? { requests: 0, windowMs: 0 },
    'external-proof-server': buckets['external-proof-server'] ?? { requests: 0, windowMs: 0 },
    'oauth-device': buckets['oauth-device'] ?? { requests: 0, windowMs: 0 },
  },
};
const ofAddress = limits.buckets['external-proof']?.requests ?? 0;
const ofServer = limits.buckets['external-proof-server']?.requests ?? 0;

let world: ProvisionalWorld;
beforeEach(async () => {
  world = await openProvisionalWorld({ limits });
});
afterEach(() => world.close());

const ticket = 'STEAM_SESSION_TICKET';
const withSecret = { client_secret: game.client_secret };

describe('a forged ticket for a provisional account', () => {
  it(`causes ${ofAddress} requests in a minute from one address; then none is asked, and valid ones are rejected, too`, async () => {
    for (let time = 1; time < ofAddress; time++) await world.byProof('none', ticket);
    expect((await world.byProof('ada', ticket)).status).toBe(200);
    expect((await world.byProof('none', ticket)).status).toBeLessThan(429);
    const asked = world.tickets.seen.length;
    expect((await world.byProof('none', ticket)).status).toBe(429);
    expect((await world.byProof('ada', ticket)).status).toBe(429);
    expect(world.tickets.seen.length).toBe(asked);
    await world.service.clock.advance(60_000);
    expect((await world.byProof('ada', ticket)).status).toBe(200);
  });

  it('gets no further when many come at the same time', async () => {
    await Promise.all(Array.from({ length: 3 * ofAddress }, () => world.byProof('none', ticket)));
    expect(world.tickets.seen.length).toBe(ofAddress);
  });

  it('counts at unmerging and at merging, too', async () => {
    const proof = { client_id: game.id, external_auth_type: ticket, external_auth_token: 'none' };
    for (let time = 0; time < ofAddress; time++) await world.post('/partner-sdk/provisional-accounts/unmerge', proof);
    expect((await world.post('/partner-sdk/provisional-accounts/unmerge', proof)).status).toBe(429);
    const asked = world.tickets.seen.length;
    expect(await world.merge(ada.id, ticket, 'none')).toMatchObject({ message: 'You are being rate limited.' });
    expect(world.tickets.seen.length).toBe(asked);
    expect((await playerTokens(world.service, ada.id)).access_token).toBeDefined();
  });

  it(`may come ${ofServer} times in a minute from the game’s server, whose address all players share`, async () => {
    for (let time = 0; time < ofServer; time++) await world.byProof('none', ticket, withSecret);
    const asked = world.tickets.seen.length;
    expect((await world.byProof('ada', ticket, withSecret)).status).toBe(429);
    expect(world.tickets.seen.length).toBe(asked);
    // What players send themselves is counted separately.
    expect((await world.byProof('ada', ticket)).status).toBe(200);
  });
});

describe('a forged ID token or a wrong bot-issued token', () => {
  it.each(['OIDC', 'DISCORD_BOT_ISSUED_ACCESS_TOKEN'])('of the type %s counts as well', async type => {
    for (let time = 0; time < ofAddress; time++) expect((await world.byProof('forged', type)).status).toBeLessThan(429);
    expect((await world.byProof('forged', type)).status).toBe(429);
  });
});

describe('a request for device codes', () => {
  it('is answered 600 times in five minutes for one application and address', async () => {
    const body = new URLSearchParams({ client_id: game.id, scope: 'identify' }).toString();
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const request = () => callApi(world.service, 'POST', '/oauth2/device/authorize', body, headers);
    const most = limits.buckets['oauth-device']?.requests ?? 0;
    for (let time = 0; time < most; time++) expect((await request()).status).toBe(200);
    expect((await request()).status).toBe(429);
    await world.service.clock.advance(300_000);
    expect((await request()).status).toBe(200);
  });
});
