import { randomInt } from 'node:crypto';

const first = ['amber', 'brave', 'calm', 'dusky', 'early', 'far', 'gentle', 'hidden', 'icy', 'jade', 'keen', 'lucky'];
const second = ['comet', 'harbor', 'island', 'lantern', 'meadow', 'nebula', 'orbit', 'pilot', 'quay', 'reef', 'star'];
// Without letters and digits that are read as one another.
const alphabet = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';
const lettersCount = 12;

/**
 * A secret that is easily read out to a friend, for example `amber-comet-7QK4-MX2P-9DTH`. Whoever knows it comes in, so
 * it must not be guessed: the letters carry 60 bits, the words are for people.
 */
export function makeSecret(): string {
  const letters = Array.from({ length: lettersCount }, () => pick([...alphabet])).join('');
  return [pick(first), pick(second), ...(letters.match(/.{4}/g) ?? [])].join('-');
}

function pick(from: readonly string[]): string {
  return from[randomInt(from.length)] ?? '';
}
