import {
  ApiError,
  ArgumentError,
  GatewayError,
  KeychainError,
  OAuthError,
  RallypointError,
  RateLimitError,
  RedirectError,
  TransportError,
  ValidationError,
} from '../../model/errors/errors.ts';

/** An error of this package on its way to a window, which throws one of the same class with the same fields. */
export interface ErrorFields {
  /** Name of the class, for example `ApiError`. */
  readonly name: string;
  readonly code: string;
  readonly message: string;
  /** The fields that its class adds: `status`, `issues`, `retryAfterMs` and the like. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** The classes by their names, and the fields that each adds: what a window gets to see of an error. */
const classes: Readonly<
  Record<string, { readonly class: { readonly prototype: object }; readonly fields: readonly string[] }>
> = {
  RallypointError: { class: RallypointError, fields: [] },
  ArgumentError: { class: ArgumentError, fields: [] },
  ValidationError: { class: ValidationError, fields: ['issues'] },
  ApiError: { class: ApiError, fields: ['status', 'apiCode', 'route', 'issues'] },
  RateLimitError: { class: RateLimitError, fields: ['bucket', 'retryAfterMs'] },
  OAuthError: { class: OAuthError, fields: [] },
  GatewayError: { class: GatewayError, fields: ['closeCode', 'recoverable'] },
  TransportError: { class: TransportError, fields: [] },
  KeychainError: { class: KeychainError, fields: [] },
  RedirectError: { class: RedirectError, fields: [] },
};

/**
 * The fields of an error that a window receives: neither its cause nor its stack. The message of `browser_unavailable` names the page
 * that could not be opened, which may be an authorization page, so that it is replaced.
 */
export function errorFieldsOf(error: RallypointError): ErrorFields {
  const entry = classes[error.name];
  const fields = Object.fromEntries(
    (entry?.fields ?? []).map(name => [name, (error as unknown as Readonly<Record<string, unknown>>)[name]]),
  );
  const message = error.code === 'browser_unavailable' ? 'The browser could not be opened.' : error.message;
  return { name: entry ? error.name : 'RallypointError', code: error.code, message, fields };
}

/** The error in the window: of the same class, with the same code, message and fields. */
export function errorOf({ name, code, message, fields }: ErrorFields): RallypointError {
  const entry = (Object.hasOwn(classes, name) && classes[name]) || undefined;
  const error = new RallypointError(code, message);
  if (!entry) return error;
  Object.setPrototypeOf(error, entry.class.prototype);
  error.name = name;
  for (const field of entry.fields) Object.defineProperty(error, field, { value: fields[field], enumerable: true });
  return error;
}

/** Marks an error among the plain values of a state. Player-made texts cannot pass for one: their values are texts. */
const errorKey = '$error';

/** The value with every error in it as plain fields; the same value when there is none. */
export function toPlain(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof RallypointError) return { [errorKey]: errorFieldsOf(value) };
  if (!holdsError(value)) return value;
  if (Array.isArray(value)) return value.map(toPlain);
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, toPlain(inner)]));
}

/** Undoes {@link toPlain}, and freezes the value all the way down. */
export function fromPlain(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  const marked = (value as Readonly<Record<string, unknown>>)[errorKey];
  if (typeof marked === 'object' && marked !== null) return Object.freeze(errorOf(marked as ErrorFields));
  for (const [name, inner] of Object.entries(value)) {
    const made = fromPlain(inner);
    if (made !== inner) Object.defineProperty(value, name, { value: made, enumerable: true });
  }
  return Object.freeze(value);
}

function holdsError(value: object): boolean {
  return Object.values(value).some(
    inner => typeof inner === 'object' && inner !== null && (inner instanceof RallypointError || holdsError(inner)),
  );
}
