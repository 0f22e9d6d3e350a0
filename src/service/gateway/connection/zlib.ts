type Zlib = typeof import('node:zlib');

/** Node's zlib, loaded at first use, because it takes a good part of a start and most services never need it. */
export function zlib(): Zlib {
  return process.getBuiltinModule('node:zlib');
}
