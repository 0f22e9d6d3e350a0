import { describe, expect, it } from 'vitest';
import { checkLobby, checkLobbyMember, checkLobbyMemberChanges } from '../../../../src/model/rules/lobbies/lobby.ts';
import { times } from '../../../support/commands/command-samples.ts';
import { faults } from '../../../support/commands/issues.ts';

const lobby = (body: unknown): string[] => faults(checkLobby(body));
const member = (body: unknown): string[] => faults(checkLobbyMember(body));
const changes = (body: unknown): string[] => faults(checkLobbyMemberChanges(body));

describe.each([
  ['of a lobby', lobby],
  ['of a member', member],
])('the body %s', (_, check) => {
  it('is an object with nothing it must have', () => {
    expect(check({})).toEqual([]);
    expect(check({ made_up: [] })).toEqual([]);
    for (const body of [undefined, null, [], 'x', 7]) expect(check(body)).toEqual(['(body) DICT_TYPE_CONVERT']);
  });

  it('may have null in every field', () => {
    const fields = ['metadata', 'flags', 'members', 'idle_timeout_seconds', 'override_event_webhooks_url'];
    expect(check(Object.fromEntries([...fields, 'additional_name'].map(field => [field, null])))).toEqual([]);
  });

  it.each([
    [999, []],
    [1000, []],
    [1001, ['metadata BASE_TYPE_MAX_LENGTH']],
  ])('with %i characters of metadata, keys and values together, has the issues %j', (length, issues) => {
    expect(check({ metadata: { key: '🎲'.repeat(length - 3) } })).toEqual(issues);
    expect(check({ metadata: { a: 'x'.repeat(400), b: 'y'.repeat(length - 402) } })).toEqual(issues);
  });

  it('has metadata of up to 250 entries, text → text', () => {
    expect(check({ metadata: {} })).toEqual([]);
    expect(check({ metadata: Object.fromEntries(times(200, i => [`k${i}`, ''])) })).toEqual([]);
    expect(check({ metadata: [] })).toEqual(['metadata DICT_TYPE_CONVERT']);
    expect(check({ metadata: 'x' })).toEqual(['metadata DICT_TYPE_CONVERT']);
    expect(check({ metadata: { a: 1, b: null, c: {}, d: '' } })).toEqual([
      'metadata.a STRING_TYPE_CONVERT',
      'metadata.b STRING_TYPE_CONVERT',
      'metadata.c STRING_TYPE_CONVERT',
    ]);
  });

  it.each([
    [249, []],
    [250, []],
    [251, ['metadata BASE_TYPE_MAX_LENGTH']],
  ])('with %i entries of metadata has the issues %j', (count, issues) => {
    expect(check({ metadata: Object.fromEntries(times(count, n => [String(n), ''])) })).toEqual(issues);
  });

  it('counts a key called __proto__ like any other', () => {
    expect(check({ metadata: JSON.parse('{"__proto__":5}') })).toEqual(['metadata.__proto__ STRING_TYPE_CONVERT']);
    const metadata = JSON.parse(`{"__proto__":"${'x'.repeat(992)}"}`);
    expect(check({ metadata })).toEqual(['metadata BASE_TYPE_MAX_LENGTH']);
  });

  it.each([
    [0, []],
    [1, []],
    [2, ['flags BASE_TYPE_CHOICES']],
    [-1, ['flags BASE_TYPE_CHOICES']],
    ['1', ['flags NUMBER_TYPE_COERCE']],
    [0.5, ['flags NUMBER_TYPE_COERCE']],
  ])('with flags %j has the issues %j', (flags, issues) => {
    expect(check({ flags })).toEqual(issues);
  });
});

describe('idle_timeout_seconds', () => {
  it.each([
    [4, ['idle_timeout_seconds NUMBER_TYPE_MIN']],
    [5, []],
    [6, []],
    [604_799, []],
    [604_800, []],
    [604_801, ['idle_timeout_seconds NUMBER_TYPE_MAX']],
    [5.5, ['idle_timeout_seconds NUMBER_TYPE_COERCE']],
    ['60', ['idle_timeout_seconds NUMBER_TYPE_COERCE']],
  ])('%j: %j', (idle_timeout_seconds, issues) => {
    expect(lobby({ idle_timeout_seconds })).toEqual(issues);
  });
});

