import type { Metadata } from '../../../model/lobby.ts';

/** What happened to one entry of a map. */
export interface MetadataChange {
  readonly key: string;
  readonly kind: 'added' | 'removed' | 'changed' | 'same';
  readonly before?: string;
  readonly after?: string;
}

/** Every key of both maps, those of `after` in their order and then the removed ones. Null counts as an empty map. */
export function diffMetadata(before: Metadata | null, after: Metadata | null): readonly MetadataChange[] {
  const old = new Map(Object.entries(before ?? {}));
  const changes = Object.entries(after ?? {}).map(([key, value]): MetadataChange => {
    const known = old.get(key);
    old.delete(key);
    if (known === undefined) return { key, kind: 'added', after: value };
    return { key, kind: known === value ? 'same' : 'changed', before: known, after: value };
  });
  return [...changes, ...[...old].map(([key, value]): MetadataChange => ({ key, kind: 'removed', before: value }))];
}

/** How many of the changes are changes. */
export function countChanges(changes: readonly MetadataChange[]): number {
  return changes.filter(({ kind }) => kind !== 'same').length;
}

/** One row of the form in which a map is edited. */
export interface MetadataRow {
  readonly key: string;
  readonly value: string;
}

/** The rows of a map, which keep the order in which they are written. */
export function rowsOf(metadata: Metadata | null): readonly MetadataRow[] {
  return Object.entries(metadata ?? {}).map(([key, value]) => ({ key, value }));
}

/** What the rows say. Rows without a key and a value are left out; `null` when none is left. */
export function metadataOf(rows: readonly MetadataRow[]): Metadata | null {
  const filled = rows.filter(({ key, value }) => key !== '' || value !== '');
  // Entries, not assignments: a key of a player may be called __proto__.
  return filled.length === 0 ? null : Object.fromEntries(filled.map(({ key, value }) => [key, value]));
}

/** Keys that stand in more than one row: the last of them would silently win. */
export function duplicateKeys(rows: readonly MetadataRow[]): ReadonlySet<string> {
  const keys = rows.filter(({ key, value }) => key !== '' || value !== '').map(({ key }) => key);
  return new Set(keys.filter((key, at) => keys.indexOf(key) < at));
}

/** Characters (code points) of all keys and values, as the limit counts them. */
export function metadataLength(metadata: Metadata | null): number {
  return Object.entries(metadata ?? {}).reduce((sum, [key, value]) => sum + [...key].length + [...value].length, 0);
}

/** A map in one line, for a row of a table: `map=harbour · mode=duel`. */
export function metadataLine(metadata: Metadata | null, lengthMax = 160): string {
  const line = Object.entries(metadata ?? {})
    .map(([key, value]) => `${key}=${value}`)
    .join(' · ');
  return line.length > lengthMax ? `${line.slice(0, lengthMax)}…` : line;
}
