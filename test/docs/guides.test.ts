import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

describe.each(['lobbies', 'friends', 'commands', 'authorization'])('the guide docs/%s.md', name => {
  const lines = read(`docs/${name}.md`).split('\n');

  it('a guide begins with a block of three lines, before the first section', () => {
    const from = lines.findIndex(line => line.startsWith('```'));
    expect(lines.slice(from + 1).indexOf('```')).toBe(3);
    expect(from).toBeLessThan(lines.findIndex(line => line.startsWith('## ')));
  });

  it('a guide has at most 250 lines, and leads to its reference', () => {
    expect(lines.length - 1).toBeLessThanOrEqual(250);
    expect(existsSync(join(root, `docs/${name}-reference.md`))).toBe(true);
    expect(lines.join('\n')).toContain(`](${name}-reference.md)`);
    expect(read(`docs/${name}-reference.md`)).toContain(`](${name}.md)`);
  });

  it('a guide is in the sidebar of the documentation site in its place, not by its name', () => {
    expect(read('tools/docs/pages.ts')).toContain(`  '${name}',\n`);
  });
});
