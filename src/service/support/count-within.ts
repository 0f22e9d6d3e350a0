/** How many of the first entries take at most `bytesMax` bytes together, encoded as JSON. */
export function countWithin(entries: readonly unknown[], bytesMax: number): number {
  let bytes = 0;
  const end = entries.findIndex(entry => {
    bytes += Buffer.byteLength(JSON.stringify(entry));
    return bytes > bytesMax;
  });
  return end < 0 ? entries.length : end;
}
