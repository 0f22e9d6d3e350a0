import { type LogFields, type Logger, silentLogger } from './clock/ports.ts';

/** What a log line says of an error: plain data, so that it is the same whatever the logger does with errors. */
export interface ErrorReport {
  /** Name of its class; of a thrown value that is no error, its type. */
  readonly class: string;
  readonly code?: string | number;
  readonly message: string;
  /** Where it was made: the lines of its stack without the message. */
  readonly stack?: string;
  readonly cause?: ErrorReport;
  /** Those that an AggregateError stands for. */
  readonly errors?: readonly ErrorReport[];
}

const messageLengthMax = 2000;
const stackLinesMax = 20;
/** Causes of causes, and errors of one aggregate. */
const depthMax = 8;
const errorsMax = 10;

/** What hides a secret in text that others wrote, like a message of a library that quotes a request. */
const secrets: readonly (readonly [RegExp, string])[] = [
  [/\b(Bearer|Bot|Basic)\s+[\w.~+/=-]{6,}/g, '$1 [redacted]'],
  [/(:\/\/)[^\s/@]+@/g, '$1[redacted]@'],
  [/(\/(?:webhooks|interactions)\/\d+\/)[^\s/?"']+/g, '$1[redacted]'],
  [
    /(["']?\b\w*(?:token|secret|password|passwd|verifier|assertion|authorization|cookie)["']?\s*[=:]\s*["']?)[^\s"'&,;}]+/gi,
    '$1[redacted]',
  ],
  [/([?&](?:code|state|nonce|user_code|device_code|key|sig|signature)=)[^\s"'&]+/gi, '$1[redacted]'],
];

/** The one form in which errors are logged: class, code, message, stack and the chain of causes, without secrets. */
export function reportError(error: unknown): ErrorReport {
  return report(error, depthMax);
}

/**
 * A logger that gets every error among its fields, whatever the field's name, as a report. What it throws is dropped: no call
 * fails because it could not be reported.
 */
export function reportErrors(log: Logger): Logger {
  if (log === silentLogger) return log;
  const write = (level: keyof Logger, fields: LogFields, message: string) => {
    try {
      log[level](reported(fields), message);
    } catch {
      // There is nowhere else to say so.
    }
  };
  return {
    debug: (fields, message) => write('debug', fields, message),
    info: (fields, message) => write('info', fields, message),
    warn: (fields, message) => write('warn', fields, message),
    error: (fields, message) => write('error', fields, message),
  };
}

/** An error as text of several lines, its causes below it. */
export function errorText(error: unknown): string {
  return textOf(reportError(error));
}

function reported(fields: LogFields): LogFields {
  if (!Object.values(fields).some(value => value instanceof Error)) return fields;
  const entries = Object.entries(fields);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, value instanceof Error ? reportError(value) : value]),
  );
}

function report(error: unknown, depth: number): ErrorReport {
  if (!(error instanceof Error)) return { class: typeOf(error), message: messageOf(error) };
  const { code, stack, cause } = error as Error & { code?: unknown };
  const { errors } = error as { errors?: unknown };
  const goesOn = depth > 0;
  return {
    class: classOf(error),
    ...((typeof code === 'string' || typeof code === 'number') && { code }),
    message: clean(error.message),
    ...(stack !== undefined && { stack: framesOf(stack) }),
    ...(goesOn && cause !== undefined && { cause: report(cause, depth - 1) }),
    ...(goesOn && Array.isArray(errors) && { errors: errors.slice(0, errorsMax).map(one => report(one, depth - 1)) }),
  };
}

/** Errors of the language's own classes often have a better name than their class. */
function classOf(error: Error): string {
  return error.name !== 'Error' && error.name !== '' ? error.name : (error.constructor?.name ?? 'Error');
}

function typeOf(value: unknown): string {
  return value === null ? 'null' : typeof value;
}

/** Only the shape of an object is reported, because its values may be secret. */
function messageOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return clean(String(value));
  return `A value that is no error was thrown, with the fields: ${Object.keys(value).join(', ')}`.slice(
    0,
    messageLengthMax,
  );
}

function clean(text: string): string {
  let cleaned = text.slice(0, 2 * messageLengthMax);
  for (const [pattern, substitute] of secrets) cleaned = cleaned.replace(pattern, substitute);
  return cleaned.slice(0, messageLengthMax);
}

/** The stack begins with the message, which may hold anything. */
function framesOf(stack: string): string {
  const frames = stack.split('\n').filter(line => /^\s+at /.test(line));
  return frames
    .slice(0, stackLinesMax)
    .map(frame => frame.trim())
    .join('\n');
}

function textOf({ class: name, code, message, stack = '', cause, errors = [] }: ErrorReport): string {
  const head = `${name}${code === undefined ? '' : ` (${code})`}: ${message}`;
  const frames = stack === '' ? [] : stack.split('\n').map(frame => `    ${frame}`);
  const behind = [...errors, ...(cause ? [cause] : [])].map(one => `caused by ${textOf(one)}`);
  return [head, ...frames, ...behind].join('\n');
}
