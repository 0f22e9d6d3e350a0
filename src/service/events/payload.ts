import type { Announced, Topic } from './announcement.ts';

/** What the first line of a payload holds. */
interface Head extends Omit<Announced, 'to' | 'position' | 'event'> {
  /** The event's name. */
  readonly name?: NonNullable<Announced['event']>['name'];
}

/**
 * An announcement as text, without its topic and position: a line of JSON and, below it, the event's data as it is, so that
 * neither side encodes or parses the data again.
 */
export function encodePayload({ to: _, position: __, event, ...rest }: Announced): string {
  if (!event) return JSON.stringify(rest satisfies Head);
  return `${JSON.stringify({ ...rest, name: event.name } satisfies Head)}\n${event.data}`;
}

/** Reverses {@link encodePayload}. */
export function decodePayload(to: Topic, position: number, payload: string): Announced {
  const end = payload.indexOf('\n');
  const { name, ...rest } = JSON.parse(end < 0 ? payload : payload.slice(0, end)) as Head;
  return { to, position, ...rest, ...(name && { event: { name, data: payload.slice(end + 1) } }) };
}
