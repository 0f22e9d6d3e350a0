import type { FieldErrorCode, fieldErrors } from '../errors/field-errors.ts';
import { type CommonFieldErrorCode, commonFieldErrors, type Issue } from '../errors/issue.ts';

/** Unspecified: a report stops growing here, so that a hostile body cannot make the answer larger than itself. */
export const issuesMax = 1000;

/** What the wording of a code says more. */
export type Details<Code extends FieldErrorCode> = Parameters<(typeof fieldErrors)[Code]>;

/**
 * A check in progress: its position in the body, and the issues found so far.
 *
 * Walking a valid body allocates nothing: a path is built only when an issue is reported.
 */
export class Report {
  /** In the order found; at most {@link issuesMax}. */
  readonly issues: Issue[] = [];
  /** UTF-16 units of all texts looked at so far: no sum of their lengths in code points is greater. */
  textUnits = 0;
  readonly #steps: (string | number)[] = [];
  #depth = 0;

  /** Whether a value is well-formed text. */
  isText(value: unknown): value is string {
    return typeof value === 'string' && value.isWellFormed();
  }

  /** Goes down to a field or a list item; every `enter` has its `leave`. */
  enter(step: string | number): void {
    this.#steps[this.#depth++] = step;
  }

  /** Goes from one list item to another. */
  moveTo(item: number): void {
    this.#steps[this.#depth - 1] = item;
  }

  leave(): void {
    this.#depth--;
  }

  /** Reports the value where the check stands. */
  here<Code extends CommonFieldErrorCode>(code: Code, ...details: Details<Code>): void {
    this.add(this.path(), code, details);
  }

  /** Reports the field or list item `step` of the value where the check stands. */
  at<Code extends CommonFieldErrorCode>(step: string | number, code: Code, ...details: Details<Code>): void {
    this.add([...this.path(), String(step)], code, details);
  }

  protected wordingOf(code: string): unknown {
    return commonFieldErrors[code as CommonFieldErrorCode];
  }

  protected path(): string[] {
    return this.#steps.slice(0, this.#depth).map(String);
  }

  protected add(path: string[], code: FieldErrorCode, details: readonly unknown[]): void {
    if (this.issues.length >= issuesMax) return;
    const describe = this.wordingOf(code) as (...details: readonly unknown[]) => string;
    this.issues.push({ path, code, message: describe(...details) });
  }
}
