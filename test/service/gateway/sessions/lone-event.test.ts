import { expect, it, onTestFinished } from 'vitest';
import { topics } from '../../../../src/service/events/announcement.ts';
import type { ObservedConnection } from '../../../../src/service/support/traffic.ts';
import { ada } from '../../features/support.ts';
import { makeRig } from '../rig.ts';

it('an event that was announced alone leaves before anything else is done, and others leave together', async () => {
  const sent: string[] = [];
  const connection = (event: ObservedConnection) => {
    if (event.kind === 'sent' && event.frame.t === 'LOBBY_DELETE') sent.push((event.frame.d as { id: string }).id);
  };
  const rig = await makeRig({ traffic: { connection } });
  onTestFinished(() => rig.close());
  const { core, starfall } = rig.world;
  const client = await rig.join(ada);
  await client.dispatch('READY');
  const announced = (position: number) => ({
    ...{ to: topics.player(starfall.id, ada), scope: 'lobby', revision: position, position },
    event: { name: 'LOBBY_DELETE', data: JSON.stringify({ id: String(position) }) } as const,
  });

  const position = 1_000_000;
  void core.bus.publish([{ ...announced(position), isAlone: true }]);
  expect(sent).toEqual([String(position)]);

  void core.bus.publish([announced(position + 1), announced(position + 2)]);
  expect(sent).toEqual([String(position)]);
  await expect.poll(() => sent.length).toBe(3);
});
