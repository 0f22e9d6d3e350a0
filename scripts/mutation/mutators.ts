import type { Host, Node } from './mutants.ts';

/** A change of a text between two offsets. */
interface Replacement {
  readonly kind: string;
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
  /** What is switched as a whole, where that is not the node itself. */
  readonly host?: Host;
}

type Mutator = (node: Node, parent: Node, text: string) => Iterable<Replacement>;

/** The changes that Stryker makes, too: https://stryker-mutator.io/docs/mutation-testing-elements/supported-mutators/ */
const mutators: Readonly<Record<string, Mutator>> = {
  *BinaryExpression(node, _parent, text) {
    const isText = [node.left, node.right].some(
      side => typeof side.value === 'string' || side.type === 'TemplateLiteral',
    );
    const others = binaryOperators[node.operator] ?? [];
    if (!isText || node.operator !== '+') for (const other of others) yield operator('operator', node, other, text);
    if (comparisons.has(node.operator)) yield* asConditions(node);
  },
  *LogicalExpression(node, _parent, text) {
    const other = { '&&': '||', '||': '&&', '??': '&&' }[node.operator as '&&' | '||' | '??'];
    const [left, right] = [node.left, node.right].map(({ start, end }) => text.slice(start, end));
    yield whole('logical', node, `(${left}) ${other} (${right})`);
    if (node.operator !== '??') yield* asConditions(node);
  },
  *AssignmentExpression(node, _parent, text) {
    const other = assignments[node.operator];
    if (other !== undefined) yield operator('assignment', node, other, text);
  },
  *UpdateExpression(node, _parent, text) {
    yield whole(
      'update',
      node,
      text.slice(node.start, node.end).replace(/\+\+|--/, sign => (sign === '++' ? '--' : '++')),
    );
  },
  *UnaryExpression(node, _parent, text) {
    const operand = text.slice(node.argument.start, node.argument.end);
    if (node.operator === '!') yield whole('negation', node, `(${operand})`);
    if (node.operator === '-') yield whole('sign', node, `+${operand}`);
  },
  *IfStatement({ test }) {
    yield* asConditions(test);
  },
  *ConditionalExpression({ test }) {
    yield* asConditions(test);
  },
  *WhileStatement({ test }) {
    yield whole('condition', test, 'false');
  },
  *DoWhileStatement({ test }) {
    yield whole('condition', test, 'false');
  },
  *ForStatement({ test }) {
    if (test) yield whole('condition', test, 'false');
  },
  *SwitchCase({ consequent }) {
    const first = consequent[0];
    const last = consequent.at(-1);
    if (first === undefined || consequent.some(({ type }: Node) => type.endsWith('Declaration'))) return;
    const host = { form: 'statements', start: first.start, end: last.end } as const;
    yield { kind: 'block', start: first.start, end: last.end, replacement: '', host };
  },
  *BlockStatement(node, parent) {
    const isConstructor = parent?.type === 'FunctionExpression' && parent.isConstructor;
    if (node.body.length > 0 && !isConstructor) yield whole('block', node, '{}');
  },
  *ArrowFunctionExpression({ body }) {
    if (body.type !== 'BlockStatement') yield whole('block', body, 'undefined');
  },
  *Literal(node) {
    if (typeof node.value === 'boolean') yield whole('boolean', node, String(!node.value));
    if (typeof node.value === 'string') yield whole('string', node, node.value === '' ? "'mutated'" : "''");
  },
  *TemplateLiteral(node, parent) {
    if (parent?.type !== 'TaggedTemplateExpression') yield whole('string', node, '``');
  },
  *ArrayExpression(node) {
    yield whole('array', node, node.elements.length > 0 ? '[]' : "['mutated']");
  },
  *ObjectExpression(node) {
    if (node.properties.length > 0) yield whole('object', node, '{}');
  },
  *ChainExpression(node, _parent, text) {
    for (const link of linksOf(node.expression)) {
      const from = (link.object ?? link.callee).end;
      const at = text.indexOf('?.', from);
      const isDotted = link.type === 'MemberExpression' && !link.computed;
      yield { kind: 'optional chaining', start: at, end: at + 2, replacement: isDotted ? '.' : '', host: hostOf(node) };
    }
    yield* methodCalls(node.expression, hostOf(node), text);
  },
  *CallExpression(node, parent, text) {
    // A part of a longer chain with `?.` cannot stand alone; the last call of it was looked at above.
    if (!isInChain(node) && parent?.type !== 'ChainExpression') yield* methodCalls(node, hostOf(node), text);
  },
};

