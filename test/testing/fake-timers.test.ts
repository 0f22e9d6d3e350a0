import { spawnSync } from 'node:child_process';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { button, type ReceivedInteraction, row } from '../../src/backend/index.ts';
import { Client } from '../../src/sdk/index.ts';
import { createWorld, record, recordService, replayAgainstService, serveRecording } from '../../src/testing/index.ts';

afterEach(() => vi.useRealTimers());

/** Every call of a world, each of which must end. */
async function story(fake: (at: 'before' | 'after') => void): Promise<void> {
  fake('before');
  const recorder = recordService();
  const world = await createWorld({ traffic: recorder.traffic });
  fake('after');
  const client = record(world);
  const { backend } = world;
  await backend.commands.create({
    name: 'rally',
    description: 'Calls your party together',
    options: [{ type: 3, name: 'where', description: 'Where to', autocomplete: true }],
  });
  const answer = async (interaction: ReceivedInteraction): Promise<void> => {
    const { payload, reply, update, respond, showModal, defer, editReply } = interaction;
    if (payload.type === 4) return respond({ type: 8, data: { choices: [] } });
    const data = payload.data as { custom_id?: string; options?: { value: string }[] };
    if (data.custom_id === 'join') return update({ content: 'Joined', components: [] });
    if (data.custom_id === 'form') return reply({ content: 'Filled in' });
    if (data.custom_id === 'name') {
      const input = { type: 4, custom_id: 'input', label: 'Name', style: 1 } as const;
      return showModal({ custom_id: 'form', title: 'Name', components: [{ type: 1, components: [input] }] });
    }
    if (data.options?.[0]?.value === 'later') {
      await defer();
      await editReply({ content: 'Here' });
      return;
    }
    if (data.options?.[0]?.value === 'nowhere') throw new RangeError('nowhere');
    await reply({ content: 'Ahoy', components: [row(button.primary('join', 'Join'), button.primary('name', 'Name'))] });
  };
  await backend.interactions.listen(answer, { onError: () => {} });
  const start = await world.snapshot();
  const ada = world.user('ada');
  expect((await ada.use('/rally')).content).toBe('Ahoy');
  await ada.press('Name');
  expect((await ada.submit({ Name: 'Ada' })).content).toBe('Filled in');
  expect((await ada.press('Join')).content).toBe('Joined');
  expect(await ada.autocomplete('/rally', { where: 'h' })).toEqual([]);
  expect((await (await ada.use('/rally', { where: 'later' })).completed()).content).toBe('Here');
  await expect(ada.use('/rally', { where: 'nowhere' })).rejects.toMatchObject({ code: 'interaction_failed' });
  await world.befriend('ada', 'grace');
  await ada.write('grace', 'Ahoy');
  await ada.setPresence({ name: 'Game' });
  await ada.block('grace');
  const game = await world.player('ada');
  const lobby = await game.lobbies.join('harbour');
  await lobby.send('Ahoy');
  world.faults.drop('ada');
  await world.settled();
  await world.advance('1 min');
  expect(game.status.status).toBe('ready');
  world.faults.limit('getCurrentUser', '2 s');
  const [user] = await Promise.all([game.fetchCurrentUser(), world.advance('5 s')]);
  expect(user.username).toBe('ada');
  const recording = client.recording();
  await world.restore(start);
  await world.reset();
  await world.close();
  const server = serveRecording(recording, { by: 'ada' });
  const replayed = new Client(server.ports);
  await server.play(replayed);
  await replayed.close();
  const other = await createWorld();
  const { accessToken } = await other.client('ada').signIn();
  await replayAgainstService(recording, other.baseUrl, { credentials: { ada: `Bearer ${accessToken}` } });
  await other.close();
}

describe('a world', () => {
  it.each(['before', 'after'] as const)('works with vi.useFakeTimers() called %s it is created', async when => {
    await story(at => at === when && vi.useFakeTimers());
  });

  it('works with the mock timers of node:test', () => {
    const program = `
      import { mock } from 'node:test';
      import { createWorld } from '@rallypoint/sdk/testing';
      mock.timers.enable();
      const world = await createWorld();
      await world.player('ada');
      await world.advance('1 min');
      await world.close();
      console.log('closed');
    `;
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
      encoding: 'utf8',
      timeout: 60_000,
    });
    expect([stdout, stderr]).toEqual(['closed\n', '']);
  });

  it.each(['nextTick', 'queueMicrotask'] as const)('a world says immediately that it needs the real %s', async name => {
    const world = await createWorld();
    const real = name === 'nextTick' ? process.nextTick : queueMicrotask;
    const holder: Record<string, unknown> = name === 'nextTick' ? (process as never) : (globalThis as never);
    holder[name] = () => {};
    try {
      const outcomes = [createWorld, () => world.advance('1 s'), () => world.user('ada').use('/rally')].map(call =>
        call(),
      );
      holder[name] = real;
      for (const outcome of await Promise.allSettled(outcomes))
        expect(outcome).toMatchObject({ reason: { code: 'fake_timers', message: expect.stringContaining(name) } });
    } finally {
      holder[name] = real;
      await world.close();
    }
  });
});
