import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { socialLimits } from '../../../../src/model/limits/social-limits.ts';
import { serviceLimits } from '../../../../src/service/support/service-limits.ts';
import { ada, ben, cyn, refusal } from '../support.ts';
import { type MessagesRig, makeMessagesRig } from './rig.ts';

const { conversationsMax, conversationsListedMax } = socialLimits;

let rig: MessagesRig;
beforeEach(async () => {
  rig = await makeMessagesRig();
  await rig.relate(ada, ben, 1);
  await rig.relate(ada, cyn, 1);
});
afterEach(() => rig.core.store.close());

/** Conversations of Ada with others, as a store holds them. */
async function converse(count: number): Promise<void> {
  await rig.core.store.transact('world', transaction => {
    for (let n = 0; n < count; n++) {
      const [id, other_id] = [200_000_000_000_000_000n, 300_000_000_000_000_000n].map(first =>
        String(first + BigInt(n)),
      );
      if (id === undefined || other_id === undefined) continue;
      const fields = { user_ids: [ada, other_id] as const, last_message_id: null, message_count: 0 };
      transaction.put('direct_channels', { id, pair: `${ada}/${other_id}`, ...fields });
      transaction.put('direct_recipients', { user_id: ada, channel_id: id, other_id });
    }
  });
}

describe('conversations', () => {
  it(`of a user are opened up to ${conversationsMax}; in those that exist messages are still sent`, async () => {
    await converse(conversationsMax - 1);
    await rig.send(ada, ben, 'Hello');
    expect((await refusal(rig.send(ada, cyn, 'Hello'))).reason).toBe('opening_messages_too_fast');
    expect((await refusal(rig.send(cyn, ada, 'Hello'))).reason).toBe('opening_messages_too_fast');
    await rig.send(ben, ada, 'Hello back');
  });

  it('beyond the bound of a list are left out of it, the oldest first', async () => {
    await converse(conversationsListedMax + 50);
    const listed = await rig.messages.conversations(ada);
    expect(listed).toHaveLength(conversationsListedMax);
    expect(listed.map(({ user_id }) => user_id)).not.toContain('300000000000000049');
    expect(listed.map(({ user_id }) => user_id)).toContain('300000000000000050');
  });

  it('whose messages are larger than a list can be are listed from the newest on', async () => {
    const metadata = Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map(key => [key, '\u0001'.repeat(2000)]));
    await rig.core.store.transact('grants', transaction => {
      transaction.put('authorizations', { id: '9', application_id: '1', user_id: ben, scopes: [] });
    });
    const ids: string[] = [];
    for (let n = 0; n < 100; n++) {
      const { id } = await rig.send(ada, ben, `message ${n}`);
      await rig.messages.moderate(rig.world.starfall, [ada, ben], id, metadata);
      ids.unshift(id);
    }
    const text = await rig.messages.list(await rig.caller(ada), ben, 100);
    const listed = (JSON.parse(text) as { id: string }[]).map(({ id }) => id);
    expect(Buffer.byteLength(text)).toBeLessThan(serviceLimits.messageListBytesMax + 1024);
    expect(listed.length).toBeGreaterThan(50);
    expect(listed).toEqual(ids.slice(0, listed.length));
  });
});
