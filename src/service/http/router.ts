import { parse } from 'node:querystring';

/** The route of a request target, with its parameters. */
export interface Found<Value> {
  readonly value: Value;
  /** Name in the braces → decoded value. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string | readonly string[] | undefined>>;
}

interface Branch<Value> {
  readonly literals: Map<string, Branch<Value>>;
  parameter?: Branch<Value>;
  end?: { readonly value: Value; readonly names: readonly string[] };
}

/** Bound on the length of a parameter; the longest are interaction tokens. */
const parameterLengthMax = 2048;

const noQuery: Found<unknown>['query'] = {};

/**
 * Finds the route of a request: one tree for each method, with one level for each segment of the path. If a segment matches a literal
 * and a parameter, the literal is preferred.
 */
export class Router<Value> {
  readonly #trees = new Map<string, Branch<Value>>();

  /** @param path `{name}` stands for one segment that is not empty */
  add(method: string, path: string, value: Value): void {
    const names: string[] = [];
    let branch = this.#trees.get(method) ?? grow<Value>();
    this.#trees.set(method, branch);
    for (const segment of path.split('/').slice(1)) {
      const name = /^\{(\w+)\}$/.exec(segment)?.[1];
      if (name !== undefined) names.push(name);
      branch = name === undefined ? literalBelow(branch, segment) : parameterBelow(branch);
    }
    branch.end = { value, names };
  }

  /**
   * @param target a path with or without query
   * @returns undefined when no route of the method has the path
   * @throws URIError for an invalid percent escape
   */
  find(method: string, target: string): Found<Value> | undefined {
    const tree = this.#trees.get(method);
    if (!tree) return undefined;
    const mark = target.indexOf('?');
    // The part before the first slash is empty.
    const segments = (mark < 0 ? target : target.slice(0, mark)).split('/');
    for (let at = 1; at < segments.length; at++) {
      const segment = segments[at] ?? '';
      if (segment.includes('%')) segments[at] = decodeURIComponent(segment);
    }
    const values: string[] = [];
    const end = walk(tree, segments, 1, values);
    if (!end) return undefined;
    const params: Record<string, string> = {};
    for (let at = 0; at < end.names.length; at++) params[end.names[at] ?? ''] = values[at] ?? '';
    return { value: end.value, params, query: mark < 0 ? noQuery : parse(target.slice(mark + 1)) };
  }
}

function walk<Value>(
  branch: Branch<Value>,
  segments: readonly string[],
  at: number,
  values: string[],
): Branch<Value>['end'] {
  const segment = segments[at];
  if (segment === undefined) return branch.end;
  // Where only parameters are possible, the literal look-up is skipped.
  const literal = branch.literals.size > 0 ? branch.literals.get(segment) : undefined;
  const found = literal && walk(literal, segments, at + 1, values);
  if (found) return found;
  if (!branch.parameter || segment === '' || segment.length > parameterLengthMax) return undefined;
  values.push(segment);
  const end = walk(branch.parameter, segments, at + 1, values);
  if (!end) values.pop();
  return end;
}

function grow<Value>(): Branch<Value> {
  return { literals: new Map() };
}

function literalBelow<Value>(branch: Branch<Value>, segment: string): Branch<Value> {
  const known = branch.literals.get(segment) ?? grow<Value>();
  branch.literals.set(segment, known);
  return known;
}

function parameterBelow<Value>(branch: Branch<Value>): Branch<Value> {
  branch.parameter ??= grow<Value>();
  return branch.parameter;
}
