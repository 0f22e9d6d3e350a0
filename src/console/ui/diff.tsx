import { words } from '../words/en.ts';

/** What differs at one place of two JSON values. */
export interface Difference {
  /** `options.0.name`; empty for the whole. */
  readonly path: string;
  readonly kind: 'added' | 'removed' | 'changed';
  readonly before: unknown;
  readonly after: unknown;
}

/** Every difference of two JSON values, down to the places where they differ. */
export function differencesOf(before: unknown, after: unknown, path = ''): Difference[] {
  if (Object.is(before, after)) return [];
  if (before === undefined) return [{ path, kind: 'added', before, after }];
  if (after === undefined) return [{ path, kind: 'removed', before, after }];
  if (!isContainer(before) || !isContainer(after) || Array.isArray(before) !== Array.isArray(after)) {
    return [{ path, kind: 'changed', before, after }];
  }
  const [old, fresh] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
  return [...new Set([...old.keys(), ...fresh.keys()])].flatMap(name =>
    differencesOf(old.get(name), fresh.get(name), path === '' ? name : `${path}.${name}`),
  );
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** The differences of two JSON values as a list, with words beside the colours. */
export function Diff({
  before,
  after,
  label,
}: {
  readonly before: unknown;
  readonly after: unknown;
  readonly label: string;
}) {
  const differences = differencesOf(before, after);
  if (differences.length === 0) return <p class="hint">{words.kit.same}</p>;
  return (
    <ul class="diff" aria-label={label}>
      {differences.map(({ path, kind, before, after }) => (
        <li key={path} class={kind}>
          <span class="badge">{words.kit[kind]}</span> <code>{path}</code>
          {before !== undefined && <del>{JSON.stringify(before)}</del>}
          {after !== undefined && <ins>{JSON.stringify(after)}</ins>}
        </li>
      ))}
    </ul>
  );
}
