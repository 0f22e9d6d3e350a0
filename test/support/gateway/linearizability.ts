/** One operation as its caller saw it. Times are any numbers that order the events of one observer. */
export interface Observed<Operation, Result> {
  readonly operation: Operation;
  readonly invokedAt: number;
  /** Infinity when no answer came: the operation may have happened at any time since, or never. */
  readonly returnedAt: number;
  /** Undefined when no answer came. */
  readonly result: Result | undefined;
}

/** What an object does when one operation happens after another. */
export interface Specification<State, Operation, Result> {
  readonly initial: State;
  /**
   * @param result undefined: nobody knows
   * @returns the state after the operation, or undefined when it could not have had that result
   */
  step(state: State, operation: Operation, result: Result | undefined): State | undefined;
  /** Text that is the same for states that behave the same. */
  keyOf(state: State): string;
}

/** A call or a return of a history, in a list in which both of an operation can be taken out and put back. */
interface Event {
  readonly index: number;
  readonly isCall: boolean;
  before: Event;
  after: Event | undefined;
  readonly partner: () => Event;
}

/**
 * Finds an order of the operations in which each takes effect at one instant between its call and its return (Wing and
 * Gong's search, with Lowe's memory of configurations that led nowhere).
 *
 * @returns indices into `history`, in that order; undefined when there is none. Operations without an answer that did
 *   not happen are not in it
 * @throws Error when the search needs more than `stepsMax` steps: make the history shorter
 */
export function linearize<State, Operation, Result>(
  history: readonly Observed<Operation, Result>[],
  specification: Specification<State, Operation, Result>,
  stepsMax = 200_000,
): number[] | undefined {
  const head = eventsOf(history);
  const seen = new Set<string>();
  const order: { readonly call: Event; readonly stateBefore: State }[] = [];
  const taken = new Uint8Array(history.length);
  let waiting = history.filter(({ returnedAt }) => returnedAt !== Number.POSITIVE_INFINITY).length;
  let state = specification.initial;
  let event = head.after;

  for (let steps = 0; waiting > 0; steps++) {
    if (steps >= stepsMax) throw new Error(`No order found in ${stepsMax} steps.`);
    const observed = event?.isCall ? history[event.index] : undefined;
    if (event && observed) {
      const next = specification.step(state, observed.operation, observed.result);
      if (next !== undefined && isNew(event.index, next)) {
        order.push({ call: event, stateBefore: state });
        state = next;
        taken[event.index] = 1;
        if (observed.returnedAt !== Number.POSITIVE_INFINITY) waiting--;
        takeOut(event);
        event = head.after;
      } else event = event.after;
      continue;
    }
    // Here an operation returns that has found no place yet: the last choice was wrong.
    const last = order.pop();
    if (!last) return undefined;
    state = last.stateBefore;
    taken[last.call.index] = 0;
    if (history[last.call.index]?.returnedAt !== Number.POSITIVE_INFINITY) waiting++;
    putBack(last.call);
    event = last.call.after;
  }
  return order.map(({ call }) => call.index);

  function isNew(index: number, next: State): boolean {
    taken[index] = 1;
    const configuration = `${taken.join('')} ${specification.keyOf(next)}`;
    taken[index] = 0;
    if (seen.has(configuration)) return false;
    seen.add(configuration);
    return true;
  }
}

function eventsOf(history: readonly Observed<unknown, unknown>[]): Event {
  const times = history.flatMap(({ invokedAt, returnedAt }, index) => [
    { index, isCall: true, at: invokedAt },
    { index, isCall: false, at: returnedAt },
  ]);
  // A call and a return of the same time count as overlapping, and so does what never returned.
  times.sort((a, b) => (a.at === b.at ? Number(b.isCall) - Number(a.isCall) : a.at < b.at ? -1 : 1));
  const head = { index: -1, isCall: true, after: undefined, partner: () => head } as unknown as Event;
  const returns = new Map<number, Event>();
  const calls = new Map<number, Event>();
  let before = head;
  for (const { index, isCall } of times) {
    const partners = isCall ? returns : calls;
    const event: Event = { index, isCall, before, after: undefined, partner: () => partners.get(index) as Event };
    (isCall ? calls : returns).set(index, event);
    before.after = event;
    before = event;
  }
  return head;
}

function takeOut(call: Event): void {
  for (const event of [call, call.partner()]) {
    event.before.after = event.after;
    if (event.after) event.after.before = event.before;
  }
}

/** In the reverse of {@link takeOut}. */
function putBack(call: Event): void {
  for (const event of [call.partner(), call]) {
    event.before.after = event;
    if (event.after) event.after.before = event;
  }
}
