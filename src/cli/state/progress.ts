import type { Progress } from '../../service/store/transfer/upkeep.ts';
import { counted } from '../../wire/counted.ts';
import type { Terminal } from '../terminal.ts';
import { tellOfWait } from '../waiting.ts';

const showEveryMs = 100;
const startOfLine = '\r\u001b[K';

/**
 * One line on a screen, written over again and again; nothing elsewhere.
 *
 * @param what what is waited for until the first progress
 */
export function showProgress(terminal: Terminal, what: string): { readonly progress: Progress; clear(): void } {
  const output = terminal.stderr;
  const cancel = tellOfWait(terminal, what);
  let shownAtMs = Number.NEGATIVE_INFINITY;
  let isShown = false;
  return {
    progress(step, collection, records) {
      cancel();
      const nowMs = performance.now();
      if (!output.isTTY || nowMs - shownAtMs < showEveryMs) return;
      shownAtMs = nowMs;
      isShown = true;
      output.write(`${startOfLine}${step} ${collection}: ${counted(records, 'record')}`);
    },
    clear() {
      cancel();
      if (isShown) output.write(startOfLine);
    },
  };
}
