/** What came and what went between two texts, as lines; the order of lines does not count. */
export function compareLines(before: string, after: string): { added: readonly string[]; removed: readonly string[] } {
  return { added: linesMissingIn(before, after), removed: linesMissingIn(after, before) };
}

function linesMissingIn(text: string, other: string): readonly string[] {
  const counts = new Map<string, number>();
  for (const line of text.split('\n')) counts.set(line, (counts.get(line) ?? 0) + 1);
  return other.split('\n').filter(line => {
    const left = counts.get(line) ?? 0;
    counts.set(line, left - 1);
    return left <= 0 && line.trim() !== '';
  });
}
