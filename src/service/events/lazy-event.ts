import type { Dispatches, DispatchName } from '../../model/gateway.ts';
import type { Announcement } from './announcement.ts';

/** An event that is encoded when the first of its hearers asks, once for all: where nobody hears, it costs nothing. */
export function lazyEvent<Name extends DispatchName>(
  name: Name,
  describe: () => Dispatches[Name],
): NonNullable<Announcement['event']> {
  return new LazyEvent(name, () => JSON.stringify(describe()));
}

/** As {@link lazyEvent}. @param encode gives the event's data as JSON */
export function lazyText(name: DispatchName, encode: () => string): NonNullable<Announcement['event']> {
  return new LazyEvent(name, encode);
}

class LazyEvent {
  readonly name: DispatchName;
  readonly #encode: () => string;
  #text: string | undefined;

  constructor(name: DispatchName, encode: () => string) {
    this.name = name;
    this.#encode = encode;
  }

  get data(): string {
    this.#text ??= this.#encode();
    return this.#text;
  }
}
