import { expectGood, type Row } from './matrix.ts';

export const checkRows: readonly Row[] = [
  {
    group: 'check',
    name: 'publint finds nothing',
    async run({ tools, tarball }) {
      expectGood(await tools.run('publint/src/cli.js', ['run', tarball, '--strict'], { cwd: tools.folder }));
      return undefined;
    },
  },
  {
    group: 'check',
    name: 'attw (Are the types wrong?) finds nothing',
    async run({ tools, tarball }) {
      const args = [tarball, '--format', 'ascii', '--no-emoji'];
      expectGood(await tools.run('@arethetypeswrong/cli/dist/index.js', args, { cwd: tools.folder }));
      return undefined;
    },
  },
];
