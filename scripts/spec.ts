import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fillSpec } from './spec/fill.ts';

/**
 * Writes the figures and tables of docs/spec/ and docs/security.md from the code's own tables, between the comments that name them. Everything else on
 * those pages is written by hand. `npm run docs:tables`; a test fails while a page differs from what this would write.
 */
const folder = join(import.meta.dirname, '..', 'docs');
const pages = readdirSync(join(folder, 'spec'))
  .filter(file => file.endsWith('.md'))
  .map(file => join('spec', file));

for (const name of [...pages, 'security.md']) {
  const path = join(folder, name);
  const before = readFileSync(path, 'utf8');
  const after = fillSpec(before);
  if (after === before) continue;
  writeFileSync(path, after);
  console.log(`docs/${name} was written.`);
}
