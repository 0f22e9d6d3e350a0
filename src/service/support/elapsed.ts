/**
 * Milliseconds of the machine's own time, for durations: a virtual clock may stand still. Not by `performance`, which takes Node
 * some milliseconds to load.
 */
export function elapsedMs(sinceMs = 0): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1e6 - sinceMs;
}
