import type { Dispatches, DispatchName } from '../../model/gateway.ts';
import type { Announcement } from '../announcement.ts';

/** An event that is encoded when the first of its hearers asks, once for all: where nobody hears, it costs nothing. */
export function lazyEvent<Name extends DispatchName>(
  name: Name,
  describe: () => Dispatches[Name],
): NonNullable<Announcement['event']> {
  return new LazyEvent(name, describe);
}

class LazyEvent {
  readonly name: DispatchName;
  readonly #describe: () => unknown;
  #text: string | undefined;

  constructor(name: DispatchName, describe: () => unknown) {
    this.name = name;
    this.#describe = describe;
  }

  get data(): string {
    this.#text ??= JSON.stringify(this.#describe());
    return this.#text;
  }
}
