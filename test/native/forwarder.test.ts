import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { forwarderAgreement, forwarderAnswers, forwarderExitCodes } from '../../src/sdk/native/forwarder.ts';
import { builtForwarder, compiled, root } from './built.ts';
import { forwarderSuite } from './forwarder-suite.ts';

const binary = compiled.missing === undefined ? await builtForwarder() : 'none';

describe.skipIf(compiled.missing)(`the forwarder${compiled.note}`, () => forwarderSuite(binary));

describe('the protocol of the forwarder and the game', () => {
  it('is the same in C++ and in TypeScript', () => {
    const header = readFileSync(join(root, 'native/forwarder/protocol.h'), 'utf8');
    const figures = [...header.matchAll(/\bk(\w+) = (\d+)/g)].map(([, name = '', value]) => [name, Number(value)]);
    const camel = (text: string) =>
      text.replace(/(^|_)([a-z])/g, (_all, _line, letter: string) => letter.toUpperCase());
    const agreed = [...Object.entries(forwarderAgreement), ...Object.entries(forwarderExitCodes)];
    expect(figures).toEqual(agreed.map(([name, value]) => [camel(name), value]));
    const source = readFileSync(join(root, 'native/forwarder/system_posix.cc'), 'utf8');
    for (const answer of forwarderAnswers) expect(source).toContain(`"${answer}"`);
  });

  it('has a row in the README for each code', () => {
    const readme = readFileSync(join(root, 'native/README.md'), 'utf8');
    const rows = [...readme.matchAll(/^\| (\d+) \|/gm)].map(([, code]) => Number(code));
    expect(rows).toEqual(Object.values(forwarderExitCodes));
  });
});
