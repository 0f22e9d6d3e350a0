/**
 * Makes `instanceof` recognize objects that another copy of the class made: a program can hold two copies of this package, one
 * imported and one required, or those of two installs.
 *
 * Private members of such an object cannot be read; only what it exposes.
 *
 * @param ofClass `this` of a static block: a class that names itself there gets another name from the bundler, and so do its errors
 * @param name the same in all copies and versions, also where a bundler renames classes
 */
// biome-ignore lint/complexity/noBannedTypes: a class with whatever constructor
export function recognizeCopies(ofClass: Function, name: string): void {
  // A registered symbol is the same in all copies.
  const brand = Symbol.for(`@rallypoint/sdk.${name}`);
  Object.defineProperty(ofClass.prototype, brand, { value: true });
  Object.defineProperty(ofClass, Symbol.hasInstance, {
    // A game's own subclasses inherit this, and have no copies.
    value(this: unknown, value: unknown): boolean {
      return this === ofClass
        ? Object(value)[brand] === true
        : Function.prototype[Symbol.hasInstance].call(this, value);
    },
  });
}
