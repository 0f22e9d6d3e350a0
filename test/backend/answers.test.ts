import { expect, it } from 'vitest';
import { readCommand } from '../../src/backend/answers.ts';

const command = { id: '5', name: 'rally', type: 1 };

it.each([{ options: {} }, { options: [null] }, { options: [{ choices: 'x' }] }, { options: [{ options: [5] }] }])(
  'takes a command with %j for unreadable',
  broken => {
    expect(() => readCommand({ ...command, ...broken })).toThrow(
      expect.objectContaining({ code: 'unreadable_answer' }),
    );
  },
);

it('keeps what it need not look into, however deep', () => {
  const deep = JSON.parse(`${'{"options":['.repeat(5_000)}${']}'.repeat(5_000)}`);
  for (const options of [undefined, null, [], [{ name: 'a', choices: [{ name: 'b' }] }], deep.options]) {
    expect(readCommand({ ...command, options })).toEqual({ ...command, options });
  }
});
