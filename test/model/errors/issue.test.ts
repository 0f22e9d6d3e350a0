import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fieldErrors } from '../../../src/model/errors/field-errors.ts';
import {
  formatIssues,
  formatPath,
  type Issue,
  issuesToTree,
  treeTextMax,
  treeToIssues,
} from '../../../src/model/errors/issue.ts';

const leaf = '_errors';
const step = fc.oneof(
  fc.string({ maxLength: 5 }).filter(key => key !== leaf),
  fc.nat({ max: 30 }).map(String),
  fc.constantFrom('__proto__', 'constructor', 'a.b', '', 'length'),
);
const anyIssue: fc.Arbitrary<Issue> = fc.record({
  path: fc.array(step, { maxLength: 8 }),
  code: fc.constantFrom('BASE_TYPE_REQUIRED', 'STRING_TYPE_REGEX'),
  message: fc.string(),
});

const bySomething = (a: Issue, b: Issue): number => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);

describe('the error tree', () => {
  it('nests keys and indices, and lists the faults of one place together', () => {
    const issues = [
      { path: ['options', '0', 'name'], code: 'A', message: 'a' },
      { path: ['options', '0', 'name'], code: 'B', message: 'b' },
    ];
    expect(JSON.parse(JSON.stringify(issuesToTree(issues)))).toEqual({
      options: {
        0: {
          name: {
            _errors: [
              { code: 'A', message: 'a' },
              { code: 'B', message: 'b' },
            ],
          },
        },
      },
    });
  });

  const whole = { path: ['options'], code: 'A', message: 'a' };
  const field = { path: ['options', '0', 'name'], code: 'B', message: 'b' };
  it.each([
    ['before', [whole, field]],
    ['after', [field, whole]],
  ])('omits a fault of a list as a whole that is found %s a fault in one of its items', (_, issues) => {
    expect(treeToIssues(issuesToTree(issues))).toEqual([field]);
  });

  it('has either `_errors` or fields at every level', () => {
    const isMixed = (tree: unknown): boolean =>
      typeof tree === 'object' &&
      tree !== null &&
      !Array.isArray(tree) &&
      ((Object.hasOwn(tree, leaf) && Object.keys(tree).length > 1) || Object.values(tree).some(isMixed));
    fc.assert(
      fc.property(fc.array(anyIssue, { maxLength: 12 }), issues => {
        expect(isMixed(JSON.parse(JSON.stringify(issuesToTree(issues))))).toBe(false);
      }),
    );
  });

  it('gives the innermost issues back after a journey as JSON, with any names of keys', () => {
    const isInside = (a: Issue, b: Issue) =>
      a.path.length > b.path.length && b.path.every((key, i) => key === a.path[i]);
    fc.assert(
      fc.property(fc.array(anyIssue, { maxLength: 12 }), issues => {
        const read = treeToIssues(JSON.parse(JSON.stringify(issuesToTree(issues))));
        const innermost = issues.filter(issue => !issues.some(other => isInside(other, issue)));
        expect(read.toSorted(bySomething)).toEqual(innermost.toSorted(bySomething));
      }),
    );
  });

  it('reports a key that is called like a leaf at its dictionary', () => {
    const tree = issuesToTree([{ path: ['metadata', leaf], code: 'A', message: 'a' }]);
    expect(treeToIssues(tree)).toEqual([{ path: ['metadata'], code: 'A', message: 'a' }]);
  });

  it('pollutes no prototype', () => {
    issuesToTree([{ path: ['__proto__', 'polluted'], code: 'A', message: 'a' }]);
    expect('polluted' in {}).toBe(false);
  });

  it('is read from any JSON without throwing', () => {
    fc.assert(fc.property(fc.jsonValue(), value => Array.isArray(treeToIssues(value))));
    const hostile = JSON.parse('{"_errors":[null,5,{"code":{"toString":1},"message":[]},{"code":50035}]}');
    expect(treeToIssues(hostile).map(({ code }) => code)).toEqual(['', '', '', '50035']);
    const deep = JSON.parse(`${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`);
    expect(treeToIssues(deep)).toEqual([]);
  });

  it('is read no further than an answer can be of use: many issues, long texts, long names', () => {
    const item = { code: 'A', message: 'a' };
    const many = treeToIssues({ _errors: Array.from({ length: treeTextMax }, () => item) });
    expect(many[0]).toEqual({ path: [], ...item });
    const named = { ['x'.repeat(1_000)]: { _errors: Array.from({ length: treeTextMax }, () => item) } };
    for (const issues of [many, treeToIssues(named), treeToIssues({ _errors: [{ message: 'x'.repeat(1e6) }] })]) {
      expect(issues.length).toBeLessThan(treeTextMax / 3);
      expect(formatIssues(issues).length).toBeLessThan(8 * treeTextMax);
    }
  });
});

describe('messages', () => {
  it('are short, with any value', () => {
    const deep = JSON.parse(`${'['.repeat(20_000)}${']'.repeat(20_000)}`);
    for (const value of [deep, {}, 'x'.repeat(1_000_000), null, 1e300, { toString: 1 }]) {
      expect(fieldErrors.NUMBER_TYPE_COERCE(value, 'int').length).toBeLessThan(200);
    }
    expect(fieldErrors.APPLICATION_COMMAND_OPTIONS_NAME_INVALID('x'.repeat(1_000_000)).length).toBeLessThan(200);
  });

  it('name choices as a tuple, one with its comma', () => {
    expect(fieldErrors.BASE_TYPE_CHOICES([1, 2])).toBe('Value must be one of (1, 2).');
    expect(fieldErrors.UNION_TYPE_CHOICES([1])).toBe('Value of field "type" must be one of (1).');
  });

  it('are listed one a line', () => {
    expect(formatPath([])).toBe('(body)');
    expect(
      formatIssues([
        { path: ['a', '0'], code: 'A', message: 'first' },
        { path: [], code: 'B', message: 'second' },
      ]),
    ).toBe('  a.0: first (A)\n  (body): second (B)');
  });
});
