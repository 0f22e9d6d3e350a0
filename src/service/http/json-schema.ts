/** A schema of JSON Schema 2020-12 as plain data, the dialect of OpenAPI 3.1. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Field → its schema. */
export type Fields = Readonly<Record<string, JsonSchema>>;

export const boolean: JsonSchema = { type: 'boolean' };
export const anyObject: JsonSchema = { type: 'object' };

/** A schema of the document's components, by name. */
export function ref(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

/** An object; fields that neither list names are allowed, because clients must ignore unknown fields. */
export function object(description: string, required: Fields, optional: Fields = {}): JsonSchema {
  const names = Object.keys(required);
  return {
    type: 'object',
    description,
    properties: { ...required, ...optional },
    ...(names.length > 0 && { required: names }),
  };
}

/** A dictionary text → `values`. */
export function dictionary(values: JsonSchema, bounds: JsonSchema = {}): JsonSchema {
  return { type: 'object', additionalProperties: values, ...bounds };
}

/** Text of `min` to `max` code points; without bounds any. */
export function text(min?: number, max?: number): JsonSchema {
  return { type: 'string', ...(min !== undefined && { minLength: min }), ...(max !== undefined && { maxLength: max }) };
}

/** A whole number from `min` to `max`; without bounds any. */
export function integer(min?: number, max?: number): JsonSchema {
  return { type: 'integer', ...(min !== undefined && { minimum: min }), ...(max !== undefined && { maximum: max }) };
}

/** A list of at most `max` items; without a bound of any number. */
export function list(items: JsonSchema, max?: number, more: JsonSchema = {}): JsonSchema {
  return { type: 'array', items, ...(max !== undefined && { maxItems: max }), ...more };
}

/** One of the numbers of a table name → number; their names are in `x-enum-varnames`. */
export function enumeration(table: Readonly<Record<string, number>>): JsonSchema {
  return { type: 'integer', enum: Object.values(table), 'x-enum-varnames': Object.keys(table) };
}

export function nullable(schema: JsonSchema): JsonSchema {
  return { anyOf: [schema, { type: 'null' }] };
}

/** Optional fields of a request, in which null means the same as absence. */
export function nullableFields(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).map(([name, schema]) => [name, nullable(schema)]));
}