describe('members', () => {
  it.each([
    [0, []],
    [24, []],
    [25, []],
    [26, ['members BASE_TYPE_MAX_LENGTH']],
  ])('%i of them: %j', (count, issues) => {
    expect(lobby({ members: times(count, i => ({ id: String(i + 1) })) })).toEqual(issues);
  });

  it('are a list of objects with an id', () => {
    expect(lobby({ members: {} })).toEqual(['members LIST_TYPE_CONVERT']);
    expect(lobby({ members: [null, '1', {}, { id: null }, { id: 'x' }, { id: '9223372036854775808' }] })).toEqual([
      'members.0 LIST_ITEM_VALUE_REQUIRED',
      'members.1 MODEL_TYPE_CONVERT',
      'members.2.id BASE_TYPE_REQUIRED',
      'members.3.id BASE_TYPE_REQUIRED',
      'members.4.id NUMBER_TYPE_COERCE',
      'members.5.id NUMBER_TYPE_MAX',
    ]);
  });

  it('are listed once each, in every form that an id can have', () => {
    expect(lobby({ members: [{ id: '7' }, { id: '8' }, { id: 7 }] })).toEqual(['members.2.id LIST_ITEM_DUPLICATE']);
  });

  it('have metadata and flags, and no additional name', () => {
    const metadata = { key: 'x'.repeat(998) };
    expect(lobby({ members: [{ id: '7', metadata, flags: 2, additional_name: 5 }] })).toEqual([
      'members.0.metadata BASE_TYPE_MAX_LENGTH',
      'members.0.flags BASE_TYPE_CHOICES',
    ]);
  });
});

describe('override_event_webhooks_url', () => {
  const url = (length: number): string => `https://game.example/${'x'.repeat(length - 'https://game.example/'.length)}`;
  it.each([
    [url(511), []],
    [url(512), []],
    [url(513), ['override_event_webhooks_url BASE_TYPE_MAX_LENGTH']],
    ['http://127.0.0.1:80/hook', []],
    ['', ['override_event_webhooks_url URL_TYPE_INVALID_URL']],
    ['/hook', ['override_event_webhooks_url URL_TYPE_INVALID_URL']],
    ['ftp://game.example/', ['override_event_webhooks_url URL_TYPE_INVALID_SCHEME']],
    ['javascript:alert(1)', ['override_event_webhooks_url URL_TYPE_INVALID_SCHEME']],
    [7, ['override_event_webhooks_url STRING_TYPE_CONVERT']],
  ])('%j: %j', (override_event_webhooks_url, issues) => {
    expect(lobby({ override_event_webhooks_url })).toEqual(issues);
  });
});

describe('additional_name', () => {
  it.each([
    [0, ['additional_name BASE_TYPE_BAD_LENGTH']],
    [1, []],
    [79, []],
    [80, []],
    [81, ['additional_name BASE_TYPE_BAD_LENGTH']],
  ])('of %i code points: %j', (length, issues) => {
    expect(member({ additional_name: '🎲'.repeat(length) })).toEqual(issues);
  });

  it('is text', () => {
    expect(member({ additional_name: 5 })).toEqual(['additional_name STRING_TYPE_CONVERT']);
  });
});

describe('the body of a bulk update', () => {
  it.each([
    [0, ['(body) BASE_TYPE_BAD_LENGTH']],
    [1, []],
    [24, []],
    [25, []],
    [26, ['(body) BASE_TYPE_BAD_LENGTH']],
  ])('with %i entries has the issues %j', (count, issues) => {
    expect(changes(times(count, i => ({ id: String(i + 1) })))).toEqual(issues);
  });

  it('is a list of objects, each of which names a user', () => {
    for (const body of [undefined, null, {}, 'x', 7]) expect(changes(body)).toEqual(['(body) LIST_TYPE_CONVERT']);
    expect(changes([null, 7, {}, { id: '' }, { id: 'x' }])).toEqual([
      '0 LIST_ITEM_VALUE_REQUIRED',
      '1 MODEL_TYPE_CONVERT',
      '2.id BASE_TYPE_REQUIRED',
      '3.id BASE_TYPE_REQUIRED',
      '4.id NUMBER_TYPE_COERCE',
    ]);
  });

  it('names every user once, in every form that an id can have', () => {
    expect(changes([{ id: '1' }, { id: 1 }, { id: '1', remove_member: true }])).toEqual([
      '1.id LIST_ITEM_DUPLICATE',
      '2.id LIST_ITEM_DUPLICATE',
    ]);
  });

  it('says of each member what a body of its own says, and whether it is removed', () => {
    const fields = { metadata: { a: 'b' }, flags: 1, additional_name: 'x'.repeat(80) };
    expect(changes([{ id: '1', ...fields, remove_member: false }])).toEqual([]);
    expect(changes([{ id: '1', metadata: null, flags: null, additional_name: null, remove_member: null }])).toEqual([]);
    expect(changes([{ id: '1', metadata: 1, flags: 2, additional_name: 'x'.repeat(81), remove_member: 1 }])).toEqual([
      '0.metadata DICT_TYPE_CONVERT',
      '0.flags BASE_TYPE_CHOICES',
      '0.additional_name BASE_TYPE_BAD_LENGTH',
      '0.remove_member BOOLEAN_TYPE_CONVERT',
    ]);
  });
});
