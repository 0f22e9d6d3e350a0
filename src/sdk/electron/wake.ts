import type { PowerMonitor } from 'electron';

/** The part of Electron's `powerMonitor` that is called. */
export type WakeMonitor = Pick<PowerMonitor, 'on' | 'off'>;

export interface WakeOptions {
  /** From the `electron` module of the main process. Pass it once the app is ready. */
  readonly powerMonitor: WakeMonitor;
  /** The {@link Client} whose connection is checked. */
  readonly client: { checkConnection(): void };
}

/** A subscription that {@link checkOnWake} returns. */
export interface WakeCheck {
  /** Ends the checks. Idempotent. */
  close(): Promise<void>;
  /** As {@link close}. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Checks the client's connection when the machine wakes up. Without this the client needs seconds to notice a sleep. */
export function checkOnWake({ powerMonitor, client }: WakeOptions): WakeCheck {
  const check = () => client.checkConnection();
  const close = async () => void powerMonitor.off('resume', check);
  powerMonitor.on('resume', check);
  return { close, [Symbol.asyncDispose]: close };
}
