/**
 * Resident memory of the process, in bytes; undefined while it cannot be read, because Node.js opens a file for it: at a
 * moment when too many are open.
 */
export function residentMemory(): number | undefined {
  try {
    return process.memoryUsage.rss();
  } catch {
    return undefined;
  }
}
