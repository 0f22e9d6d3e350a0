/**
 * Erlang's external term format, as far as the gateway uses it: the equivalents of JSON values.
 *
 * @see docs/spec/gateway.md#encoding-and-compression; https://www.erlang.org/doc/apps/erts/erl_ext_dist.html
 */
export const version = 131;

/** The byte that a term begins with. */
export const tags = {
  newFloat: 70,
  smallInteger: 97,
  integer: 98,
  atom: 100,
  smallTuple: 104,
  nil: 106,
  string: 107,
  list: 108,
  binary: 109,
  smallBig: 110,
  smallAtom: 115,
  map: 116,
  atomUtf8: 118,
  smallAtomUtf8: 119,
} as const;
