import { ArgumentError } from '../../model/errors/errors.ts';
import { componentLimits } from '../../model/limits/component-limits.ts';
import { checkRequiredText } from '../../model/rules/field.ts';
import { Report } from '../../model/rules/report.ts';
import { requireType } from '../../wire/arguments.ts';
import { rejectIssues } from '../../wire/http/check.ts';
import type { ComponentUse } from '../interactions/received-interaction.ts';

/** The names of a pattern's parameters, as a union: `'lobbyId' | 'team'` for `'join/:lobbyId/:team'`. */
export type CustomIdParameter<Pattern extends string> = string extends Pattern
  ? string
  : Pattern extends `${infer Segment}/${infer Rest}`
    ? CustomIdParameter<Segment> | CustomIdParameter<Rest>
    : Pattern extends `:${infer Name}`
      ? Name
      : never;

/** The values of a pattern's parameters in a custom id. */
export type CustomIdValues<Pattern extends string> = { readonly [Name in CustomIdParameter<Pattern>]: string };

/** What {@link customId} takes: an object with the pattern's parameters, or nothing if it has none. */
export type CustomIdArguments<Pattern extends string> = [CustomIdParameter<Pattern>] extends [never]
  ? readonly []
  : readonly [values: { readonly [Name in CustomIdParameter<Pattern>]: string | number }];

/** The use of a component that was defined by a pattern. */
export interface DefinedComponentUse<Pattern extends string> extends Omit<ComponentUse, 'argument'> {
  readonly params: CustomIdValues<Pattern>;
}

/** A component with its handler, found by the pattern of its custom id. */
export interface DefinedComponent<Pattern extends string = string> {
  readonly pattern: Pattern;
  readonly use: (use: DefinedComponentUse<Pattern>) => void | Promise<void>;
  /** Makes a custom id of the pattern. @throws ValidationError as {@link customId} */
  customId(...values: CustomIdArguments<Pattern>): string;
}

/**
 * Makes a custom id from a pattern, whose segments are separated by `/`; those that begin with a colon are parameters. A
 * {@link defineComponent defined component} reads the values back exactly. A `/` or `%` in a value takes three characters.
 *
 * @throws ValidationError if the custom id is longer than `componentLimits.customIdLengthMax` characters or a value is missing;
 *   ArgumentError `invalid_custom_id_pattern`
 * @example
 * ```ts
 * const id = customId('join/:lobbyId', { lobbyId: '42' }); // 'join/42'
 * ```
 */
export function customId<const Pattern extends string>(
  pattern: Pattern,
  ...[values]: CustomIdArguments<Pattern>
): string {
  const given: Readonly<Record<string, unknown>> = values ?? {};
  const report = new Report();
  const segments = segmentsOf(pattern).map(({ literal, name }) => {
    if (name === undefined) return literal;
    const value = given[name];
    if (typeof value === 'string' || typeof value === 'number') return encodePart(String(value));
    report.at(name, value === undefined ? 'BASE_TYPE_REQUIRED' : 'STRING_TYPE_CONVERT');
    return '';
  });
  const id = segments.join('/');
  if (report.issues.length === 0) checkRequiredText(report, 'custom_id', id, componentLimits.customIdLengthMax);
  rejectIssues(`The custom id of "${pattern}"`, report.issues);
  return id;
}

/**
 * Defines a button or a select whose custom id carries values, with its handler; a router calls it with the values as
 * `params`, whose type follows from the pattern.
 *
 * @throws ArgumentError `invalid_custom_id_pattern`
 * @example
 * ```ts
 * const join = defineComponent('join/:lobbyId', ({ params, update }) =>
 *   update({ content: `You are in ${params.lobbyId}.`, components: [] }),
 * );
 * const components = [row(button.primary(join.customId({ lobbyId: '42' }), 'Join'))];
 * await backend.interactions.listen(router(commands, { components: [join] }));
 * ```
 */
export function defineComponent<const Pattern extends string>(
  pattern: Pattern,
  use: DefinedComponent<Pattern>['use'],
): DefinedComponent<Pattern> {
  segmentsOf(pattern);
  return { pattern, use, customId: (...values) => customId(pattern, ...values) };
}

/** Reads custom ids of a pattern: the values by name, or undefined for any other custom id. */
export function customIdReader(pattern: string): (id: string) => Readonly<Record<string, string>> | undefined {
  const segments = segmentsOf(pattern);
  return id => {
    const parts = id.split('/');
    if (parts.length !== segments.length) return undefined;
    // Without a prototype, so that no name is inherited.
    const values: Record<string, string> = Object.create(null);
    for (const [i, { literal, name }] of segments.entries()) {
      const part = parts[i] ?? '';
      if (name !== undefined) values[name] = decodePart(part);
      else if (part !== literal) return undefined;
    }
    return values;
  };
}

/** Whether the custom id is a pattern with parameters. */
export function hasParameters(customId: string): boolean {
  return customId.split('/').some(segment => parameter.test(segment));
}

const parameter = /^:([A-Za-z_]\w*)$/;

/** The pattern without the names of its parameters: two patterns of one shape match the same custom ids. */
export function customIdShape(pattern: string): string {
  return segmentsOf(pattern)
    .map(({ literal, name }) => (name === undefined ? literal : ':'))
    .join('/');
}

interface Segment {
  readonly literal: string;
  /** Of a parameter. */
  readonly name: string | undefined;
}

/** @throws ArgumentError `invalid_custom_id_pattern` */
function segmentsOf(pattern: string): readonly Segment[] {
  requireType('pattern', pattern, 'string');
  const segments = pattern.split('/').map(literal => ({ literal, name: parameter.exec(literal)?.[1] }));
  const names = segments.flatMap(({ name }) => name ?? []);
  const isValid =
    pattern !== '' &&
    new Set(names).size === names.length &&
    segments.every(({ literal, name }) => name !== undefined || !literal.includes(':'));
  if (isValid) return segments;
  throw new ArgumentError(
    'invalid_custom_id_pattern',
    `A pattern of custom ids has segments between slashes, and parameters with different names such as :lobbyId (got "${pattern}").`,
  );
}

function encodePart(value: string): string {
  return value.replace(/[%/]/g, encodeURIComponent);
}

function decodePart(part: string): string {
  return part.replace(/%(?:25|2F)/g, decodeURIComponent);
}
