import { expect, it, onTestFinished } from 'vitest';
import { endGrant } from '../../../src/service/features/oauth/authorize/authorization-records.ts';
import { ada } from '../features/support.ts';
import { makeRig, type Rig } from './rig.ts';

it('a session whose tokens end between its Identify and its first event is closed', async () => {
  let rig: Rig | undefined;
  rig = await makeRig({}, lobbies => ({
    ...lobbies,
    // Looked at when the token was found good, and before the session follows what is announced.
    async connected(...player) {
      await rig?.world.core.store.transact('ended', transaction => endGrant(transaction, ada));
      return lobbies.connected(...player);
    },
  }));
  onTestFinished(() => rig?.close());
  const client = await rig.join(ada);
  await expect.poll(() => client.socket.readyState).toBe(client.socket.CLOSED);
  expect(await client.closed).toMatchObject({ code: 4003 });
});
