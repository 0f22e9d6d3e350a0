import type { PowerMonitor } from 'electron';

/** The part of Electron's `powerMonitor` that is called. */
export type WakeMonitor = Pick<PowerMonitor, 'on' | 'off'>;

export interface WakeOptions {
  /** From the `electron` module of the main process; use it once the app is ready. */
  readonly powerMonitor: WakeMonitor;
  /** Whose connection is looked after: a {@link Client}. */
  readonly client: { checkConnection(): void };
}

/**
 * Lets the client check its connection the moment the machine wakes up, instead of the seconds it needs to notice a
 * sleep by itself.
 *
 * @returns what ends that; idempotent
 */
export function checkOnWake({ powerMonitor, client }: WakeOptions): { close(): void } {
  const check = () => client.checkConnection();
  powerMonitor.on('resume', check);
  return { close: () => void powerMonitor.off('resume', check) };
}
