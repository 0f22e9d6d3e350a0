import { describe, expect, it } from 'vitest';
import { checkLobbyJoin, checkLobbyLink } from '../../../../src/model/rules/lobbies/lobby-join.ts';
import { faults } from '../../../support/commands/issues.ts';

const join = (body: unknown): string[] => faults(checkLobbyJoin(body));
const link = (body: unknown): string[] => faults(checkLobbyLink(body));

describe('the body that joins by a secret', () => {
  it('needs a secret and nothing else', () => {
    expect(join({ secret: 's' })).toEqual([]);
    expect(join({})).toEqual(['secret BASE_TYPE_REQUIRED']);
    expect(join({ secret: null })).toEqual(['secret BASE_TYPE_REQUIRED']);
    expect(join({ secret: '' })).toEqual(['secret BASE_TYPE_REQUIRED']);
    expect(join({ secret: 7 })).toEqual(['secret STRING_TYPE_CONVERT']);
    for (const body of [undefined, null, [], 'x', 7]) expect(join(body)).toEqual(['(body) DICT_TYPE_CONVERT']);
  });

  it('may have null in every other field', () => {
    const fields = ['lobby_metadata', 'member_metadata', 'idle_timeout_seconds', 'flags'];
    expect(join({ secret: 's', ...Object.fromEntries(fields.map(field => [field, null])) })).toEqual([]);
  });

  it.each([
    [249, []],
    [250, []],
    [251, ['secret BASE_TYPE_BAD_LENGTH']],
  ])('with a secret of %i characters has the issues %j', (length, issues) => {
    expect(join({ secret: '🎲'.repeat(length) })).toEqual(issues);
  });

  it.each(['lobby_metadata', 'member_metadata'])('bounds %s as any metadata', name => {
    expect(join({ secret: 's', [name]: { key: 'x'.repeat(997) } })).toEqual([]);
    expect(join({ secret: 's', [name]: { key: 'x'.repeat(998) } })).toEqual([`${name} BASE_TYPE_MAX_LENGTH`]);
    expect(join({ secret: 's', [name]: { key: 5 } })).toEqual([`${name}.key STRING_TYPE_CONVERT`]);
  });

  it.each([
    [4, ['idle_timeout_seconds NUMBER_TYPE_MIN']],
    [5, []],
    [604_800, []],
    [604_801, ['idle_timeout_seconds NUMBER_TYPE_MAX']],
  ])('with an idle timeout of %i seconds has the issues %j', (seconds, issues) => {
    expect(join({ secret: 's', idle_timeout_seconds: seconds })).toEqual(issues);
  });

  it('knows one flag', () => {
    expect(join({ secret: 's', flags: 1 })).toEqual([]);
    expect(join({ secret: 's', flags: 2 })).toEqual(['flags BASE_TYPE_CHOICES']);
  });
});

describe('the body that links', () => {
  it('may be absent, empty or say null: then it unlinks', () => {
    for (const body of [undefined, null, {}, { channel_id: null }]) expect(link(body)).toEqual([]);
  });

  it('names a channel by an id', () => {
    expect(link({ channel_id: '7' })).toEqual([]);
    expect(link({ channel_id: 7 })).toEqual([]);
    expect(link({ channel_id: 'x' })).toEqual(['channel_id NUMBER_TYPE_COERCE']);
    expect(link({ channel_id: {} })).toEqual(['channel_id NUMBER_TYPE_COERCE']);
    expect(link([])).toEqual(['(body) DICT_TYPE_CONVERT']);
  });
});
