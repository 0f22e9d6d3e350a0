import type { ArgumentErrorCode } from '../../model/errors/error-codes.ts';
import { ArgumentError } from '../../model/errors/errors.ts';

/** @throws ArgumentError `code` */
export function requireText(name: string, value: unknown, code: ArgumentErrorCode): void {
  if (typeof value === 'string' && value !== '') return;
  throw new ArgumentError(code, `${name} is needed.`);
}
