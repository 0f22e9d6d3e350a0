import type { ClockBody, ClockToNextAnswer } from '../../../wire/control/time.ts';
import { control } from '../../control/client.ts';
import { serviceNow, setServiceClock } from '../../control/clock.ts';
import { ask } from '../../ui/dialog.tsx';
import { durationText } from '../../ui/text/time.ts';
import { toast } from '../../ui/toast.ts';
import { timeWords } from '../../words/en/time.ts';

const words = timeWords.clock;
const dayMs = 86_400_000;
/** Everything that is due on the way runs first, which may be a lot. */
const patienceMs = 300_000;

/**
 * Advances the virtual clock, after a question when that is far.
 *
 * @param byMs how far it is, as far as one knows
 * @returns whether it was advanced
 * @throws ControlError
 */
export async function advance(body: ClockBody, byMs: number): Promise<boolean> {
  const isFar = byMs > dayMs;
  if (isFar && !(await ask({ title: words.far(durationText(byMs)), text: words.farText, confirm: words.farConfirm }))) {
    return false;
  }
  const before = serviceNow.peek();
  const answer = await control.post<Partial<ClockToNextAnswer> & { readonly now_ms: number }>('/clock', body, {
    timeoutMs: patienceMs,
  });
  setServiceClock(answer.now_ms, true);
  if (answer.timer === null) toast(words.nothingDue);
  else toast([words.advanced(durationText(answer.now_ms - before)), answer.timer?.what].filter(Boolean).join(' '));
  return true;
}
