import { control } from '../control/client.ts';
import { setServiceClock } from '../control/clock.ts';

/** How often the clock is read while the service answers, and how soon and how late it is tried while it does not. */
const readEveryMs = 15_000;
const retryMinMs = 500;
const retryMaxMs = 10_000;

/** Reads the service's clock again and again, which also shows whether the service answers. */
export function watchService(): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let failures = 0;
  const abort = new AbortController();
  const read = async () => {
    try {
      const { now_ms, virtual } = await control.get<{ now_ms: number; virtual?: boolean }>('/clock', {
        signal: abort.signal,
        timeoutMs: 5000,
      });
      failures = 0;
      setServiceClock(now_ms, virtual === true);
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
