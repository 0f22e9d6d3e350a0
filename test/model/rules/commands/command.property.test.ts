import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { commandTypes } from '../../../../src/model/command.ts';
import { issuesToTree, treeToIssues } from '../../../../src/model/errors/issue.ts';
import { limits } from '../../../../src/model/limits/limits.ts';
import { checkCommand, checkCommandEdit, checkCommandList } from '../../../../src/model/rules/commands/command.ts';
import { commandTextLength } from '../../../../src/model/rules/commands/command-size.ts';
import { normalizeCommand } from '../../../../src/model/rules/commands/normalize-command.ts';
import { checkCallback } from '../../../../src/model/rules/interactions/callback.ts';
import { checkInvocation } from '../../../../src/model/rules/interactions/invocation.ts';
import { checkLobby, checkLobbyMember } from '../../../../src/model/rules/lobbies/lobby.ts';
import { issuesMax } from '../../../../src/model/rules/report.ts';
import { arbitraryBrokenCommand, arbitraryCommand } from '../../../support/commands/arbitrary-command.ts';
import { embeddedTraits, globalContext } from '../../../support/commands/command-samples.ts';

describe('any valid command', () => {
  it('has no issue, alone, as an edit, and in a list', () => {
    fc.assert(
      fc.property(arbitraryCommand(), command => {
        const type = command.type ?? commandTypes.CHAT_INPUT;
        expect(checkCommand(command, globalContext)).toEqual([]);
        expect(checkCommandEdit(command, { ...globalContext, type })).toEqual([]);
        expect(checkCommandList([command], globalContext)).toEqual([]);
        expect(commandTextLength(command)).toBeLessThanOrEqual(limits.commandTextLengthMax);
      }),
    );
  });

  it('is still valid once normalized, and normalizing again changes nothing', () => {
    fc.assert(
      fc.property(arbitraryCommand(), command => {
        const normalized = normalizeCommand(command, embeddedTraits);
        expect(checkCommand(normalized, globalContext)).toEqual([]);
        expect(normalizeCommand(normalized, embeddedTraits)).toEqual(normalized);
      }),
    );
  });

  it('is left as it was by every check', () => {
    fc.assert(
      fc.property(arbitraryCommand(), command => {
        const before = JSON.stringify(command);
        checkCommand(command, globalContext);
        normalizeCommand(command, embeddedTraits);
        expect(JSON.stringify(command)).toBe(before);
      }),
    );
  });
});

describe('any command with one fault', () => {
  it('has an issue at the fault', () => {
    fc.assert(
      fc.property(arbitraryBrokenCommand(), ({ body, path, code }) => {
        expect(checkCommand(body, globalContext)).toContainEqual(expect.objectContaining({ path, code }));
      }),
      { numRuns: 500 },
    );
  });

  it('has the same issue below its index in a list', () => {
    fc.assert(
      fc.property(arbitraryBrokenCommand(), ({ body, path, code }) => {
        const issues = checkCommandList([{ name: 'good', description: 'Good' }, body], globalContext);
        expect(issues).toContainEqual(expect.objectContaining({ path: ['1', ...path], code }));
      }),
    );
  });

  it('reports the same issues through the error tree and back, but for those of a whole of which a part has issues', () => {
    const isWithin = (part: readonly string[], whole: readonly string[]) =>
      part.length > whole.length && whole.every((key, place) => part[place] === key);
    fc.assert(
      fc.property(arbitraryBrokenCommand(), ({ body }) => {
        const all = checkCommand(body, globalContext);
        const issues = all.filter(({ path }) => !all.some(other => isWithin(other.path, path)));
        const read = treeToIssues(JSON.parse(JSON.stringify(issuesToTree(issues))));
        expect(read).toHaveLength(issues.length);
        expect(read).toEqual(expect.arrayContaining(issues));
      }),
    );
  });
});

describe('any JSON at all', () => {
  const checks: readonly ((value: unknown) => readonly unknown[])[] = [
    value => checkCommand(value, globalContext),
    value => checkCommandEdit(value, globalContext),
    value => checkCommandList(value, globalContext),
    checkLobby,
    checkLobbyMember,
    checkCallback,
    value => checkInvocation(value, { type: 1, options: [{ type: 3, name: 'a', description: 'b' }] }),
  ];

  it('is checked without throwing', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), value => {
        for (const check of checks) expect(check(value).length).toBeLessThanOrEqual(issuesMax);
      }),
    );
  });

  it('is checked without throwing in any place of a command', () => {
    fc.assert(
      fc.property(arbitraryCommand(), fc.nat(), strangeValue, (command, place, value) => {
        const body = replaceAt(structuredClone(command), place, value);
        expect(Array.isArray(checkCommand(body, globalContext))).toBe(true);
        expect(Array.isArray(checkCommandList([body, body], globalContext))).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});

/** Values that break careless code: wrong kinds, conversions that throw, keys with a meaning, lone surrogates. */
const strangeValue = fc.oneof(
  fc.jsonValue({ stringUnit: 'binary' }),
  fc.constantFrom<unknown>(
    null,
    [],
    {},
    [null],
    [[]],
    '\ud800',
    -0,
    1e308,
    JSON.parse('{"__proto__":{"name":"x"},"constructor":1,"toString":1,"length":-1}'),
    JSON.parse('[{"type":{"toString":1,"valueOf":1},"name":{"toString":1}}]'),
    JSON.parse(`${'['.repeat(5000)}${']'.repeat(5000)}`),
  ),
);

/** Puts a value in the place of the `place`th node of a tree, counted round. */
function replaceAt(root: unknown, place: number, value: unknown): unknown {
  const holders: { holder: Record<string, unknown>; key: string }[] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    for (const [key, child] of Object.entries(node)) {
      holders.push({ holder: node as Record<string, unknown>, key });
      visit(child);
    }
  };
  visit(root);
  const chosen = holders[place % (holders.length + 1)];
  if (chosen === undefined) return value;
  chosen.holder[chosen.key] = value;
  return root;
}
