import { readFileSync } from 'node:fs';
import { parseAst } from 'vitest/node';
import { regexMutations, replacementsOf } from './mutators.ts';

/** One change of a source file, of which some test should notice. */
export interface Mutant {
  /** Counts through all files in the order in which they were read. */
  readonly id: number;
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** The function around it that has a name; empty at the top of the module. */
  readonly inside: string;
  /** The mutator's name. */
  readonly kind: string;
  readonly original: string;
  readonly replacement: string;
  /** What is switched as a whole: an expression, a block, or the statements of a `case`. */
  readonly host: Host;
  /** The text of the host with the change made. */
  readonly mutated: string;
}

export interface Host {
  readonly form: 'expression' | 'block' | 'statements';
  readonly start: number;
  readonly end: number;
}

/** A node of the syntax tree as ESTree has it. */
// biome-ignore lint/suspicious/noExplicitAny: a node's fields depend on its type, of which there are a hundred
export type Node = any;

/** What is not mutated, and why; how often each was met is part of the report. */
export const exclusions = {
  log: 'texts and fields of log lines: they are for operators, and no interface promises them',
  message: 'texts of thrown errors that contain a space: callers compare codes',
} as const;
export type Exclusion = keyof typeof exclusions;

export interface Found {
  readonly mutants: readonly Mutant[];
  readonly excluded: Readonly<Record<Exclusion, number>>;
}

/** All mutants of the files, numbered from 1. */
export function findMutants(files: readonly string[]): Found {
  const mutants: Mutant[] = [];
  const excluded = { log: 0, message: 0 };
  for (const file of files) findInFile(file, readFileSync(file, 'utf8'), mutants, excluded);
  return { mutants, excluded };
}

function findInFile(file: string, text: string, mutants: Mutant[], excluded: Record<Exclusion, number>): void {
  const lineStarts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
  let exclusion: Exclusion | undefined;
  let inside = '';
  visit(parseAst(text, { lang: 'ts' }, file), undefined);

  function visit(node: Node, parent: Node): void {
    if (isType(node)) return;
    const outer = { exclusion, inside };
    exclusion ??= exclusionOf(node, parent, text);
    if (node.type === 'FunctionDeclaration') inside = node.id.name;
    for (const { kind, start, end, replacement, host = hostOf(node) } of replacementsOf(node, parent, text)) {
      if (exclusion !== undefined) excluded[exclusion]++;
      else add(kind, start, end, replacement, host);
    }
    if (node.type === 'Literal' && node.regex !== undefined && exclusion === undefined) {
      for (const regex of regexMutations(node.regex)) add('regex', node.start, node.end, regex, hostOf(node));
    }
    for (const child of childrenOf(node)) visit(child, node);
    ({ exclusion, inside } = outer);
  }

  function add(kind: string, start: number, end: number, replacement: string, host: Host): void {
    const mutated = text.slice(host.start, start) + replacement + text.slice(end, host.end);
    const isKnown = mutants.some(
      known =>
        known.file === file &&
        known.host.start === host.start &&
        known.host.end === host.end &&
        known.mutated === mutated,
    );
    if (isKnown) return;
    const line = lineStarts.findLastIndex(lineStart => lineStart <= start);
    mutants.push({
      ...{ id: mutants.length + 1, file, line: line + 1, column: start - (lineStarts[line] ?? 0) + 1, kind },
      ...{ inside, original: text.slice(start, end), replacement, host, mutated },
    });
  }
}

function hostOf({ start, end, type }: Node): Host {
  return { form: type === 'BlockStatement' ? 'block' : 'expression', start, end };
}

function exclusionOf(node: Node, parent: Node, text: string): Exclusion | undefined {
  if (parent?.type === 'CallExpression' && node !== parent.callee) {
    const callee = text.slice(parent.callee.start, parent.callee.end);
    if (/(^|\.)log\.(debug|info|warn|error)$/.test(callee)) return 'log';
  }
  if (parent?.type === 'NewExpression' && node !== parent.callee && /Error$/.test(parent.callee.name ?? '')) {
    const isText = node.type === 'TemplateLiteral' || typeof node.value === 'string';
    if (isText && text.slice(node.start, node.end).includes(' ')) return 'message';
  }
  return undefined;
}

const typeKeys = new Set(['typeAnnotation', 'returnType', 'typeParameters', 'typeArguments', 'superTypeArguments']);
const wrappers = new Set(['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression']);

/** Whether it vanishes when the types are stripped, or names something outside. */
function isType({ type }: Node): boolean {
  if (type.startsWith('TS')) return !wrappers.has(type);
  return ['ImportDeclaration', 'ExportAllDeclaration'].includes(type);
}

function childrenOf(node: Node): Node[] {
  return Object.entries(node)
    .filter(([key]) => !typeKeys.has(key))
    .flatMap(([key, value]) => (isStaticKey(node, key) ? [] : value))
    .filter((child: Node) => typeof child?.type === 'string');
}

/** Names are no values: those of properties, and the source of `export … from`. */
function isStaticKey({ computed, type }: Node, key: string): boolean {
  return (key === 'key' && !computed) || (key === 'source' && /^(ExportNamedDeclaration|ImportExpression)$/.test(type));
}

/**
 * The file's text in which each of its mutants is switched on by its number: `isOn(number)` stands at every place that
 * can change.
 */
export function instrument(text: string, mutants: readonly Mutant[]): string {
  const hosts = Map.groupBy(mutants, ({ host }) => `${host.form} ${host.start} ${host.end}`);
  const outermostFirst = [...hosts.values()]
    .map(group => ({ host: (group[0] as Mutant).host, group }))
    .sort((a, b) => a.host.start - b.host.start || b.host.end - a.host.end || (a.host.form === 'expression' ? 1 : -1));
  let next = 0;
  const isOn = 'const isOn$ = globalThis.mutation$?.isOn ?? (() => false); ';
  return isOn + emit(0, text.length);

  function emit(start: number, end: number): string {
    let at = start;
    let emitted = '';
    while (next < outermostFirst.length) {
      const { host, group } = outermostFirst[next] as (typeof outermostFirst)[number];
      if (host.start >= end) break;
      next++;
      emitted += text.slice(at, host.start) + switched(host, group);
      at = host.end;
    }
    return emitted + text.slice(at, end);
  }

  function switched({ form, start, end }: Host, group: readonly Mutant[]): string {
    const inner = form === 'block' ? emit(start + 1, end - 1) : emit(start, end);
    const ids = group.map(({ id }) => `isOn$(${id})`);
    if (form === 'block') return `{ if (${ids.join(' || ')}) {} else {${inner}} }`;
    if (form === 'statements') return `if (${ids.join(' || ')}) {} else { ${inner} }`;
    return `(${group.map(({ id, mutated }) => `isOn$(${id}) ? (${mutated}) : `).join('')}(${inner}))`;
  }
}
