const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/**
 * Without a terminal, SIGHUP is what log rotation sends: logs go to stderr, so there is no file to open again, and it is ignored. At a
 * terminal it says that the terminal was closed.
 */
const isStop = (signal: NodeJS.Signals) => signal !== 'SIGHUP' || process.stdout.isTTY;

/** One press of Ctrl+C can arrive twice, and so can what a group of processes is sent: directly, and passed on by npm. */
const sameMs = 150;

/** Resolves with the first signal that asks the process to stop. A second one ends it immediately, with exit code 1. */
export function firstSignal(): Promise<NodeJS.Signals> {
  return new Promise(resolve => {
    let firstMs: number | undefined;
    for (const signal of signals) {
      process.on(signal, () => {
        if (!isStop(signal)) return;
        firstMs ??= performance.now();
        if (performance.now() - firstMs > sameMs) process.exit(1);
        resolve(signal);
      });
    }
  });
}
