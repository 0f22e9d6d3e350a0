import { words } from '../words/en.ts';

/** An issue of a body that the service rejected. */
export interface ControlIssue {
  readonly path: readonly (string | number)[];
  readonly code: string;
  readonly message: string;
}

/** A control call that failed. The message is written for the person at the console. */
export class ControlError extends Error {
  /** The status of the answer; 0 without an answer. */
  readonly status: number;
  readonly issues: readonly ControlIssue[];

  constructor(status: number, message: string, issues: readonly ControlIssue[] = []) {
    super(message);
    this.name = 'ControlError';
    this.status = status;
    this.issues = issues;
  }
}

/** The error for an answer that is not a success, with the words of the service where it gave some. */
export function errorOf(status: number, body: unknown): ControlError {
  const { message, issues } = asRecord(body);
  const text = typeof message === 'string' && message !== '' ? message : words.control.failed(status);
  return new ControlError(status, text, Array.isArray(issues) ? issues.filter(isIssue) : []);
}

/** What to show for anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function isIssue(value: unknown): value is ControlIssue {
  const { path, message } = asRecord(value);
  return Array.isArray(path) && typeof message === 'string';
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
