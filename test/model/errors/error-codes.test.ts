import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { errorCodes } from '../../../src/model/errors/error-codes.ts';
import { apiErrors } from '../../../src/model/errors/errors.ts';

const root = join(import.meta.dirname, '../../..');
const namesOf = (classes: Readonly<Record<string, object>>) => Object.values(classes).flatMap(Object.keys);
const clientCodes = new Set(namesOf(errorCodes.client));

/** What the first column of the tables of codes in a document names. */
function codesIn(name: string): string[] {
  const lines = readFileSync(join(root, 'docs', name), 'utf8').split('\n');
  const tables = lines.flatMap((line, place) => (line.startsWith('| `code` | When') ? [place + 2] : []));
  return tables.flatMap(first => {
    const rows = lines.slice(first);
    const end = rows.findIndex(row => !row.startsWith('|'));
    return rows
      .slice(0, end)
      .flatMap(row => [...(row.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map(([, code = '']) => code));
  });
}

function sources(folder = join(root, 'src')): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.ts') && !name.endsWith('error-codes.ts'))
    .map(name => readFileSync(join(folder, name), 'utf8'));
}

describe('the codes of errors', () => {
  const documented = ['lobbies', 'authorization', 'friends'].map(guide => codesIn(`${guide}-reference.md`));

  it('that a game can see are in the references of the guides, each at most once in one', () => {
    expect(new Set(documented.flat())).toEqual(new Set([...documented.flat(), ...clientCodes]));
    for (const codes of documented) {
      expect(codes.length).toBeGreaterThan(20);
      expect(codes.filter((code, place) => codes.indexOf(code) !== place)).toEqual([]);
    }
  });

  it('in the references of the guides all exist', () => {
    const known = [...clientCodes, ...Object.keys(apiErrors)];
    expect(documented.flat().filter(code => !known.includes(code))).toEqual([]);
  });

  it('are all in the list of codes, with what they mean', () => {
    const list = readFileSync(join(root, 'docs/errors.md'), 'utf8')
      .split('\n')
      .filter(line => line.startsWith('| `'));
    const classes = [errorCodes.client, errorCodes.server].flatMap(Object.values);
    const rows = classes.flatMap(codes =>
      Object.entries(codes).map(([code, meaning]) => `| \`${code}\` | ${meaning} |`),
    );
    expect(list).toEqual(rows);
  });

  it('are all used', () => {
    const text = sources().join('\n');
    const codes = [errorCodes.client, errorCodes.server].flatMap(namesOf);
    expect(codes.filter(code => !text.includes(`'${code}'`))).toEqual([]);
  });

  it('are snake case, with a meaning that is a sentence', () => {
    for (const classes of [errorCodes.client, errorCodes.server].flatMap(Object.values)) {
      for (const [code, meaning] of Object.entries(classes)) {
        expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/);
        expect(meaning).toMatch(/^[A-Z`].{10,}\.$/);
      }
    }
  });
});
