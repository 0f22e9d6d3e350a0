import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { button, type InteractionHandler, router, row } from '../../src/backend/index.ts';
import { createWorld, type World, type WorldUser } from '../../src/testing/index.ts';

let world: World;
let ada: WorldUser;
let answer: InteractionHandler;
const thrown = new RangeError('no harbour');

beforeAll(async () => {
  world = await createWorld();
  ada = world.user('ada');
  await world.backend.commands.create({
    name: 'rally',
    description: 'Calls your party together',
    options: [{ type: 3, name: 'where', description: 'Where to', autocomplete: true }],
  });
  await world.backend.interactions.listen(interaction => answer(interaction), { onError: () => {} });
});

afterEach(() => vi.restoreAllMocks());
afterAll(() => world.close());

describe('a call of a world user, while time stands still', () => {
  it.each<[string, InteractionHandler, unknown]>([
    ['throws', () => Promise.reject(thrown), thrown],
    [
      'throws synchronously',
      () => {
        throw thrown;
      },
      thrown,
    ],
    ['replies with text in place of a message', ({ reply }) => reply('Ahoy' as never), { code: 'invalid_argument' }],
    [
      'replies with a message of another shape',
      ({ reply }) => reply({ content: 7 as never }),
      { code: 'invalid_form_body' },
    ],
    ['replies with an empty message', ({ reply }) => reply({}), { code: 'empty_message' }],
    [
      'edits its answer first',
      async ({ editReply }) => {
        await editReply({ content: 'Ahoy' });
      },
      { code: 'unknown_webhook' },
    ],
    ['throws a value that is no error', () => Promise.reject('no harbour'), 'no harbour'],
  ])('rejects with the error as its cause if the handler %s', async (_, handler, cause) => {
    answer = handler;
    const outcome = await ada.use('/rally').catch(error => error);
    expect(outcome).toMatchObject({ code: 'interaction_failed', message: expect.stringContaining('handler') });
    if (cause === thrown) expect(outcome.cause).toBe(thrown);
    else expect(outcome.cause).toEqual(typeof cause === 'string' ? cause : expect.objectContaining(cause));
  });

  it('rejects if the handler returns without an answer', async () => {
    answer = () => {};
    await expect(ada.use('/rally')).rejects.toMatchObject({
      code: 'interaction_failed',
      message: expect.stringContaining('did not answer it'),
    });
  });

  it('resolves if the handler returns first and what it started answers', async () => {
    answer = ({ reply }) => {
      setTimeout(() => reply({ content: 'Ahoy' }), 50);
    };
    expect((await ada.use('/rally')).content).toBe('Ahoy');
  });

  it('resolves with the answer if the handler throws after it', async () => {
    answer = async ({ reply }) => {
      await reply({ content: 'Ahoy' });
      throw thrown;
    };
    expect((await ada.use('/rally')).content).toBe('Ahoy');
  });

  it('rejects for suggestions that fail', async () => {
    answer = () => Promise.reject(thrown);
    await expect(ada.autocomplete('/rally', { where: 'har' })).rejects.toMatchObject({ cause: thrown });
  });

  it('rejects completed() if the handler throws after it has deferred its answer', async () => {
    answer = async ({ defer }) => {
      await defer();
      throw thrown;
    };
    const reply = await ada.use('/rally');
    expect(reply.isDeferred).toBe(true);
    await expect(reply.completed()).rejects.toMatchObject({ code: 'interaction_failed', cause: thrown });
  });

  it.each(['awaitComponent', 'collectComponents'] as const)(
    'rejects for a button whose use a handler received by %s() before it throws',
    async name => {
      answer = async interaction => {
        await interaction.reply({ content: 'Ahoy', components: [row(button.primary('join', 'Join'))] });
        if (name === 'awaitComponent') await interaction.awaitComponent();
        else for await (const _ of interaction.collectComponents()) throw thrown;
        throw thrown;
      };
      await ada.use('/rally');
      await expect(ada.press('Join')).rejects.toMatchObject({ code: 'interaction_failed', cause: thrown });
    },
  );

  it('rejects each of two concurrent calls with its own error', async () => {
    answer = ({ payload }) => Promise.reject(new RangeError(payload.id));
    const outcomes = await Promise.allSettled([
      ada.use('/rally'),
      ada.use('/rally'),
      world.user('grace').use('/rally'),
    ]);
    const causes = outcomes.map(outcome => (outcome.status === 'rejected' ? outcome.reason.cause.message : ''));
    expect(new Set(causes).size).toBe(3);
    expect(causes).not.toContain('');
  });

  it('rejects if a handler of a router throws', async () => {
    answer = router([{ name: 'rally', description: 'Calls', options: [], use: () => Promise.reject(thrown) }]);
    await expect(ada.use('/rally')).rejects.toMatchObject({ code: 'interaction_failed', cause: thrown });
  });

  it('rejects after real time, with what to do, if the handler waits for time that nobody advances', async () => {
    answer = () => new Promise(resolve => void world.clock.schedule(60_000, resolve));
    await expect(ada.use('/rally')).rejects.toMatchObject({
      code: 'interaction_failed',
      message: expect.stringMatching(/stood still.*advance the clock/),
    });
    await world.advance('1 min');
  }, 60_000);
});

describe('a call that is started before time is advanced', () => {
  it('may reject before it is awaited', async () => {
    answer = () => Promise.reject(thrown);
    const used = ada.use('/rally');
    const pressed = ada.press('Nothing');
    await world.advance('10 s');
    await new Promise(resolve => setTimeout(resolve, 50));
    await expect(used).rejects.toMatchObject({ cause: thrown });
    await expect(pressed).rejects.toMatchObject({ code: 'not_in_world' });
  });
});