const binaryOperators: Readonly<Record<string, readonly string[]>> = {
  ...{ '+': ['-'], '-': ['+'], '*': ['/'], '/': ['*'], '%': ['*'], '<<': ['>>'], '>>': ['<<'], '&': ['|'], '|': ['&'] },
  ...{ '<': ['<=', '>='], '<=': ['<', '>'], '>': ['>=', '<='], '>=': ['>', '<'] },
  ...{ '===': ['!=='], '!==': ['==='], '==': ['!='], '!=': ['=='] },
};
const comparisons = new Set(['<', '<=', '>', '>=', '===', '!==', '==', '!=']);
const assignments: Readonly<Record<string, string>> = {
  ...{ '+=': '-=', '-=': '+=', '*=': '/=', '/=': '*=', '&=': '|=', '|=': '&=' },
  ...{ '&&=': '||=', '||=': '&&=', '??=': '&&=' },
};
/** Methods with the opposite to call in their place; `undefined`: the call is left out. */
const methods: Readonly<Record<string, string | undefined>> = {
  ...{ startsWith: 'endsWith', endsWith: 'startsWith', toUpperCase: 'toLowerCase', toLowerCase: 'toUpperCase' },
  ...{ every: 'some', some: 'every', min: 'max', max: 'min', trimStart: 'trimEnd', trimEnd: 'trimStart' },
  ...{ filter: undefined, slice: undefined, sort: undefined, toSorted: undefined, reverse: undefined, trim: undefined },
};

/** What the mutators make of one node. */
export function replacementsOf(node: Node, parent: Node, text: string): Iterable<Replacement> {
  const isDirective = parent?.type === 'ExpressionStatement' && parent.directive;
  return isDirective ? [] : (mutators[node.type]?.(node, parent, text) ?? []);
}

/** A pattern without one of its anchors, with another repetition, with the opposite of one of its classes, with other flags. */
export function* regexMutations({ pattern, flags }: { pattern: string; flags: string }): Iterable<string> {
  const variants = new Set<string>();
  if (pattern.startsWith('^')) variants.add(pattern.slice(1));
  if (/[^\\]\$$/.test(pattern)) variants.add(pattern.slice(0, -1));
  for (const { index, 0: found } of pattern.matchAll(/\\[dDwWsS]|\[\^?|(?<=[^\\(])[+*]|\{\d+(?:,\d*)?\}/g)) {
    const start = pattern.slice(0, index);
    const rest = pattern.slice(index + found.length);
    if (found.startsWith('\\')) variants.add(`${start}\\${swapCase(found.slice(1))}${rest}`);
    else if (found === '[') variants.add(`${start}[^${rest}`);
    else if (found === '[^') variants.add(`${start}[${rest}`);
    else variants.add(start + rest);
  }
  for (const variant of variants) if (compiles(variant, flags)) yield `/${variant}/${flags}`;
  if (flags.includes('i')) yield `/${pattern}/${flags.replace('i', '')}`;
}

function compiles(pattern: string, flags: string): boolean {
  try {
    return pattern !== '' && new RegExp(pattern, flags) instanceof RegExp;
  } catch {
    return false;
  }
}

function swapCase(letter: string): string {
  return letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase();
}

function* methodCalls(call: Node, host: Host, text: string): Iterable<Replacement> {
  const name: string | undefined = call.type === 'CallExpression' ? call.callee.property?.name : undefined;
  if (name === undefined || call.callee.computed || !Object.hasOwn(methods, name)) return;
  const { object, property } = call.callee;
  const other = methods[name];
  const start = property.start;
  if (other !== undefined) yield { kind: 'method', start, end: property.end, replacement: other, host };
  else
    yield { kind: 'method', start: host.start, end: host.end, replacement: text.slice(object.start, object.end), host };
}

function* linksOf(node: Node): Iterable<Node> {
  if (node === undefined || node === null) return;
  if (node.optional) yield node;
  if (node.type === 'MemberExpression') yield* linksOf(node.object);
  if (node.type === 'CallExpression') yield* linksOf(node.callee);
  if (node.type === 'TSNonNullExpression') yield* linksOf(node.expression);
}

function isInChain(node: Node): boolean {
  return [...linksOf(node)].length > 0;
}

function* asConditions(node: Node): Iterable<Replacement> {
  yield whole('condition', node, 'true');
  yield whole('condition', node, 'false');
}

function operator(kind: string, node: Node, other: string, text: string): Replacement {
  // Between the two sides there is nothing but the operator, parentheses and white space.
  const at = text.indexOf(node.operator, node.left.end);
  return { kind, start: at, end: at + node.operator.length, replacement: other };
}

function whole(kind: string, node: Node, replacement: string): Replacement {
  const { start, end } = node;
  return { kind, start, end, replacement, host: hostOf(node) };
}

function hostOf({ type, start, end }: Node): Host {
  return { form: type === 'BlockStatement' ? 'block' : 'expression', start, end };
}
