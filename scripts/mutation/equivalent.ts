import type { Mutant } from './mutants.ts';

/** A mutant whose change nobody can observe, so that no test can fail. */
interface Equivalent {
  readonly file: string;
  /** The text that it changes, and to what. */
  readonly original: string;
  readonly replacement: string;
  readonly reason: string;
}

const table: readonly Equivalent[] = [];

/** Takes them out. `stale` are the entries that fit no mutant any more. */
export function equivalentMutants(mutants: readonly Mutant[]) {
  const fits = (mutant: Mutant) => (entry: Equivalent) =>
    entry.file === mutant.file && entry.original === mutant.original && entry.replacement === mutant.replacement;
  const equivalent = mutants.filter(mutant => table.some(fits(mutant)));
  const stale = table.filter(entry => !mutants.some(mutant => fits(mutant)(entry)));
  return {
    equivalent,
    others: mutants.filter(mutant => !table.some(fits(mutant))),
    stale: stale.map(({ file, original, replacement }) => `${file}: ${original} → ${replacement}`),
  };
}
