import type { Dispatches, DispatchName } from '../../model/gateway.ts';
import type { Announcement } from '../announcement.ts';

/** An event that is encoded when the first of its hearers asks, once for all: where nobody hears, it costs nothing. */
export function lazyEvent<Name extends DispatchName>(
  name: Name,
  describe: () => Dispatches[Name],
): NonNullable<Announcement['event']> {
  let text: string | undefined;
  return {
    name,
    get data() {
      text ??= JSON.stringify(describe());
      return text;
    },
  };
}
