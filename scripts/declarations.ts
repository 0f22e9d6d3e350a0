import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Keeps of the compiler's declarations those that entry points show, and what they are made of: a file that shows one type
 * often declares a class of ours beside it, which would pull in the types of Node and of other packages.
 *
 * It reads the compiler's own layout: statements begin with a keyword in the first column, imports and exports are lists of
 * names on one line.
 *
 * @param folder holds the compiler's declarations
 * @param entries paths in it, `sdk/index.d.ts`
 * @returns path → declarations
 */
export function shownDeclarations(folder: string, entries: readonly string[]): ReadonlyMap<string, string> {
  const files = new Map<string, DeclarationFile>();
  const fileAt = (path: string): DeclarationFile => {
    const known = files.get(path) ?? readDeclarations(readFileSync(join(folder, path), 'utf8'));
    files.set(path, known);
    return known;
  };

  const keep = (path: string, name: string): void => {
    const { kept, declared, imported } = fileAt(path);
    if (kept.has(name)) return;
    const source = imported.get(name);
    const statements = declared.get(name);
    if (!source && !statements) return;
    kept.add(name);
    if (source) keepFrom(path, source.from, source.name);
    for (const statement of statements ?? []) {
      const code = withoutComments(statement);
      for (const [word] of code.matchAll(/[A-Za-z_$][\w$]*/g)) keep(path, word);
      for (const [, from = '', member = ''] of code.matchAll(/\bimport\(['"](\.[^'"]+)['"]\)\.(\w+)/g)) {
        keepFrom(path, from, member);
      }
    }
  };
  const keepFrom = (path: string, from: string, name: string): void => {
    if (from.startsWith('.')) keep(join(path, '..', from.replace(/\.ts$/, '.d.ts')), name);
  };

  for (const entry of entries) for (const name of fileAt(entry).shown) keep(entry, name);
  return new Map([...files].filter(([, { kept }]) => kept.size > 0).map(([path, file]) => [path, textOf(file)]));
}

interface DeclarationFile {
  /** Statements in order; those of imports and of exported lists as {@link Names}. */
  readonly parts: readonly (string | Names)[];
  /** Name → the statements that declare it, more than one where it is overloaded or both a type and a value. */
  readonly declared: ReadonlyMap<string, readonly string[]>;
  /** Name as it is here → where it comes from. */
  readonly imported: ReadonlyMap<string, { readonly from: string; readonly name: string }>;
  /** Names that the file exports. */
  readonly shown: readonly string[];
  readonly kept: Set<string>;
}

/** `import type { A, type B as C } from './d.js'`, or the same with `export`. */
interface Names {
  /** What stands before it. */
  readonly comment: string;
  readonly keyword: string;
  readonly items: readonly { readonly text: string; readonly name: string; readonly as: string }[];
  readonly from: string;
}

function readDeclarations(text: string): DeclarationFile {
  const declared = new Map<string, string[]>();
  const imported = new Map<string, { from: string; name: string }>();
  const shown: string[] = [];
  const parts = statementsOf(text).map((statement): string | Names => {
    const names = readNames(statement);
    if (names) {
      for (const { name, as } of names.items) imported.set(as, { from: names.from, name });
      if (names.keyword.startsWith('export')) shown.push(...names.items.map(({ as }) => as));
      return names;
    }
    const code = withoutComments(statement).trimStart();
    const name =
      /^(?:export )?(?:declare )?(?:abstract )?(?:class|const|function|interface|let|type|enum) ([\w$]+)/.exec(code);
    if (!name?.[1]) {
      if (code === 'export {};\n' || code === '') return statement;
      throw new Error(`A declaration that cannot be read: ${code}`);
    }
    declared.set(name[1], [...(declared.get(name[1]) ?? []), statement]);
    if (code.startsWith('export')) shown.push(name[1]);
    return statement;
  });
  return { parts, declared, imported, shown, kept: new Set() };
}

/** A statement goes on until the next keyword in the first column; comments belong to what comes after them. */
function statementsOf(text: string): string[] {
  const statements: string[] = [];
  let comment = '';
  for (const line of text.split('\n').slice(0, -1)) {
    if (line.startsWith('/*') || line.startsWith(' *')) comment += `${line}\n`;
    else {
      if (/^(export|declare|import|interface|type|class|const)\b/.test(line)) statements.push('');
      statements.push(`${statements.pop() ?? ''}${comment}${line}\n`);
      comment = '';
    }
  }
  return statements;
}

function readNames(statement: string): Names | undefined {
  const code = withoutComments(statement).trim();
  const [, keyword = '', list = '', from = ''] =
    /^((?:import|export)(?: type)?) \{ ?([^}]*?) ?\} from ['"]([^'"]+)['"];$/.exec(code) ?? [];
  if (!keyword) return undefined;
  const items = list.match(/[^,\s][^,]*/g)?.map(text => {
    const [name = '', as = name] = text.replace(/^type /, '').split(' as ');
    return { text, name, as };
  });
  return { comment: statement.slice(0, statement.lastIndexOf(`${keyword} {`)), keyword, items: items ?? [], from };
}

function textOf({ parts, declared, kept }: DeclarationFile): string {
  const keptStatements = new Set([...kept].flatMap(name => declared.get(name) ?? []));
  const all = new Set([...declared.values()].flat());
  return parts
    .map(part => {
      if (typeof part === 'string') return keptStatements.has(part) || !all.has(part) ? part : '';
      const items = part.items.filter(({ as }) => kept.has(as)).map(({ text }) => text);
      const from = part.from.replace(/\.ts$/, '.js');
      return items.length === 0 ? '' : `${part.comment}${part.keyword} { ${items.join(', ')} } from '${from}';\n`;
    })
    .join('')
    .replaceAll(/(import\(['"]\.[^'"]*)\.ts(['"]\))/g, '$1.js$2');
}

function withoutComments(code: string): string {
  return code.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
}
