import { stripVTControlCharacters } from 'node:util';
import type { Paint } from './paint.ts';

/** The heading of a table, to be its first row. */
export function heading(paint: Paint, ...names: readonly string[]): string[] {
  return names.map(name => paint('dim', name.toUpperCase()));
}

/** Rows as lines, each column as wide as its widest cell. Cells may be colored. */
export function table(rows: readonly (readonly string[])[], indent = '  '): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, widthOf(cell));
  }
  return rows.map(row => (indent + row.map((cell, i) => pad(cell, widths[i] ?? 0)).join('  ')).trimEnd());
}

function pad(cell: string, width: number): string {
  return cell + ' '.repeat(width - widthOf(cell));
}

const wide =
  /[\u{1100}-\u{115f}\u{2e80}-\u{a4cf}\u{ac00}-\u{d7a3}\u{f900}-\u{faff}\u{fe30}-\u{fe6f}\u{ff00}-\u{ff60}\u{ffe0}-\u{ffe6}\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
const combining = /\p{M}/u;

/** Columns that a terminal gives the text. */
function widthOf(cell: string): number {
  let width = 0;
  for (const character of stripVTControlCharacters(cell)) {
    if (!combining.test(character)) width += wide.test(character) ? 2 : 1;
  }
  return width;
}
