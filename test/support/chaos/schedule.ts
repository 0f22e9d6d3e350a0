import { seededRandom } from '../../../src/service/testing/faults/random.ts';

/** What can be done to a cluster. */
export const faultKinds = [
  'node killed',
  'node drained',
  'node frozen',
  'node frozen for long',
  'PostgreSQL restarted',
  'PostgreSQL killed',
  'PostgreSQL frozen',
  'Redis killed',
  'Redis frozen',
  'connections to PostgreSQL cut',
  'connections to Redis cut',
  'connections of clients cut',
  'link to PostgreSQL frozen',
  'link to Redis frozen',
  'packets to PostgreSQL delayed',
  'packets to Redis delayed',
] as const;
export type FaultKind = (typeof faultKinds)[number];

export interface Step {
  readonly kind: FaultKind;
  /** The node it is done to, where it is done to one. */
  readonly node: number;
  /** How long it lasts. */
  readonly ms: number;
  /** How long nothing else happens afterwards, once everything works. */
  readonly restMs: number;
  /** It begins while this one lasts. */
  readonly together: Step | undefined;
}

/** A rest after every sixth step, in which timers are not late for any reason. */
const calmMs = 15_000;

/**
 * Steps without an end; every kind occurs before one occurs again. The same for the same seed. One node is neither killed nor
 * drained: its memory is watched.
 */
export function* schedule(seed: number, nodes: number, share = 1): Generator<Step> {
  const random = seededRandom(seed);
  let bag: FaultKind[] = [];
  let steps = 0;
  const take = (): FaultKind => {
    if (bag.length === 0) bag = [...faultKinds];
    const [kind] = bag.splice(Math.floor(random() * bag.length), 1);
    if (kind === undefined) throw new Error('The bag is empty.');
    return kind;
  };
  const spared = seed % nodes;
  const nodeFor = (kind: FaultKind): number =>
    kind === 'node killed' || kind === 'node drained'
      ? (spared + 1 + Math.floor(random() * (nodes - 1))) % nodes
      : Math.floor(random() * nodes);
  const step = (kind: FaultKind, together?: Step): Step => ({
    kind,
    node: nodeFor(kind),
    ms: Math.round(share * (kind === 'node frozen for long' ? 8000 + random() * 4000 : 300 + random() * 4500)),
    restMs: Math.round(share * (++steps % 6 === 0 ? calmMs : random() * 3000)),
    together,
  });
  for (;;) {
    const second = random() < 0.25 ? step(take()) : undefined;
    yield step(take(), second);
  }
}

export function describeStep({ kind, node, ms, together }: Step): string {
  return `${kind} (node ${node}, ${ms} ms)${together ? `, meanwhile ${describeStep(together)}` : ''}`;
}
