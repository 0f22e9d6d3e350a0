import { setImmediate } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { createAttemptLimiter } from '../../../../../src/service/auth/attempt-limiter.ts';
import { createLobbies } from '../../../../../src/service/features/lobbies/lobbies.ts';
import { createAuthorizationEvents } from '../../../../../src/service/features/oauth/authorize/authorization-events.ts';
import { authorizationScope } from '../../../../../src/service/features/oauth/authorize/authorization-records.ts';
import { createIdTokens, createSigningKeys } from '../../../../../src/service/features/oauth/openid/signed-tokens.ts';
import type { MovedPart } from '../../../../../src/service/features/oauth/provisional/account-moves.ts';
import {
  createProvisional,
  type Provisional,
} from '../../../../../src/service/features/oauth/provisional/accounts-and-tokens.ts';
import { createWebhookEvents } from '../../../../../src/service/features/webhooks/events.ts';
import { PendingWork } from '../../../../../src/service/support/pending-work.ts';
import { ada, ben, makeWorld, restarted, type TestCore, type World } from '../../support.ts';

const worlds: World[] = [];
afterEach(() => Promise.all(worlds.splice(0).map(({ core }) => core.store.close())));

async function open() {
  const world = await makeWorld();
  worlds.push(world);
  return world;
}

function provisionalOf(core: TestCore, lobbies: MovedPart = createLobbies(core)): Provisional {
  const idTokens = createIdTokens(core, createSigningKeys(core));
  const events = createAuthorizationEvents(core, createWebhookEvents(core));
  const proofs = createAttemptLimiter(core, 'oauth-proof');
  return createProvisional(core, { idTokens, events, moved: [lobbies], pendingWork: new PendingWork(), proofs });
}

/** A move that goes on when it is told to, or fails. */
function heldUp() {
  const held = Promise.withResolvers<void>();
  return { lobbies: { move: () => held.promise } satisfies MovedPart, held };
}

const proofOf = (token: string) =>
  new URLSearchParams({ external_auth_type: 'DISCORD_BOT_ISSUED_ACCESS_TOKEN', external_auth_token: token });

/** What a grant does with a merge. */
async function merge(
  world: World,
  provisional: Provisional,
  token: string,
  userId: string,
): Promise<() => Promise<void>> {
  const prepared = await provisional.merges.prepare(
    { application: world.starfall, proven: true, address: '127.0.0.1' },
    proofOf(token),
  );
  if (!prepared) throw new Error('There is nothing to be merged.');
  const parties = { application_id: world.starfall.id, user_id: userId };
  const begin = () =>
    world.core.store.transact(
      authorizationScope(parties),
      transaction => prepared.begin(transaction, userId),
      prepared.guards,
    );
  await begin();
  return () => prepared.complete();
}

const byBot = (provisional: Provisional, { starfall }: World, more: object = {}) =>
  provisional.issueTokenByBot(starfall, { external_user_id: 'player', ...more });

describe('while an account is being moved', () => {
  it('its identities are locked, and only then', async () => {
    const world = await open();
    const { lobbies, held } = heldUp();
    const provisional = provisionalOf(world.core, lobbies);
    const { access_token } = await byBot(provisional, world);
    const complete = (await merge(world, provisional, access_token, ada))();
    const locked = { reason: 'account_locked' };
    await expect(byBot(provisional, world)).rejects.toMatchObject(locked);
    await expect(provisional.unmergeByBot(world.starfall, { external_user_id: 'player' })).rejects.toMatchObject(
      locked,
    );
    held.resolve();
    await complete;
    await expect(byBot(provisional, world)).rejects.toMatchObject({ reason: 'account_not_provisional' });

    const other = heldUp();
    const unmerging = provisionalOf(world.core, other.lobbies);
    const unmerged = unmerging.unmergeByBot(world.starfall, { external_user_id: 'player' });
    while ((await world.core.store.list('account_moves')).length === 0) await setImmediate();
    await expect(byBot(provisional, world)).rejects.toMatchObject(locked);
    other.held.resolve();
    await unmerged;
    await byBot(provisional, world);
  });

  it('another identity of the same account is locked, too', async () => {
    const world = await open();
    const { lobbies, held } = heldUp();
    const provisional = provisionalOf(world.core, lobbies);
    const { access_token } = await byBot(provisional, world);
    const [identity] = await world.core.store.list('external_identities');
    const linked = { external_user_id: 'other', provisional_user_id: identity?.user_id };
    await provisional.issueTokenByBot(world.starfall, linked);
    const complete = (await merge(world, provisional, access_token, ada))();
    const signIn = provisional.issueTokenByBot(world.starfall, { external_user_id: 'other' });
    await expect(signIn).rejects.toMatchObject({ reason: 'account_locked' });
    held.resolve();
    await complete;
  });
});

describe('a move that was broken off', () => {
  it('is carried to its end when the service starts again', async () => {
    const world = await open();
    const { lobbies, held } = heldUp();
    const before = provisionalOf(world.core, lobbies);
    const { access_token } = await byBot(before, world);
    const [identity] = await world.core.store.list('external_identities');
    const lobby = JSON.parse(
      await createLobbies(world.core).create(world.starfall, { members: [{ id: identity?.user_id ?? '' }] }),
    ) as { id: string };
    const complete = await merge(world, before, access_token, ada);
    held.reject(new Error('The disk is full.'));
    await complete();
    await expect(byBot(before, world)).rejects.toMatchObject({ reason: 'account_locked' });

    const core = restarted(world, world.core.bus);
    const after = provisionalOf(core);
    await after.start();
    await expect(byBot(after, world)).rejects.toMatchObject({ reason: 'account_not_provisional' });
    const { members } = JSON.parse(await createLobbies(core).read(world.starfall, lobby.id)) as {
      members: { id: string }[];
    };
    expect(members.map(({ id }) => id)).toEqual([ada]);
    expect(await core.store.list('account_moves')).toEqual([]);
  });
});

describe('a merge that is too late', () => {
  it('finds the identity elsewhere, and nothing is done', async () => {
    const world = await open();
    const provisional = provisionalOf(world.core);
    const { access_token } = await byBot(provisional, world);
    const late = await provisional.merges.prepare(
      { application: world.starfall, proven: true, address: '127.0.0.1' },
      proofOf(access_token),
    );
    await (await merge(world, provisional, access_token, ada))();
    const begin = world.core.store.transact(
      authorizationScope({ application_id: world.starfall.id, user_id: ben }),
      transaction => late?.begin(transaction, ben),
      late?.guards,
    );
    await expect(begin).rejects.toMatchObject({ reason: 'account_locked' });
    await late?.complete();
    expect((await world.core.store.list('external_identities'))[0]?.user_id).toBe(ada);
  });

  it('is rejected into a provisional account', async () => {
    const world = await open();
    const provisional = provisionalOf(world.core);
    const { access_token } = await byBot(provisional, world);
    await provisional.issueTokenByBot(world.starfall, { external_user_id: 'other' });
    const ids = (await world.core.store.list('external_identities')).map(({ user_id }) => user_id);
    const [known] = await world.core.store.list('tokens');
    const other = ids.find(id => id !== known?.user_id) ?? '';
    const token = known?.user_id === other ? '' : access_token;
    await expect(merge(world, provisional, token, other)).rejects.toMatchObject({
      reason: 'invalid_merge_destination',
    });
  });
});
