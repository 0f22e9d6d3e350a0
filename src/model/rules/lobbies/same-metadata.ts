import type { Metadata } from '../../lobby.ts';

/** Whether two say the same, in whatever order. */
export function sameMetadata(a: Metadata | null, b: Metadata | null): boolean {
  if (a === null || b === null) return a === b;
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every(name => Object.hasOwn(b, name) && a[name] === b[name]);
}
