/**
 * Lets the promises of a class's methods reject before they are awaited: a test starts a call, advances the clock, and then
 * awaits the call. Without a handler until then, Node reports such a rejection as unhandled.
 */
export function allowLateAwait({ prototype }: { readonly prototype: object }): void {
  for (const [name, descriptor] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
    const { value: method } = descriptor;
    if (name === 'constructor' || typeof method !== 'function') continue;
    const start = function (this: unknown, ...args: unknown[]): unknown {
      const result = method.apply(this, args);
      if (result instanceof Promise) result.catch(() => {});
      return result;
    };
    Object.defineProperty(prototype, name, { ...descriptor, value: start });
  }
}
