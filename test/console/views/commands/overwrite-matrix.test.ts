import { describe, expect, it } from 'vitest';
import {
  matrixRows,
  overwritesById,
  rulingAfter,
  rulingOf,
  sameOverwrites,
  targetsOf,
  withRuling,
} from '../../../../src/console/views/commands/overwrite-matrix.ts';

const role = { type: 1, id: '6' } as const;
const allow = { id: '6', type: 1, permission: true } as const;
const deny = { id: '9', type: 2, permission: false } as const;

describe('the matrix of overwrites', () => {
  it('lists every target of a guild: what stands for all, roles, users, and channels without threads', () => {
    const targets = targetsOf({
      id: '5',
      roles: [
        { id: '5', name: '@everyone' },
        { id: '6', name: 'mod' },
      ],
      channels: [
        { id: '7', name: 'general', type: 0 },
        { id: '8', name: 'a thread', type: 11 },
      ],
      members: [{ user_id: '9', username: 'ada', global_name: null }],
    });
    expect(targets.map(({ type, id }) => `${type}:${id}`)).toEqual(['1:5', '1:6', '2:9', '3:4', '3:7']);
  });

  it('reads, changes and clears one ruling without touching the others', () => {
    expect(rulingOf([allow, deny], role)).toBe('allow');
    expect(rulingOf(undefined, role)).toBe('unset');
    expect(withRuling([allow, deny], role, 'deny')).toEqual([{ ...allow, permission: false }, deny]);
    expect(withRuling([allow, deny], role, 'unset')).toEqual([deny]);
    expect(withRuling([deny], role, 'allow')).toEqual([deny, allow]);
    expect(['unset', 'allow', 'deny'].map(ruling => rulingAfter(ruling as 'unset'))).toEqual([
      'allow',
      'deny',
      'unset',
    ]);
  });

  it('compares lists by what they say, not by their order', () => {
    expect(sameOverwrites([allow, deny], [deny, allow])).toBe(true);
    expect(sameOverwrites([allow], [{ ...allow, permission: false }])).toBe(false);
    expect(sameOverwrites(undefined, [])).toBe(true);
  });

  it('has a row for the application and one for each command that the guild has', () => {
    const command = (id: string) => ({ id }) as never;
    const scopes = [
      { guild_id: null, commands: [command('1')] },
      { guild_id: '5', commands: [command('2')] },
      { guild_id: '6', commands: [command('3')] },
    ];
    expect(matrixRows('100', scopes, '5').map(({ id }) => id)).toEqual(['100', '1', '2']);
    expect(overwritesById([{ id: '1', application_id: '100', guild_id: '5', permissions: [allow] }]).get('1')).toEqual([
      allow,
    ]);
  });
});
