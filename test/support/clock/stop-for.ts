/** Nothing of this process runs meanwhile, as when it was stopped. */
export function stopFor(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
