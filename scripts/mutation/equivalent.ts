import type { Mutant } from './mutants.ts';

/** Mutants whose change nobody can observe, so that no test can fail. */
interface Equivalent {
  readonly file: string;
  /** The function that holds them. */
  readonly inside: string;
  /** The texts that they change; all in the function without it. */
  readonly originals?: readonly string[];
  readonly replacements: readonly string[];
  readonly reason: string;
}

const diff = 'src/model/rules/commands/command-diff.ts';
const quickly = 'a quick look that finds a difference is followed by the long one, which gives the answer';
const lengths = 'src/model/rules/field.ts';
const counted = 'what the length in UTF-16 units decides alone, the count of code points decides in the same way';

const table: readonly Equivalent[] = [
  // Each of these functions is one conjunction: a false part of it makes the whole say that there is a difference.
  { file: diff, inside: 'isPlainlySame', replacements: ['false', '{}'], reason: quickly },
  { file: diff, inside: 'sameOption', replacements: ['false', '{}'], reason: quickly },
  { file: diff, inside: 'sameChoice', replacements: ['false', '{}'], reason: quickly },
  { file: diff, inside: 'same', replacements: ['false', '{}'], reason: quickly },
  {
    ...{ file: diff, inside: 'isPlainlySamePlace', replacements: ['false'], reason: quickly },
    originals: ['(server.dm_permission ?? true) === (desired.dm_permission ?? true)'],
  },
  {
    ...{ file: diff, inside: 'sameTexts', replacements: ['false'], reason: quickly },
    originals: ['!a && !b', 'left === 0'],
  },
  {
    ...{ file: diff, inside: 'diffCommand', replacements: ['false'], reason: quickly },
    originals: ['isPlainlySame(server, desired, context)'],
  },
  {
    ...{ file: diff, inside: 'comparable', originals: ['[]'], replacements: ["['mutated']"] },
    reason: 'both sides of the comparison get the same list',
  },
  { file: lengths, inside: 'isLonger', originals: ['text.length > max'], replacements: ['true'], reason: counted },
  {
    file: lengths,
    inside: 'codePointsUpTo',
    originals: ['text.length > 2 * max'],
    replacements: ['false'],
    reason: counted,
  },
  {
    ...{ file: 'src/service/domain/interactions/delivery.ts', inside: 'leave', originals: ['>'], replacements: ['>='] },
    reason: 'an application with nothing under way may have an entry of 0 or none',
  },
];

/** Takes them out. `stale` are the entries that fit no mutant any more. */
export function equivalentMutants(mutants: readonly Mutant[]) {
  const isEquivalent = (mutant: Mutant) => table.some(entry => fits(entry, mutant));
  const stale = table.filter(entry => !mutants.some(mutant => fits(entry, mutant)));
  return {
    equivalent: mutants.filter(isEquivalent),
    others: mutants.filter(mutant => !isEquivalent(mutant)),
    stale: stale.map(({ file, inside, originals = [] }) => [file, inside, ...originals].join(' ')),
  };
}

function fits({ file, inside, originals, replacements }: Equivalent, mutant: Mutant): boolean {
  if (file !== mutant.file || inside !== mutant.inside || !replacements.includes(mutant.replacement)) return false;
  return originals === undefined || originals.includes(mutant.original);
}
