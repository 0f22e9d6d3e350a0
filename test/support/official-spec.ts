import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Route } from '../../src/wire/routes.ts';

/**
 * The hosted service's public OpenAPI file, as the npm package discord-api-spec has it: TypeScript types of all paths, and
 * a zod schema for every component. It is compared with what this service answers and with its own OpenAPI document.
 */

/** `GET /lobbies/{}`: a route without the names of its parameters, in which the two sides differ. */
export type RouteKey = string;

/** What the file says that a route answers: status → type, such as `LobbyResponse[] | null`. */
export type OfficialAnswers = ReadonlyMap<string, string>;

interface ZodSchema {
  safeParse(value: unknown, options: object): { readonly error?: { readonly issues: readonly ZodIssue[] } };
}

interface ZodIssue {
  readonly path: readonly PropertyKey[];
  readonly format?: string;
  /** What is there; absent where nothing is. */
  readonly input?: unknown;
  /** Of a union: why the value is none of its members. */
  readonly errors?: readonly (readonly ZodIssue[])[];
}

export interface OfficialSpec {
  /** Every route of the file. */
  readonly routes: ReadonlyMap<RouteKey, OfficialAnswers>;
  /** The path of a route with the file's own parameter names. */
  pathOf(key: RouteKey): string;
  /** The names of the events in the file. */
  readonly events: readonly string[];
  /** What is wrong with a value by a type of the file: `.path: what`, list items as `[]`. */
  complaints(type: string, value: unknown): readonly string[];
}

export function routeKey({ method, path }: Pick<Route, 'path'> & { readonly method: string }): RouteKey {
  return `${method} ${path.replace(/\{\w+\}/g, '{}')}`;
}

export async function officialSpec(): Promise<OfficialSpec> {
  const file = fileURLToPath(import.meta.resolve('discord-api-spec'));
  const types = readFileSync(file.replace(/\.js$/, '.ts'), 'utf8');
  const names = (await import(file)) as { readonly ActionTypes: Readonly<Record<string, string>> };
  const schemas = (await import(file.replace(/\.js$/, '.zod.js'))) as Readonly<Record<string, ZodSchema>>;
  const { routes, paths } = readPaths(types);

  return {
    routes,
    pathOf: key => paths.get(key) ?? key,
    events: Object.values(names.ActionTypes),
    complaints: (type, value) => [...new Set(judge(schemas, type, value))],
  };
}

/** Follows the generated layout: two blanks per level, a path, a method, `responses`, a status. */
function readPaths(types: string) {
  const routes = new Map<RouteKey, Map<string, string>>();
  const paths = new Map<RouteKey, string>();
  let [path, key] = ['', ''];
  const start = types.indexOf('export interface Paths {');
  for (const line of types.slice(start, types.indexOf('\n}', start)).split('\n')) {
    path = /^ {2}"(.+)": \{$/.exec(line)?.[1] ?? path;
    const method = /^ {4}(\w+): \{$/.exec(line)?.[1]?.toUpperCase();
    if (method) {
      key = routeKey({ method, path });
      routes.set(key, new Map());
      paths.set(key, path);
    }
    const [, status, type] = /^ {8}"(\w+)":\s*(.*?);?$/.exec(line) ?? [];
    const answers = routes.get(key);
    if (status && type !== undefined) answers?.set(status, type);
    // A union that takes several lines.
    const [, member] = /^ {10}\| (\w+);?$/.exec(line) ?? [];
    const [last, before] = [...(answers ?? [])].at(-1) ?? [];
    if (member && last !== undefined) answers?.set(last, before ? `${before} | ${member}` : member);
  }
  return { routes, paths };
}

function judge(schemas: Readonly<Record<string, ZodSchema>>, type: string, value: unknown): string[] {
  const parts = type.split(' | ');
  if (value === null) return parts.includes('null') ? [] : [': expected something'];
  const [, item] = /^(.*)\[\]( \| null)?$/.exec(type) ?? [];
  if (item !== undefined) {
    if (!Array.isArray(value)) return [': expected a list'];
    return value.flatMap(one => judge(schemas, item, one).map(complaint => `[]${complaint}`));
  }
  const found = parts
    .filter(part => part !== 'null')
    .map(part => {
      const schema = schemas[`${part}Schema`];
      if (!schema) throw new Error(`There is no ${part}.`);
      return flatten(schema.safeParse(value, { reportInput: true }).error?.issues ?? []);
    });
  return closest(found);
}

function flatten(issues: readonly ZodIssue[], before = ''): string[] {
  return issues.flatMap(({ format, input, path, errors }) => {
    const at = before + path.map(step => (typeof step === 'number' ? '[]' : `.${String(step)}`)).join('');
    if (errors?.length) return closest(errors.map(inner => flatten(inner, at)));
    if (format === 'datetime' && isDateTime(input)) return [];
    return [`${at}: ${input === undefined ? 'missing' : `never ${JSON.stringify(input)}`}`];
  });
}

/** The file says `date-time` (RFC 3339), which may have an offset; the schemas of the package ask for a Z. */
function isDateTime(value: unknown): boolean {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(String(value));
}

/** Of several readings, the one with the fewest complaints. */
function closest(readings: readonly string[][]): string[] {
  return readings.toSorted((a, b) => a.length - b.length)[0] ?? [];
}
