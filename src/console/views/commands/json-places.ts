/** Where a value stands in a JSON text. */
export interface JsonPlace {
  /** From 1. */
  readonly line: number;
  /** Offsets of the text: from its first sign to behind its last one. */
  readonly from: number;
  readonly to: number;
}

/** Finds the place of a path, or of the nearest part of it that is there. */
export type FindPlace = (path: readonly string[]) => JsonPlace;

interface Node {
  readonly from: number;
  to: number;
  readonly children: Map<string, Node>;
}

/** Makes what finds the values of a text that is JSON; of anything else only the whole is found. */
export function readJsonPlaces(text: string): FindPlace {
  const root = readNodes(text);
  return path => {
    let node = root;
    for (const key of path) {
      const child = node.children.get(key);
      if (!child) break;
      node = child;
    }
    return { line: lineOf(text, node.from), from: node.from, to: node.to };
  };
}

/** The line of an offset, from 1. */
export function lineOf(text: string, offset: number): number {
  let line = 1;
  for (let i = text.indexOf('\n'); i >= 0 && i < offset; i = text.indexOf('\n', i + 1)) line++;
  return line;
}

// Texts with their escapes, scalars, and single signs; blanks match nothing.
const tokens = /"(?:[^"\\]|\\.)*"|[^\s{}[\],:"]+|[{}[\],:]/g;

interface Open {
  readonly node: Node;
  readonly isList: boolean;
  /** The name that was read last, or the index of the next item. */
  key: string | number | undefined;
}

/** A list in place of recursion: nothing bounds how deep a text goes. */
function readNodes(text: string): Node {
  const root: Node = { from: 0, to: text.length, children: new Map() };
  const open: Open[] = [];
  let isFirst = true;
  for (const { 0: token, index } of text.matchAll(tokens)) {
    const top = open.at(-1);
    if (token === ',' || token === ':') continue;
    if (token === '}' || token === ']') {
      const closed = open.pop();
      if (closed) closed.node.to = index + 1;
      continue;
    }
    if (top && !top.isList && top.key === undefined) {
      top.key = nameIn(token);
      continue;
    }
    const node: Node = isFirst ? root : { from: index, to: index + token.length, children: new Map() };
    if (isFirst) Object.assign(root, { from: index, to: index + token.length });
    isFirst = false;
    if (top) {
      top.node.children.set(String(top.key), node);
      top.key = typeof top.key === 'number' ? top.key + 1 : undefined;
    }
    if (token === '{' || token === '[') open.push({ node, isList: token === '[', key: token === '[' ? 0 : undefined });
  }
  return root;
}

function nameIn(token: string): string {
  try {
    return String(JSON.parse(token));
  } catch {
    return token;
  }
}
