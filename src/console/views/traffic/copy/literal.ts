/** A text as a literal of JavaScript, in single quotes. Nothing in it can end the literal or the line. */
export function literal(text: string): string {
  const inner = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
  return `'${inner.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')}'`;
}

const widthMax = 80;

/** A JSON value as a literal of JavaScript, on one line where it is short. */
export function literalOf(value: unknown, indent = ''): string {
  if (typeof value === 'string') return literal(value);
  if (typeof value !== 'object' || value === null) return String(value);
  const inside = `${indent}  `;
  const parts = Array.isArray(value)
    ? value.map(item => literalOf(item, inside))
    : Object.entries(value).map(([name, item]) => `${nameOf(name)}: ${literalOf(item, inside)}`);
  const [begin, end, space] = Array.isArray(value) ? ['[', ']', ''] : ['{', '}', ' '];
  if (parts.length === 0) return `${begin}${end}`;
  const short = `${begin}${space}${parts.join(', ')}${space}${end}`;
  if (short.length <= widthMax && !short.includes('\n')) return short;
  return `${begin}\n${parts.map(part => `${inside}${part},\n`).join('')}${indent}${end}`;
}

/** `__proto__` as a plain name would set the prototype. */
function nameOf(name: string): string {
  if (name === '__proto__') return "['__proto__']";
  return /^[a-z_$][\w$]*$/i.test(name) ? name : literal(name);
}
