const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/** One press of Ctrl+C can arrive twice, and so can what a group of processes is sent: directly, and passed on by npm. */
const sameMs = 150;

/** Resolves with the first signal that asks the process to stop. A second one ends it immediately, with exit code 1. */
export function firstSignal(): Promise<NodeJS.Signals> {
  return new Promise(resolve => {
    let firstMs: number | undefined;
    for (const signal of signals) {
      process.on(signal, () => {
        firstMs ??= performance.now();
        if (performance.now() - firstMs > sameMs) process.exit(1);
        resolve(signal);
      });
    }
  });
}
