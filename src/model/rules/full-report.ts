import { type FieldErrorCode, fieldErrors } from '../errors/field-errors.ts';
import { type Details, Report } from './report.ts';

/** A check in progress that may find what only commands, components and interactions can have wrong. */
export class FullReport extends Report {
  /** The files of the message that is checked, which its `attachment://` addresses may name; undefined where they are not known. */
  attachmentNames: ReadonlySet<string> | undefined;

  override here<Code extends FieldErrorCode>(code: Code, ...details: Details<Code>): void {
    this.add(this.path(), code, details);
  }

  override at<Code extends FieldErrorCode>(step: string | number, code: Code, ...details: Details<Code>): void {
    this.add([...this.path(), String(step)], code, details);
  }

  protected override wordingOf(code: string): unknown {
    return fieldErrors[code as FieldErrorCode];
  }
}
