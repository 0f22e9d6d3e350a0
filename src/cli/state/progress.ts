import type { Progress } from '../../service/store/transfer/upkeep.ts';
import { counted } from '../../wire/counted.ts';
import type { Output } from '../terminal.ts';

const showEveryMs = 100;
const startOfLine = '\r\u001b[K';

/** One line on a screen, written over again and again; nothing elsewhere. */
export function showProgress(output: Output): { readonly progress: Progress; clear(): void } {
  let shownAtMs = Number.NEGATIVE_INFINITY;
  let isShown = false;
  return {
    progress(step, collection, records) {
      const nowMs = performance.now();
      if (!output.isTTY || nowMs - shownAtMs < showEveryMs) return;
      shownAtMs = nowMs;
      isShown = true;
      output.write(`${startOfLine}${step} ${collection}: ${counted(records, 'record')}`);
    },
    clear() {
      if (isShown) output.write(startOfLine);
    },
  };
}
