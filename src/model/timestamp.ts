/**
 * A moment as the interface writes it: ISO 8601 with microseconds and offset (`2021-02-12T18:25:07.972000+00:00`).
 *
 * @param ms milliseconds since the Unix epoch
 * @see docs/spec/http.md#bodies-and-queries
 */
export function formatTimestamp(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '000+00:00');
}
