import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAttemptLimiter } from '../../../../../src/service/auth/attempt-limiter.ts';
import { createPartnerClients } from '../../../../../src/service/features/oauth/provisional/partner-client.ts';
import { hashSecret } from '../../../../../src/service/support/secret.ts';
import { makeWorld, type World } from '../../support.ts';

const address = '192.0.2.1';
const limits = { name: 'standard', asOf: '', buckets: { 'oauth-proof': { requests: 1, windowMs: 60_000 } } } as const;

let world: World;
beforeEach(async () => {
  world = await makeWorld({ limits });
});
afterEach(() => world.core.store.close());

describe('an application that proves itself', () => {
  it('waits for its proofs under way at the token endpoint, and is rejected when one of them was wrong', async () => {
    const proofs = createAttemptLimiter(world.core, 'oauth-proof');
    const clients = createPartnerClients(world.core, proofs);
    const application = { ...world.starfall, client_secret_hash: hashSecret('right') };
    const verdict = Promise.withResolvers<void>();
    const underWay = proofs.attempt(`${application.id}/${address}`, async wrong => {
      await verdict.promise;
      wrong();
    });
    const proved = clients.prove(application, { secret: 'right', address });
    verdict.resolve();
    await underWay;
    await expect(proved).rejects.toMatchObject({ reason: 'rate_limited' });
    await expect(clients.prove(application, { secret: 'right', address: '192.0.2.2' })).resolves.toBeUndefined();
  });
});
