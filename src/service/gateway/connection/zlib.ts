type Zlib = typeof import('node:zlib');

/** Node's zlib, loaded when somebody compresses: most never do, and it is a good part of a start. */
export function zlib(): Zlib {
  return process.getBuiltinModule('node:zlib');
}
