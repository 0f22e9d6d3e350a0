import { expect, it } from 'vitest';
import { readCommand, readLobby, readVerifyKey } from '../../src/backend/answers.ts';

const command = { id: '5', name: 'rally', type: 1 };

it.each([
  { options: {} },
  { options: [null] },
  { options: [{ choices: 'x' }] },
  { options: [{ options: [5] }] },
  { options: nested(5, 'x') },
  { options: nested(5, [null]) },
  { options: [{ channel_types: 5 }] },
  { options: [{ options: [{ file_types: [5] }] }] },
  { contexts: 0 },
  { contexts: ['0'] },
  { integration_types: {} },
  { default_member_permissions: 'all' },
  { default_member_permissions: 1.5 },
  { default_member_permissions: '' },
])('takes a command with %j for unreadable', broken => {
  expect(() => readCommand({ ...command, ...broken })).toThrow(expect.objectContaining({ code: 'unreadable_answer' }));
});

it.each([
  { metadata: 5 },
  { metadata: 'x' },
  { metadata: [] },
  { members: [{ id: '9', metadata: 0 }] },
  { members: {} },
])('takes a lobby with %j for unreadable', broken => {
  const lobby = { id: '5', metadata: null, members: [] };
  expect(readLobby(lobby)).toEqual(lobby);
  expect(() => readLobby({ ...lobby, ...broken })).toThrow(expect.objectContaining({ code: 'unreadable_answer' }));
});

it('takes an application without a key for unreadable: the caller gave none that could be wrong', () => {
  const key = 'ab'.repeat(32);
  expect(readVerifyKey({ verify_key: key })).toBe(key);
  for (const wrong of ['zz', '', undefined]) {
    expect(() => readVerifyKey({ verify_key: wrong })).toThrow(expect.objectContaining({ code: 'unreadable_answer' }));
  }
});

it('accepts what a command may leave out or have as null', () => {
  const none = { contexts: null, default_member_permissions: null, integration_types: undefined };
  const some = { contexts: [0], default_member_permissions: '0', integration_types: [] };
  for (const fields of [none, some]) expect(readCommand({ ...command, ...fields })).toEqual({ ...command, ...fields });
});

it('keeps options as they came, on every level', () => {
  for (const options of [undefined, null, [], [{ name: 'a', choices: [{ name: 'b' }] }], nested(10)]) {
    expect(readCommand({ ...command, options })).toEqual({ ...command, options });
  }
});

it.each([1_000, 100_000])('takes a command whose options nest %d levels deep for unreadable', levels => {
  expect(() => readCommand({ ...command, options: nested(levels) })).toThrow(
    expect.objectContaining({ code: 'unreadable_answer' }),
  );
});

function nested(levels: number, innermost: unknown = []): unknown {
  return JSON.parse(`${'[{"name":"a","options":'.repeat(levels)}${JSON.stringify(innermost)}${'}]'.repeat(levels)}`);
}
