/** One line of the benches' table. */
export interface BenchRow {
  readonly name: string;
  /** Our figure and the one it is held against, with units. */
  readonly ours: string;
  readonly peer: string;
  /** Ours through the peer's. */
  readonly ratio: number;
  /** In words: `≤ 1.5`. */
  readonly goal: string;
  readonly ok: boolean;
}

/** A goal on a ratio. */
export interface Goal {
  readonly sign: '≤' | '≥';
  readonly value: number;
}

/** Makes a row from the two sides' figures of each round; the ratio is the median of the rounds' ratios. */
export function row(name: string, unit: Unit, rounds: readonly Round[], goal: Goal): BenchRow {
  const ratio = median(rounds.map(({ ours, peer }) => ours / peer));
  return {
    name,
    ours: unit(median(rounds.map(({ ours }) => ours))),
    peer: unit(median(rounds.map(({ peer }) => peer))),
    ratio,
    goal: `${goal.sign} ${goal.value}`,
    ok: goal.sign === '≤' ? ratio <= goal.value : ratio >= goal.value,
  };
}

/** The two sides' figures of one interleaved round. */
export interface Round {
  readonly ours: number;
  readonly peer: number;
}

export type Unit = (figure: number) => string;

export const microseconds: Unit = figure => `${figure.toFixed(1)} µs`;
export const milliseconds: Unit = figure => `${figure.toFixed(1)} ms`;
export const perSecond: Unit = figure => `${Math.round(figure).toLocaleString('en-US')}/s`;

export function median(figures: readonly number[]): number {
  const sorted = [...figures].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}
