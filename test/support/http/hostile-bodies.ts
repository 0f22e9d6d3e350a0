import fc from 'fast-check';

/**
 * Bodies of requests as somebody would send them who wants a service to fall over: anything at all, and valid bodies
 * with something hostile in one place.
 */

/** A body as text: JSON of any shape, or none. */
export function hostileBody(samples: readonly unknown[]): fc.Arbitrary<string> {
  return fc.oneof(
    { arbitrary: mutated(samples).map(encode), weight: 12 },
    { arbitrary: fc.oneof(leaf, tree).map(encode), weight: 4 },
    { arbitrary: mutated(samples).chain(broken), weight: 2 },
    { arbitrary: fc.string({ unit: 'binary', maxLength: 40 }), weight: 1 },
    { arbitrary: fc.integer({ min: 10, max: 20_000 }).map(deep), weight: 1 },
  );
}

// Text that JSON cannot be built with stands for what it is replaced by once the rest is encoded.
const raw = (json: string) => `@raw ${json}@`;
const protoKey = '@proto';

function encode(value: unknown): string {
  return (JSON.stringify(value) ?? 'null').replace(/"@raw ([^@]*)@"/g, '$1').replaceAll(`"${protoKey}"`, '"__proto__"');
}

const keys = [
  ...[protoKey, 'constructor', 'prototype', 'toString', '_errors', '', '0', '-1', '\u0000', '\ud800', '🎲', 'a.b'],
  ...['id', 'name', 'type', 'description', 'options', 'choices', 'value', 'required', 'autocomplete', 'min_value'],
  ...['max_value', 'min_length', 'max_length', 'channel_types', 'name_localizations', 'description_localizations'],
  ...['de', 'en-US', 'contexts', 'integration_types', 'handler', 'nsfw', 'default_member_permissions', 'dm_permission'],
  ...['metadata', 'members', 'flags', 'idle_timeout_seconds', 'secret', 'content', 'permissions', 'permission', 'data'],
  ...['additional_name', 'remove_member', 'channel_id', 'guild_id', 'application_id', 'version', 'nonce', 'embeds'],
];
const key = fc.constantFrom(...keys);

const numbers = [0, -0, -1, 1.5, 1e21, 1e308, 5e-324, 2 ** 53, -(2 ** 53), 2 ** 63, 4_294_967_296];
const rawNumbers = ['1e400', '-1e400', '9'.repeat(400), '0.1e-400', '18446744073709551616', '-0'];
const texts = [
  ...['', ' ', '\u0000', '\ud800', '\udc00\ud800', '\ufeff', '\u202e', '\u{10ffff}', 'ß'.repeat(33), '🎲'.repeat(101)],
  ...['__proto__', 'constructor', '[object Object]', 'NaN', '1e400', '-1', '0x10', '١٢', '01', '9'.repeat(400)],
  ...['9223372036854775808', '100000000000000001', 'javascript:0', 'http://[', 'null', 'true', "'; DROP TABLE x; --"],
];

const leaf: fc.Arbitrary<unknown> = fc.oneof(
  {
    arbitrary: fc.constantFrom(null, true, false, [], {}, ...numbers, ...texts, ...rawNumbers.map(raw)),
    weight: 30,
  },
  { arbitrary: fc.string({ unit: 'binary', maxLength: 12 }), weight: 6 },
  { arbitrary: fc.constantFrom(26, 101, 1001, 8001).map(length => 'x'.repeat(length)), weight: 4 },
  { arbitrary: fc.constantFrom(26, 131, 500).map(manyItems), weight: 3 },
  { arbitrary: fc.constantFrom(35_000, 150_000).map(length => '🎲'.repeat(length)), weight: 1 },
);

function manyItems(length: number): unknown[] {
  return Array.from({ length }, (_, i) => ({ id: String(i), name: 'x', type: i }));
}

const { tree } = fc.letrec<{ tree: unknown }>(tie => ({
  tree: fc.oneof(
    { maxDepth: 5, depthSize: 'small' },
    leaf,
    fc.array(tie('tree'), { maxLength: 6 }),
    fc.dictionary(key, tie('tree'), { maxKeys: 8, noNullPrototype: true }),
  ),
}));

/** A sample with something hostile put, added, doubled, wrapped or left out somewhere. */
function mutated(samples: readonly unknown[]): fc.Arbitrary<unknown> {
  const change = fc.record({ at: fc.nat(), kind: fc.nat(4), hostile: fc.oneof(leaf, tree), key });
  return fc
    .tuple(fc.constantFrom(...samples), fc.array(change, { minLength: 1, maxLength: 3 }))
    .map(([sample, changes]) => changes.reduce(apply, sample));
}

interface Change {
  readonly at: number;
  readonly kind: number;
  readonly hostile: unknown;
  readonly key: string;
}

function apply(body: unknown, { at, kind, hostile, key }: Change): unknown {
  const places = placesOf(body);
  const [parent, step] = places[at % (places.length + 1)] ?? [];
  if (parent === undefined || step === undefined) return kind === 0 ? hostile : [body, hostile];
  const copy = structuredClone(body);
  const target = follow(copy, parent);
  const value = target[step];
  if (kind === 0) target[step] = hostile;
  else if (kind === 1) delete target[step];
  else if (kind === 2) target[step] = [value, value];
  else if (kind === 3) target[step] = { [key]: value };
  else target[Array.isArray(target) ? target.length : key] = hostile;
  return copy;
}

type Container = Record<string | number, unknown>;

/** Every field and item of a body: the path of what holds it, and its own step. */
function placesOf(body: unknown, path: readonly string[] = []): [parent: readonly string[], step: string][] {
  if (typeof body !== 'object' || body === null) return [];
  return Object.entries(body).flatMap(([step, inner]) => [
    [path, step] as [readonly string[], string],
    ...placesOf(inner, [...path, step]),
  ]);
}

function follow(body: unknown, path: readonly string[]): Container {
  return path.reduce((container, step) => container[step] as Container, body as Container);
}

/** JSON that is cut off, or has something in it that JSON has not. */
function broken(body: unknown): fc.Arbitrary<string> {
  const text = encode(body);
  return fc.oneof(
    fc.nat(text.length).map(end => text.slice(0, end)),
    fc
      .tuple(fc.nat(text.length), fc.string({ unit: 'binary', minLength: 1, maxLength: 3 }))
      .map(([at, rubbish]) => text.slice(0, at) + rubbish + text.slice(at)),
  );
}

function deep(levels: number): string {
  const [open, close] = levels % 2 === 0 ? ['[', ']'] : ['{"options":', '}'];
  return `${open.repeat(levels)}1${close.repeat(levels)}`;
}
