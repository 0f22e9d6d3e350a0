import { randomInt } from 'node:crypto';

const first = ['amber', 'brave', 'calm', 'dusky', 'early', 'far', 'gentle', 'hidden', 'icy', 'jade', 'keen', 'lucky'];
const second = ['comet', 'harbor', 'island', 'lantern', 'meadow', 'nebula', 'orbit', 'pilot', 'quay', 'reef', 'star'];
// Without letters and digits that are read as one another.
const alphabet = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';
const randomLettersCount = 11;
const codeForm = new RegExp(`^([A-Z]+) ([A-Z]+) ([${alphabet}]{4}) ?([${alphabet}]{4}) ?([${alphabet}]{4})$`);

/**
 * The secret of a new lobby, in a form that is easily read out to a friend, for example `amber-comet-7QK4-MX2P-9DTH`.
 * Whoever knows it can join, so it must not be guessable: letters and words carry 62 random bits. The last letter checks
 * the others.
 */
export function makeJoinCode(): string {
  const words = [randomInt(first.length), randomInt(second.length)];
  const letters = Array.from({ length: randomLettersCount }, () => randomInt(alphabet.length));
  return format(words, [...letters, checkLetter([...words, ...letters])]);
}

/**
 * Reads what a player typed: in any case, with spaces or hyphens.
 *
 * The interface creates a lobby for a secret that it does not know, so a mistyped code must be found before it is sent.
 *
 * @returns the code as {@link makeJoinCode} made it; undefined: it is none, or something in it is mistyped
 */
export function parseJoinCode(typed: string): string | undefined {
  const [, one = '', two = '', ...groups] =
    codeForm.exec(
      typed
        .toUpperCase()
        .replace(/[\s-]+/g, ' ')
        .trim(),
    ) ?? [];
  const words = [first.indexOf(one.toLowerCase()), second.indexOf(two.toLowerCase())];
  const letters = [...groups.join('')].map(letter => alphabet.indexOf(letter));
  if (words.includes(-1)) return undefined;
  return checkLetter([...words, ...letters.slice(0, -1)]) === letters.at(-1) ? format(words, letters) : undefined;
}

function format([one = 0, two = 0]: readonly number[], letters: readonly number[]): string {
  const groups =
    letters
      .map(letter => alphabet[letter])
      .join('')
      .match(/.{4}/g) ?? [];
  return [first[one], second[two], ...groups].join('-');
}

/** The Luhn algorithm modulo 32: finds every single wrong letter or word, and nearly all swapped neighbours. */
function checkLetter(values: readonly number[]): number {
  const base = alphabet.length;
  const sum = values.toReversed().reduce((total, value, place) => {
    const weighted = place % 2 === 0 ? value * 2 : value;
    return total + Math.floor(weighted / base) + (weighted % base);
  }, 0);
  return (base - (sum % base)) % base;
}
