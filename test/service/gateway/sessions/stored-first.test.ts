import { expect, it, onTestFinished } from 'vitest';
import { EventLog } from '../../../../src/service/gateway/sessions/event-log.ts';
import type { Store } from '../../../../src/service/store/contract.ts';
import { GatewayClient } from '../../../support/gateway/gateway-client.ts';
import { ada, makeWorld } from '../../features/support.ts';
import { makeRig } from '../rig.ts';

it('READY waits until a later process could continue the session', async () => {
  const { core } = await makeWorld();
  const answered = Promise.withResolvers<void>();
  // Commits what is written about a session, and answers later.
  const transact: Store['transact'] = async (scope, ...rest) => {
    const result = await core.store.transact(scope, ...rest);
    if (scope.startsWith('gateway/')) await answered.promise;
    return result;
  };
  const store = new Proxy<Store>(core.store, {
    get(target, name: keyof Store) {
      if (name === 'transact') return transact;
      const value = target[name];
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const rig = await makeRig({ ...core, store }, undefined, { events: new EventLog() });
  onTestFinished(() => rig.close());
  const client = await rig.join(ada);
  const bases = async () => (await core.store.list('gateway_sessions')).map(({ base }) => base);
  await expect.poll(bases).toMatchObject([{ sequence: expect.any(Number) }]);
  const other = await GatewayClient.open(rig.url);
  expect(client.names).toEqual([]);
  answered.resolve();
  await client.dispatch('READY');
  for (const { socket } of [client, other]) socket.terminate();
});
