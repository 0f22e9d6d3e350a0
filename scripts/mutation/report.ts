import type { Mutant } from './mutants.ts';
import type { Outcome, Status } from './plan.ts';

/** @example describeMutant(mutant, 'survived') // src/model/rules/field.ts:40:7 operator: `<` → `<=` (survived) */
export function describeMutant({ file, line, column, kind, original, replacement }: Mutant, status: Status): string {
  return `${file}:${line}:${column} ${kind}: ${shorten(original)} → ${shorten(replacement)} (${status})`;
}

function shorten(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ');
  return `\`${line.length > 80 ? `${line.slice(0, 77)}…` : line}\``;
}

/** The share of mutants that a test noticed, 0 to 1. */
export function scoreOf(outcomes: readonly Outcome[]): number {
  return outcomes.length === 0 ? 1 : outcomes.filter(isFound).length / outcomes.length;
}

function isFound({ status }: Outcome): boolean {
  return status === 'killed' || status === 'timed out';
}

/** A table by folder and the score, of a sample with its interval. */
export function summarize(outcomes: readonly Outcome[], isSample: boolean): string {
  const folders = Map.groupBy(outcomes, ({ mutant }) => mutant.file.split('/').slice(0, 4).join('/'));
  const rows = [...folders].map(
    ([folder, own]) => `${percent(scoreOf(own)).padStart(7)}  ${own.length} mutants  ${folder}`,
  );
  const counts = Map.groupBy(outcomes, ({ status }) => status);
  const count = (status: Status) => counts.get(status)?.length ?? 0;
  const found = outcomes.filter(isFound).length;
  const interval = isSample ? ` (95 % confidence: ${wilson(found, outcomes.length).map(percent).join(' to ')})` : '';
  return [
    ...rows,
    `killed ${count('killed')}, timed out ${count('timed out')}, survived ${count('survived')}, not covered ${count('not covered')}`,
    `${percent(scoreOf(outcomes))} of ${outcomes.length} mutants found${interval}`,
  ].join('\n');
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

/** Wilson's score interval of a share that was seen `found` times in `tried`, at 95 %. */
export function wilson(found: number, tried: number): [from: number, to: number] {
  const z = 1.96;
  const share = found / tried;
  const center = share + z ** 2 / (2 * tried);
  const spread = z * Math.sqrt((share * (1 - share)) / tried + z ** 2 / (4 * tried ** 2));
  const scale = 1 + z ** 2 / tried;
  return [(center - spread) / scale, (center + spread) / scale];
}
