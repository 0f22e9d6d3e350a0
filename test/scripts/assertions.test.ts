import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parseAst } from 'vitest/node';

// biome-ignore lint/suspicious/noExplicitAny: a node's fields depend on its type
type Node = any;

/** A function, or a test, with the names that it calls. */
interface Body {
  readonly name: string;
  readonly start: number;
  readonly calls: readonly string[];
}

/** The functions with a name in a file, its tests, and from which file it imports each name. */
function readFile(file: string) {
  const functions: Body[] = [];
  const tests: Body[] = [];
  const imports = new Map<string, string>();
  const text = readFileSync(file, 'utf8');
  visit(parseAst(text, { lang: 'ts' }, file));
  return { file, text, functions, tests, imports };

  function visit(node: Node): void {
    if (node.type === 'FunctionDeclaration') functions.push(bodyOf(node.id.name, node));
    if (node.type === 'VariableDeclarator' && /Function/.test(node.init?.type))
      functions.push(bodyOf(node.id.name, node.init));
    if (node.type === 'ImportDeclaration' && node.source.value.startsWith('.')) {
      for (const { local } of node.specifiers) imports.set(local.name, join(file, '..', node.source.value));
    }
    if (node.type === 'CallExpression' && /^(it|test)$/.test(calleeOf(node.callee))) {
      const body = node.arguments.find(({ type }: Node) => /Function/.test(type));
      if (body) tests.push(bodyOf('it', body));
    }
    for (const child of childrenOf(node)) visit(child);
  }
}

function bodyOf(name: string, node: Node): Body {
  const calls: string[] = [];
  (function visit(inner: Node): void {
    if (inner.type === 'CallExpression') calls.push(calleeOf(inner.callee));
    for (const child of childrenOf(inner)) visit(child);
  })(node);
  return { name, start: node.start, calls };
}

/** `expect` of `expect(…).rejects.toThrow()`; `fc.assert` and Playwright's `waitFor` of themselves. */
function calleeOf(node: Node): string {
  if (node.type === 'CallExpression') return calleeOf(node.callee);
  if (node.type !== 'MemberExpression') return node.name ?? '';
  if (/^waitFor(Selector)?$/.test(node.property.name)) return 'waitFor';
  return node.object.name === 'fc' ? `fc.${node.property.name}` : calleeOf(node.object);
}

function childrenOf(node: Node): Node[] {
  return Object.values<Node>(node)
    .flat()
    .filter(child => typeof child?.type === 'string');
}

it('every test asserts something, itself or by a function that does', () => {
  const files = globSync('test/**/*.ts').map(readFile);
  const asserting = new Set(files.map(({ file }) => `${file} assert`));
  const asserts = ({ file, imports }: (typeof files)[number], { calls }: Body) =>
    calls.some(
      name =>
        /^(expect|assert|fc\.assert|waitFor)$/.test(name) || asserting.has(`${imports.get(name) ?? file} ${name}`),
    );
  for (let size = 0; size < asserting.size; ) {
    size = asserting.size;
    for (const file of files) {
      for (const body of file.functions) if (asserts(file, body)) asserting.add(`${file.file} ${body.name}`);
    }
  }
  const silent = files.flatMap(file =>
    file.tests
      .filter(body => !asserts(file, body))
      .map(({ start }) => `${file.file}:${file.text.slice(0, start).split('\n').length}`),
  );
  expect(silent).toEqual([]);
});
