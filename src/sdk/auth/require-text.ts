import { ArgumentError } from '../../model/errors.ts';

/** @throws ArgumentError `missing_<name in snake case>` */
export function requireText(name: string, value: unknown): void {
  if (typeof value === 'string' && value !== '') return;
  throw new ArgumentError(
    `missing_${name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)}`,
    `${name} is needed.`,
  );
}
