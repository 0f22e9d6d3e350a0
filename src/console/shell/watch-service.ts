import type { ControlStatus } from '../../wire/control/status.ts';
import { control } from '../control/client.ts';
import { setServiceClock } from '../control/clock.ts';

/** How often the status is read while the service answers, and how soon and how late it is tried while it does not. */
const readEveryMs = 5000;
const retryMinMs = 500;
const retryMaxMs = 10_000;

/** Reads the service's status again and again, which also shows whether the service answers. */
export function watchService(): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let failures = 0;
  const abort = new AbortController();
  const read = async () => {
    try {
      const { clock } = await control.get<ControlStatus>('/status', { signal: abort.signal, timeoutMs: 4000 });
      failures = 0;
      setServiceClock(clock.now_ms, clock.kind === 'virtual');
    } catch {
      failures++;
    }
    if (abort.signal.aborted) return;
    const waitMs = failures === 0 ? readEveryMs : Math.min(retryMaxMs, retryMinMs * 2 ** (failures - 1));
    timer = setTimeout(read, waitMs);
  };
  void read();
  return () => {
    abort.abort();
    clearTimeout(timer);
  };
}
